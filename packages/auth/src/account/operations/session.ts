import type { Account } from '../account.ts'
import { type ApiResource, operation } from '../../kernel/operations/operation.ts'

/** Who is signed in, and signing out. */
export const sessionResources = (account: Account): readonly ApiResource[] => [
  {
    path: 'auth/session',
    tag: 'Session',
    access: 'anon',
    operations: {
      GET: operation({
        summary: 'Tells who is signed in, or how to sign in',
        answers: { 200: 'Authenticated', 401: 'AuthenticationFlows' },
        handle: async () => ({ kind: 'authentication' }),
      }),
      DELETE: operation({
        summary: 'Signs out, and gives up a login that is under way',
        answers: { 401: 'AuthenticationFlows' },
        async handle(visit) {
          await account.login.logout(visit)
          return { kind: 'authentication' }
        },
      }),
    },
  },
]
