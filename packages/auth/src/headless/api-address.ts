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
  const alias = findContractAlias(pathname, request.method)
  if (alias !== null) {
    const client = clientFromHeaders(request.headers)
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
 * Detects the client for a contract path without a client in it (9.1 of the reference): a request with a token is from
 * an app, and so is one without a cookie, since no page can make a browser send it with a user's session.
 */
function clientFromHeaders(headers: Headers): ApiClient {
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

const mapMethods = (path: string, methods: readonly ApiMethod[]): Readonly<Partial<Record<ApiMethod, Meant>>> =>
  Object.fromEntries(methods.map((method) => [method, { method, path }]))

/** Paths of the contract, without client and version (9.1 of the reference). */
const ALIASES: ReadonlyMap<string, Readonly<Partial<Record<ApiMethod, Meant>>>> = new Map([
  ['/headless/signup/', mapMethods('auth/signup', ['POST'])],
  ['/headless/authentication/login/', mapMethods('auth/login', ['POST'])],
  ['/headless/authentication/logout/', { POST: { method: 'DELETE', path: 'auth/session' } }],
  ['/headless/users/me/', mapMethods('auth/session', ['GET'])],
  ['/headless/emails/', mapMethods('account/email', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])],
  ['/headless/password/set/', mapMethods('account/password/change', ['POST'])],
  ['/headless/password/change/', mapMethods('account/password/change', ['POST'])],
  ['/headless/password/reset/', mapMethods('auth/password/request', ['POST'])],
])

/** Whether a path is one of the contract's. */
const isAlias = (pathname: string): boolean => ALIASES.has(pathname)

/** Resolves a request for a contract path; `null` if unknown; `methods` if only other methods exist. */
export function findContractAlias(
  pathname: string,
  method: string,
): Meant | { readonly methods: readonly string[] } | null {
  const alias = ALIASES.get(pathname)
  if (alias === undefined) return null
  const asked = method === 'HEAD' ? 'GET' : method
  const found = Object.entries(alias).find(([known]) => known === asked)
  return found?.[1] ?? { methods: Object.keys(alias) }
}
