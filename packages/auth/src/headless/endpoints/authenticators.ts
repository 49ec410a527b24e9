import { signedIn } from '../../account/signed-in.ts'
import { type ApiModule, operation } from '../endpoint.ts'
import { authenticatorsData } from './authenticator-data.ts'

/** What second factors somebody has. */
export const authenticatorsResources: ApiModule = ({ settings: { mfa } }) =>
  mfa.enabled
    ? [
        {
          path: 'account/authenticators',
          tag: 'Account: second factors',
          access: 'auth',
          operations: {
            GET: operation({
              summary: 'List your second factors',
              answers: { 200: 'Authenticators' },
              handle: async ({ core, request }) => ({
                kind: 'data',
                data: await authenticatorsData(core, request, signedIn(request)),
              }),
            }),
          },
        },
      ]
    : []
