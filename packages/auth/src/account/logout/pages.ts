import type { Account } from '../account.ts'
import type { PageAnswer, PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import { nextContext } from '../page-context.ts'

/** The logout page: GET asks for confirmation, POST signs out. */
export const logoutPages = (account: Account): readonly PageRoute[] => [
  {
    name: 'account_logout',
    path: 'logout/',
    access: 'anon',
    async GET(request) {
      if (request.user === null) return { kind: 'redirect', to: resolveLogoutRedirect(account, request) }
      if (account.kernel.settings.account.logoutOnGet) return logout(account, request)
      return { kind: 'page', template: 'account/logout', context: nextContext(request) }
    },
    POST: (request) => logout(account, request),
  },
]

/** Signs out. Also cancels a login in progress. */
async function logout(account: Account, request: Visit): Promise<PageAnswer> {
  const next = resolveLogoutRedirect(account, request)
  for (const module of account.kernel.modules) {
    const answer = (await module.logout?.(request, next)) ?? null
    if (answer !== null) return answer
  }
  await account.login.logout(request)
  return { kind: 'redirect', to: next }
}

const resolveLogoutRedirect = (account: Account, request: Visit): string =>
  request.next ?? account.adapter.getLogoutRedirectUrl(request)
