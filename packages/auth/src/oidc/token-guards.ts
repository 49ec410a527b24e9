import { AuthError } from '../errors.ts'
import { readCredential } from '../kernel/http/request-headers.ts'
import { jsonResponse } from '../kernel/http/responses.ts'
import type { VisitorUrls } from '../kernel/http/visitor-url.ts'
import type { CheckedToken, OidcTokens } from './clients.ts'

/** The result of a guard: the token, or the response to send instead. */
export type GuardedToken =
  | { readonly ok: true; readonly token: CheckedToken }
  | { readonly ok: false; readonly response: Response }

/** Options for guarding an API with access tokens. */
export interface TokenGuardOptions extends AudienceOptions {
  /** The realm in challenges. Default: the request's host. */
  readonly realm?: string
}

/** Guards for the host's own APIs, which are called with access tokens of our OpenID Connect provider. */
export interface TokenGuards {
  /**
   * Returns the access token in the `Authorization` header with its client and user, if it's valid for this API and has
   * the scopes. Otherwise returns a 401 or 403 response with a challenge, in JSON.
   * @see RFC 6750 section 3
   */
  requireToken(request: Request, scope: TokenScope, options?: TokenGuardOptions): Promise<GuardedToken>
  /**
   * Returns the response for `/.well-known/oauth-protected-resource`, followed by the API's path. It tells clients
   * where to request tokens. @see RFC 9728 section 3
   */
  protectedResourceMetadata(request: Request, resource: ProtectedResource): Response
}

/** The parts of the provider that guards use. */
interface GuardedProvider {
  readonly tokens: OidcTokens
  issuer(url: URL): string
}

/** Creates the guards. @param locate Returns the URL as the caller sees it. */
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

/** Returns the request's URL, or an error response if the host is unknown. */
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
  invalid_token: { status: 401, text: 'The access token is invalid or has expired.' },
  insufficient_scope: { status: 403, text: "The access token doesn't have the required scope." },
}

interface RefusedRequest {
  readonly url: URL
  readonly needed: readonly string[]
  readonly options: TokenGuardOptions
}

/**
 * Builds the refusal. If there's no token, the challenge contains no error.
 * @see RFC 6750 section 3.1, RFC 9728 section 5.1
 */
function rejectToken(code: Refusal, { url, needed, options }: RefusedRequest): GuardedToken {
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

/** Escapes text for a quoted string. @see RFC 9110 section 5.6.4 */
const quoteChallengeText = (text: string): string => text.replaceAll(/[^ -~]/g, '?').replaceAll(/["\\]/g, '\\$&')

/** One scope, several scopes that are all required, or several such groups, of which one suffices. */
type ScopeGroups = string | readonly string[] | readonly (readonly string[])[]

/** Required scopes: always the same, or by HTTP method; a method that isn't listed is forbidden. */
export type TokenScope = ScopeGroups | ScopesByMethod

/** Scopes by upper-case method. HEAD is treated as GET unless it's listed. */
interface ScopesByMethod {
  readonly [method: string]: ScopeGroups
}

const isByMethod = (scope: TokenScope): scope is ScopesByMethod => typeof scope === 'object' && !Array.isArray(scope)
const isGroups = (scope: readonly string[] | readonly (readonly string[])[]): scope is readonly (readonly string[])[] =>
  scope.length > 0 && typeof scope[0] !== 'string'

/** Returns the groups of scopes for a method, or `null` if the method is forbidden. */
function listScopeGroups(scope: TokenScope, method: string): readonly (readonly string[])[] | null {
  if (typeof scope === 'string') return [[scope]]
  if (!isByMethod(scope)) return isGroups(scope) ? scope : [scope]
  const name = method === 'HEAD' && !Object.hasOwn(scope, 'HEAD') ? 'GET' : method
  const own = Object.hasOwn(scope, name) ? scope[name] : undefined
  return own === undefined ? null : listScopeGroups(own, method)
}

/** Returns whether a token with the granted scopes can be used with this method. */
export function allowsScope(scope: TokenScope, method: string, granted: readonly string[]): boolean {
  return listScopeGroups(scope, method)?.some((group) => group.every((each) => granted.includes(each))) === true
}

/** Returns the scopes to name in a challenge: the first group that suffices. */
export const neededScopes = (scope: TokenScope, method: string): readonly string[] =>
  listScopeGroups(scope, method)?.[0] ?? []

/** The audience that an API requires of tokens. */
export interface AudienceOptions {
  /**
   * The API's resource in tokens (RFC 8707), an absolute URL. If unset, the request URL must be at or below the token's
   * audience.
   */
  readonly resource?: string
  /** Also rejects tokens without an audience. */
  readonly audienceRequired?: boolean
}

/** An API that accepts our access tokens. */
export interface ProtectedResource {
  /** The API's resource as clients name it (RFC 8707), an absolute URL. */
  readonly resource: string
  readonly name?: string
  /** The scopes that the API uses. */
  readonly scopes?: readonly string[]
  /** URL of the documentation for developers. */
  readonly documentation?: string
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/**
 * Returns the metadata URL of a resource, whose path and query follow the well-known path.
 * @see RFC 9728 section 3.1
 */
export function metadataUrl(resource: string): string {
  const { origin, pathname, search } = new URL(resource)
  return `${origin}${WELL_KNOWN}${pathname === '/' ? '' : pathname}${search}`
}

/** Returns the metadata response. Scripts of any origin may read it. @see RFC 9728 section 3.2 */
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
 * Returns whether a token for `audience` is valid for the request. If the guard has no `resource`, the request URL must
 * be at or below the audience. @see RFC 8707 section 2
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
