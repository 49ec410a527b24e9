import type { Core } from '../../core.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import { logOutWithOrganisation } from '../../social/pages/saml-logout.ts'
import { nextContext } from '../page-context.ts'

/** Logout: a page that asks, and the POST that does it. */
export const logoutPages = (core: Core): readonly PageRoute[] => [
  {
    name: 'account_logout',
    path: 'logout/',
    access: 'anon',
    async GET(request) {
      if (request.user === null) return { kind: 'redirect', to: nextOf(core, request) }
      if (core.settings.account.logoutOnGet) return logout(core, request)
      return { kind: 'page', template: 'account/logout', context: nextContext(request) }
    },
    POST: (request) => logout(core, request),
  },
]

/** Also forgets the login under way of somebody who is not signed in: this is how it is cancelled. */
const logout = (core: Core, request: Visit): Promise<PageAnswer> =>
  logOutWithOrganisation(core, request, nextOf(core, request))

const nextOf = (core: Core, request: Visit): string => request.next ?? core.adapter.getLogoutRedirectUrl(request)
