import { entranceContext } from '../../account/page-context.ts'
import type { Core } from '../../core.ts'
import { ownResponse } from '../../kernel/http/own-response.ts'
import type { PageRoute } from '../../kernel/http/route.ts'

/** What visitors see who come back from a provider without a login, and addresses of older sites. */
export const resultPages = (core: Core): readonly PageRoute[] => [
  {
    name: 'socialaccount_login_cancelled',
    path: '3rdparty/login/cancelled/',
    access: 'anon',
    GET: async (request) => ({
      kind: 'page',
      template: 'socialaccount/login_cancelled',
      context: await entranceContext(core, request),
    }),
  },
  {
    name: 'socialaccount_login_error',
    path: '3rdparty/login/error/',
    access: 'anon',
    GET: async (request) => ({
      kind: 'page',
      template: 'socialaccount/authentication_error',
      context: await entranceContext(core, request),
      status: 401,
    }),
  },
  moved(core, 'social/login/cancelled/', 'socialaccount_login_cancelled'),
  moved(core, 'social/login/error/', 'socialaccount_login_error'),
  moved(core, 'social/signup/', 'socialaccount_signup'),
  moved(core, 'social/connections/', 'socialaccount_connections'),
]

const moved = (core: Core, path: string, to: string): PageRoute => ({
  name: `${to}_old`,
  path,
  access: 'anon',
  GET: async ({ url }) => ({
    kind: 'response',
    response: ownResponse(null, { status: 301, headers: { location: `${core.url(to)}${url.search}` } }),
  }),
})
