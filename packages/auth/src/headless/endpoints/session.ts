import { type ApiModule, operation } from '../endpoint.ts'

/** Who is signed in, and signing out. */
export const sessionResources: ApiModule = () => [
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
        async handle({ core, request }) {
          await core.login.logout(request)
          return { kind: 'authentication' }
        },
      }),
    },
  },
]
