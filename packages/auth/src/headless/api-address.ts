import type { ApiClient, ApiMethod } from '../kernel/operations/declaration.ts'
import type { AuthSettings } from '../kernel/settings/settings.ts'

/** What a request is about, by its address. */
export type ApiAddress =
  | { readonly kind: 'resource'; readonly client: ApiClient; readonly method: string; readonly path: string }
  /** The description of the API. */
  | { readonly kind: 'description'; readonly format: DescriptionFormat }
  /** A path of the contract that has other methods. */
  | { readonly kind: 'wrong_method'; readonly client: ApiClient; readonly methods: readonly string[] }
  | { readonly kind: 'nothing' }
/** The format in which the API description is served. */
export type DescriptionFormat = 'json' | 'yaml' | 'html'

type Mount = Pick<AuthSettings, 'headless'>

/** Whether a path is one of the API's. */
export const isApiPath = ({ headless }: Mount, pathname: string): boolean =>
  headless.enabled && (pathname.startsWith(headless.path) || isAlias(pathname))

/** @param pathname One of the API's. */
export function apiAddress({ headless }: Mount, request: Request, pathname: string): ApiAddress {
  const alias = aliasOf(pathname, request.method)
  if (alias !== null) {
    const client = clientOfHeaders(request.headers)
    if (!headless.clients.includes(client)) return { kind: 'nothing' }
    return 'methods' in alias
      ? { kind: 'wrong_method', client, methods: alias.methods }
      : { kind: 'resource', client, ...alias }
  }
  const below = pathname.slice(headless.path.length)
  const format = /^openapi\.(json|yaml|html)$/.exec(below)?.[1]
  if (headless.serveSpecification && format !== undefined) {
    return { kind: 'description', format: format as DescriptionFormat } // one of the three
  }
  const client = headless.clients.find((known) => below.startsWith(`${known}/v1/`))
  if (client === undefined) return { kind: 'nothing' }
  const method = request.method === 'HEAD' ? 'GET' : request.method
  return { kind: 'resource', client, method, path: below.slice(`${client}/v1/`.length) }
}

/**
 * A path of the contract does not name its client (9.1 of the reference): whoever sends a token is an app, and so is
 * who sends no cookie, as nobody can make a browser send such a request with somebody's session.
 */
function clientOfHeaders(headers: Headers): ApiClient {
  const authorization = headers.get('authorization')
  const isToken = authorization !== null && !OF_BROWSERS.test(authorization)
  if (isToken || headers.has('x-session-token')) return 'app'
  return headers.has('cookie') ? 'browser' : 'app'
}

/** What browsers send on their own where a proxy in front asks for it. @see RFC 7617, RFC 7616, RFC 4559 */
const OF_BROWSERS = /^(basic|digest|negotiate|ntlm)\b/i

/** What a path of the contract stands for. */
interface Meant {
  readonly method: ApiMethod
  /** Below `{client}/v1/`. */
  readonly path: string
}

const same = (path: string, methods: readonly ApiMethod[]): Readonly<Partial<Record<ApiMethod, Meant>>> =>
  Object.fromEntries(methods.map((method) => [method, { method, path }]))

/** Paths of the contract, without client and version (9.1 of the reference). */
const ALIASES: ReadonlyMap<string, Readonly<Partial<Record<ApiMethod, Meant>>>> = new Map([
  ['/headless/signup/', same('auth/signup', ['POST'])],
  ['/headless/authentication/login/', same('auth/login', ['POST'])],
  ['/headless/authentication/logout/', { POST: { method: 'DELETE', path: 'auth/session' } }],
  ['/headless/users/me/', same('auth/session', ['GET'])],
  ['/headless/emails/', same('account/email', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])],
  ['/headless/password/set/', same('account/password/change', ['POST'])],
  ['/headless/password/change/', same('account/password/change', ['POST'])],
  ['/headless/password/reset/', same('auth/password/request', ['POST'])],
])

/** Whether a path is one of the contract's. */
const isAlias = (pathname: string): boolean => ALIASES.has(pathname)

/** What a request for a path of the contract means; `null`: none; `methods`: there, with these methods alone. */
export function aliasOf(pathname: string, method: string): Meant | { readonly methods: readonly string[] } | null {
  const alias = ALIASES.get(pathname)
  if (alias === undefined) return null
  const asked = method === 'HEAD' ? 'GET' : method
  const found = Object.entries(alias).find(([known]) => known === asked)
  return found?.[1] ?? { methods: Object.keys(alias) }
}
