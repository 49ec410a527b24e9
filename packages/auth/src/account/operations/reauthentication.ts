import type { Account } from '../account.ts'
import { type ApiResource, operation } from '../../kernel/operations/operation.ts'
import { ofField } from '../email/field-errors.ts'
import { reauthenticateByPassword } from '../reauthentication/reauthentication.ts'
import { signedIn } from '../signed-in.ts'

/** Confirming by password that one is still the same. */
export const reauthenticationResources = (account: Account): readonly ApiResource[] => [
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
        async handle(visit, { password }) {
          const user = signedIn(visit)
          await ofField('password', () => reauthenticateByPassword(account, visit, user, password))
          return { kind: 'authentication' }
        },
      }),
    },
  },
]
