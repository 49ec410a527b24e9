import type { AuthSettings } from '../kernel/settings/settings.ts'
import { aliasOf, isAlias } from './aliases.ts'
import type { ApiClient } from '../kernel/operations/operation.ts'

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
