import { AuthError } from '../errors.ts'
import { readCredential } from '../kernel/http/request-headers.ts'
import { jsonResponse } from '../kernel/http/responses.ts'
import type { VisitorUrls } from '../kernel/http/visitor-url.ts'
import type { CheckedToken, OidcTokens } from './clients.ts'

/** What a guard lets through, or the answer to give instead. */
export type GuardedToken =
  | { readonly ok: true; readonly token: CheckedToken }
  | { readonly ok: false; readonly response: Response }

/** How an API of the host's own takes access tokens. */
export interface TokenGuardOptions extends AudienceOptions {
  /** In challenges; default: the host. */
  readonly realm?: string
}

/** Who may call an API of the host's own with an access token of our OpenID Connect provider. */
export interface TokenGuards {
  /**
   * The token of the `Authorization` header, with its client and its user: one that is live, of an active user or of a
   * client alone, for this API and with these scopes. Others get 401 or 403 with a challenge, in JSON.
   * @see RFC 6750 section 3
   */
  requireToken(request: Request, scope: TokenScope, options?: TokenGuardOptions): Promise<GuardedToken>
  /**
   * What a host answers at `/.well-known/oauth-protected-resource` with the path of the API behind it, so that programs
   * find out by themselves where to ask for tokens. @see RFC 9728 section 3
   */
  protectedResourceMetadata(request: Request, resource: ProtectedResource): Response
}

/** What guards use of the provider. */
interface GuardedProvider {
  readonly tokens: OidcTokens
  issuer(url: URL): string
}

/** @param locate Finds the address that the caller sees. */
export const createTokenGuards = (oidc: GuardedProvider, locate: VisitorUrls): TokenGuards => ({
  async requireToken(request, scope, options = {}) {
    const url = locateRequest(locate, request)
    if (url instanceof Response) return { ok: false, response: url }
    const needed = neededScopes(scope, request.method)
    const refuse = (refusal: Refusal): GuardedToken => rejectToken(refusal, { url, needed, options })
    const credential = readCredential(request, 'Bearer')
    if (credential === null) return refuse('token_missing')
    const token = await oidc.tokens.check(credential)
    if (token === null || !isForResource(token.audience, url, options)) return refuse('invalid_token')
    return allowsScope(scope, request.method, token.scopes) ? { ok: true, token } : refuse('insufficient_scope')
  },
  protectedResourceMetadata(request, resource) {
    const url = locateRequest(locate, request)
    return url instanceof Response ? url : resourceMetadata(oidc.issuer(url), resource)
  },
})

/** Where the request goes to, or the answer to who names a host that is not ours. */
function locateRequest(locate: VisitorUrls, request: Request): URL | Response {
  try {
    return locate(request)
  } catch (error) {
    if (!(error instanceof AuthError) || error.status >= 500) throw error
    return jsonResponse({ code: error.code, message: error.message }, error.status)
  }
}

type Refusal = 'token_missing' | 'invalid_token' | 'insufficient_scope'

const REFUSALS: Readonly<Record<Refusal, { readonly status: 401 | 403; readonly text: string }>> = {
  token_missing: { status: 401, text: 'Send an access token: Authorization: Bearer …' },
  invalid_token: { status: 401, text: 'The access token is not valid, or no longer.' },
  insufficient_scope: { status: 403, text: 'The access token does not allow this.' },
}

interface Asked {
  readonly url: URL
  readonly needed: readonly string[]
  readonly options: TokenGuardOptions
}

/** Without a token the challenge names no error. @see RFC 6750 section 3.1, RFC 9728 section 5.1 */
function rejectToken(code: Refusal, { url, needed, options }: Asked): GuardedToken {
  const { status, text } = REFUSALS[code]
  const members = [
    ['realm', options.realm ?? url.host],
    ...(code === 'token_missing' ? [] : [['error', code]]),
    ...(needed.length === 0 ? [] : [['scope', needed.join(' ')]]),
    ...(options.resource === undefined ? [] : [['resource_metadata', metadataUrl(options.resource)]]),
  ]
  const response = jsonResponse({ code, message: text }, status)
  const challenge = members.map(([name, value]) => `${name}="${quoteChallengeText(String(value))}"`).join(', ')
  response.headers.set('www-authenticate', `Bearer ${challenge}`)
  response.headers.set('cache-control', 'no-store')
  return { ok: false, response }
}

