import type { Account } from '../account.ts'
import { type ApiResource, createResource, implement } from '../../kernel/operations/operation.ts'
import { ACCOUNT_OPERATIONS } from './table.ts'
import { ofField } from '../email/field-errors.ts'
import { reauthenticateByPassword } from '../reauthentication/reauthentication.ts'
import { signedIn } from '../signed-in.ts'

/** Returns the operation with which users confirm their identity by password. */
export const reauthenticationResources = (account: Account): readonly ApiResource[] => [
  createResource(
    [
      implement(ACCOUNT_OPERATIONS.reauthenticate, async (visit, { password }) => {
        const user = signedIn(visit)
        await ofField('password', () => reauthenticateByPassword(account, visit, user, password))
        return { kind: 'authentication' }
      }),
    ],
    { limit: { action: 'reauthenticate', per: 'user' } },
  ),
]
