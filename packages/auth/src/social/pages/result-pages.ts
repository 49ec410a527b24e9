import type { Account } from '../../account/account.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { entranceContext } from '../../account/page-context.ts'
import { ownResponse } from '../../kernel/http/own-response.ts'
import type { PageRoute } from '../../kernel/http/route.ts'

/** Routes for visitors returning from a provider without a login, and for URLs of older sites. */
export const resultPages = (account: Account): readonly PageRoute[] => [
  {
    name: 'socialaccount_login_cancelled',
    path: '3rdparty/login/cancelled/',
    access: 'anon',
    GET: async (request) => ({
      kind: 'page',
      template: 'socialaccount/login_cancelled',
      context: await entranceContext(account, request),
    }),
  },
  {
    name: 'socialaccount_login_error',
    path: '3rdparty/login/error/',
    access: 'anon',
    GET: async (request) => ({
      kind: 'page',
      template: 'socialaccount/authentication_error',
      context: await entranceContext(account, request),
      status: 401,
    }),
  },
  redirectRoute(account.kernel, 'social/login/cancelled/', 'socialaccount_login_cancelled'),
  redirectRoute(account.kernel, 'social/login/error/', 'socialaccount_login_error'),
  redirectRoute(account.kernel, 'social/signup/', 'socialaccount_signup'),
  redirectRoute(account.kernel, 'social/connections/', 'socialaccount_connections'),
]

const redirectRoute = (kernel: Kernel, path: string, to: string): PageRoute => ({
  name: `${to}_old`,
  path,
  access: 'anon',
  GET: async ({ url }) => ({
    kind: 'response',
    response: ownResponse(null, { status: 301, headers: { location: `${kernel.url(to)}${url.search}` } }),
  }),
})