/** @see RFC 9110 section 5.6.4 */
const quoteChallengeText = (text: string): string => text.replaceAll(/[^ -~]/g, '?').replaceAll(/["\\]/g, '\\$&')

/** One scope, several that are all needed, or several such groups of which one is enough. */
type ScopeGroups = string | readonly string[] | readonly (readonly string[])[]

/** Required scopes: always the same, or by HTTP method; a method that isn't listed is forbidden. */
export type TokenScope = ScopeGroups | ScopesByMethod

/** By method in capitals; HEAD is as GET unless it stands here. */
interface ScopesByMethod {
  readonly [method: string]: ScopeGroups
}

const isByMethod = (scope: TokenScope): scope is ScopesByMethod => typeof scope === 'object' && !Array.isArray(scope)
const isGroups = (scope: readonly string[] | readonly (readonly string[])[]): scope is readonly (readonly string[])[] =>
  scope.length > 0 && typeof scope[0] !== 'string'

/** `null`: nobody may. */
function listScopeGroups(scope: TokenScope, method: string): readonly (readonly string[])[] | null {
  if (typeof scope === 'string') return [[scope]]
  if (!isByMethod(scope)) return isGroups(scope) ? scope : [scope]
  const name = method === 'HEAD' && !Object.hasOwn(scope, 'HEAD') ? 'GET' : method
  const own = Object.hasOwn(scope, name) ? scope[name] : undefined
  return own === undefined ? null : listScopeGroups(own, method)
}

/** Whether a token with these scopes may be used for a request of this method. */
export function allowsScope(scope: TokenScope, method: string, granted: readonly string[]): boolean {
  return listScopeGroups(scope, method)?.some((group) => group.every((each) => granted.includes(each))) === true
}

/** What a challenge names: the first group that would be enough. */
export const neededScopes = (scope: TokenScope, method: string): readonly string[] =>
  listScopeGroups(scope, method)?.[0] ?? []

/** What tokens an API takes by the resource that they name. */
export interface AudienceOptions {
  /**
   * The API, as tokens name it (RFC 8707): an absolute URL. Unset: the request URL must lie at or below the token's
   * audience.
   */
  readonly resource?: string
  /** A token that names no resource is refused as well. */
  readonly audienceRequired?: boolean
}

/** An API that takes our access tokens. */
export interface ProtectedResource {
  /** Absolute URL, as clients name it (RFC 8707). */
  readonly resource: string
  readonly name?: string
  /** Every scope that it knows. */
  readonly scopes?: readonly string[]
  /** Page for people who write clients. */
  readonly documentation?: string
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** Path and query of the resource stand behind the well-known part. @see RFC 9728 section 3.1 */
export function metadataUrl(resource: string): string {
  const { origin, pathname, search } = new URL(resource)
  return `${origin}${WELL_KNOWN}${pathname === '/' ? '' : pathname}${search}`
}

/** Open to scripts of every site: it is the same for all. @see RFC 9728 section 3.2 */
export function resourceMetadata(
  issuer: string,
  { resource, name, scopes, documentation }: ProtectedResource,
): Response {
  const document = {
    resource,
    authorization_servers: [issuer],
    bearer_methods_supported: ['header'],
    ...(scopes === undefined ? {} : { scopes_supported: scopes }),
    ...(name === undefined ? {} : { resource_name: name }),
    ...(documentation === undefined ? {} : { resource_documentation: documentation }),
  }
  const response = jsonResponse(document, 200)
  response.headers.set('access-control-allow-origin', '*')
  response.headers.set('cache-control', 'public, max-age=3600')
  return response
}

/**
 * Returns whether a token for `audience` is valid for the request. Without a resource of the guard's own, the request
 * URL must lie at or below that address. @see RFC 8707 section 2
 */
export function isForResource(
  audience: string | null,
  asked: URL,
  { resource, audienceRequired }: AudienceOptions,
): boolean {
  if (audience === null) return audienceRequired !== true
  if (!URL.canParse(audience)) return false
  const named = new URL(audience)
  if (resource !== undefined) return named.href === new URL(resource).href
  const below = named.pathname.endsWith('/') ? named.pathname : `${named.pathname}/`
  return named.origin === asked.origin && (asked.pathname === named.pathname || asked.pathname.startsWith(below))
}
