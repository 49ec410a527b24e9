import type { ApiClient, ApiMethod } from '../kernel/operations/declaration.ts'
import type { AuthSettings } from '../kernel/settings/settings.ts'

/** The target of a request to the JSON API. */
export type ApiAddress =
  | { readonly kind: 'resource'; readonly client: ApiClient; readonly method: string; readonly path: string }
  /** The API description. */
  | { readonly kind: 'description'; readonly format: DescriptionFormat }
  /** A contract path that doesn't support the request's method. */
  | { readonly kind: 'wrong_method'; readonly client: ApiClient; readonly methods: readonly string[] }
  | { readonly kind: 'nothing' }
/** The format in which the API description is served. */
export type DescriptionFormat = 'json' | 'yaml' | 'html'

type Mount = Pick<AuthSettings, 'headless'>

/** Returns whether a path belongs to the API. */
export const isApiPath = ({ headless }: Mount, pathname: string): boolean =>
  headless.enabled && (pathname.startsWith(headless.path) || isAlias(pathname))

/** Returns the target of a request. @param pathname A path of the API. */
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
 * Returns the client for a contract path, which doesn't name one (reference, section 9.1). A request with a token comes
 * from an app. So does one without a cookie, since a browser would send the user's session cookie.
 */
function clientFromHeaders(headers: Headers): ApiClient {
  const authorization = headers.get('authorization')
  const isToken = authorization !== null && !BROWSER_SCHEMES.test(authorization)
  if (isToken || headers.has('x-session-token')) return 'app'
  return headers.has('cookie') ? 'browser' : 'app'
}

/**
 * Authentication schemes that browsers use on their own, if a proxy requires them.
 * @see RFC 7617, RFC 7616, RFC 4559
 */
const BROWSER_SCHEMES = /^(basic|digest|negotiate|ntlm)\b/i

/** The operation that a contract path stands for. */
interface AliasTarget {
  readonly method: ApiMethod
  /** Below `{client}/v1/`. */
  readonly path: string
}

const mapMethods = (path: string, methods: readonly ApiMethod[]): Readonly<Partial<Record<ApiMethod, AliasTarget>>> =>
  Object.fromEntries(methods.map((method) => [method, { method, path }]))

/** The contract's paths, which have no client or version (reference, section 9.1). */
const ALIASES: ReadonlyMap<string, Readonly<Partial<Record<ApiMethod, AliasTarget>>>> = new Map([
  ['/headless/signup/', mapMethods('auth/signup', ['POST'])],
  ['/headless/authentication/login/', mapMethods('auth/login', ['POST'])],
  ['/headless/authentication/logout/', { POST: { method: 'DELETE', path: 'auth/session' } }],
  ['/headless/users/me/', mapMethods('auth/session', ['GET'])],
  ['/headless/emails/', mapMethods('account/email', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])],
  ['/headless/password/set/', mapMethods('account/password/change', ['POST'])],
  ['/headless/password/change/', mapMethods('account/password/change', ['POST'])],
  ['/headless/password/reset/', mapMethods('auth/password/request', ['POST'])],
])

/** Returns whether a path is a contract path. */
const isAlias = (pathname: string): boolean => ALIASES.has(pathname)

/**
 * Resolves a contract path. Returns `null` if it's unknown, and the supported `methods` if the method isn't one of
 * them.
 */
export function findContractAlias(
  pathname: string,
  method: string,
): AliasTarget | { readonly methods: readonly string[] } | null {
  const alias = ALIASES.get(pathname)
  if (alias === undefined) return null
  const asked = method === 'HEAD' ? 'GET' : method
  const found = Object.entries(alias).find(([known]) => known === asked)
  return found?.[1] ?? { methods: Object.keys(alias) }
}
