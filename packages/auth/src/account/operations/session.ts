import type { Account } from '../account.ts'
import { type ApiResource, createResource, implement } from '../../kernel/operations/operation.ts'
import { ACCOUNT_OPERATIONS } from './table.ts'

/** Returns the operations on the session. */
export const sessionResources = (account: Account): readonly ApiResource[] => [
  createResource([
    implement(ACCOUNT_OPERATIONS.getSession, async () => ({ kind: 'authentication' })),
    implement(ACCOUNT_OPERATIONS.logout, async (visit) => {
      await account.login.logout(visit)
      return { kind: 'authentication' }
    }),
  ]),
]
