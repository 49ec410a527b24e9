import type { Mfa } from '../second-factors.ts'
import { type ApiResource, operation } from '../../kernel/operations/operation.ts'
import { signedIn } from '../../account/signed-in.ts'
import { authenticatorsData } from './authenticator-data.ts'

/** What second factors somebody has. */
export const authenticatorsResources = (mfa: Mfa): readonly ApiResource[] =>
  mfa.kernel.settings.mfa.enabled
    ? [
        {
          path: 'account/authenticators',
          tag: 'Account: second factors',
          access: 'auth',
          operations: {
            GET: operation({
              summary: 'List your second factors',
              answers: { 200: 'Authenticators' },
              handle: async (visit) => ({
                kind: 'data',
                data: await authenticatorsData(mfa, visit, signedIn(visit)),
              }),
            }),
          },
        },
      ]
    : []
