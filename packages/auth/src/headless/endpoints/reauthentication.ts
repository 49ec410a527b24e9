import { ofField } from '../../account/email/field-errors.ts'
import { reauthenticateByPassword } from '../../account/reauthentication/reauthentication.ts'
import { signedIn } from '../../account/signed-in.ts'
import { type ApiModule, operation } from '../endpoint.ts'

/** Confirming by password that one is still the same. */
export const reauthenticationResources: ApiModule = () => [
  {
    path: 'auth/reauthenticate',
    tag: 'Account',
    access: 'auth',
    limit: { action: 'reauthenticate', per: 'user' },
    operations: {
      POST: operation({
        summary: 'Confirms by password who is signed in',
        input: [{ name: 'password', kind: 'password', required: true }],
        answers: { 200: 'Authenticated' },
        async handle({ core, request }, { password }) {
          const user = signedIn(request)
          await ofField('password', () => reauthenticateByPassword(core, request, user, password))
          return { kind: 'authentication' }
        },
      }),
    },
  },
]
