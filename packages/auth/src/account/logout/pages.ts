import type { Core } from '../../core.ts'
import type { PageAnswer } from '../../http/answer.ts'
import type { PageRoute } from '../../http/route.ts'
import type { AuthRequest } from '../../request.ts'
import { nextContext } from '../page-context.ts'

/** Logout: a page that asks, and the POST that does it. */
export const logoutPages = (core: Core): readonly PageRoute[] => [
  {
    name: 'account_logout',
    path: 'logout/',
    access: 'anon',
    async GET(request) {
      if (request.user === null) return leave(core, request)
      if (core.settings.account.logoutOnGet) return logout(core, request)
      return { kind: 'page', template: 'account/logout', context: nextContext(request) }
    },
    POST: (request) => logout(core, request),
  },
]

/** Also forgets the login under way of somebody who is not signed in: this is how it is cancelled. */
async function logout(core: Core, request: AuthRequest): Promise<PageAnswer> {
  const answer = leave(core, request)
  await core.login.logout(request)
  return answer
}

const leave = (core: Core, request: AuthRequest): PageAnswer => ({
  kind: 'redirect',
  to: request.next ?? core.adapter.getLogoutRedirectUrl(request),
})
