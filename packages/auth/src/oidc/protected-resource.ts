import { jsonResponse } from '../kernel/http/json-response.ts'

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
