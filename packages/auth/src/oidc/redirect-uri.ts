import type { OidcClient } from './clients.ts'

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]'])

/**
 * Returns whether a redirect URI is registered. It must match exactly, except for the port of a loopback address,
 * additional query parameters, and the wildcard of clients that can use one.
 * @see RFC 9700 section 4.1.3, RFC 8252 section 7.3
 */
export function isRegisteredUri(
  uri: string,
  registered: readonly string[],
  { allowUriWildcards }: Pick<OidcClient, 'allowUriWildcards'>,
): boolean {
  if (!isPlain(uri)) return false
  return registered.some((own) => own === uri || matches(uri, own, allowUriWildcards))
}

/**
 * Returns whether a URI has none of the parts that parsers treat differently: a fragment, backslash, wildcard, user
 * info, or an empty host.
 */
function isPlain(uri: string): boolean {
  if (!/^[!-~]+$/.test(uri) || /[#\\*]/.test(uri) || !URL.canParse(uri)) return false
  const { username, password, protocol, hostname } = new URL(uri)
  if (username !== '' || password !== '') return false
  return (protocol !== 'http:' && protocol !== 'https:') || hostname !== ''
}

interface Parts {
  readonly scheme: string
  readonly host: string
  readonly port: string
  readonly path: string
  readonly query: URLSearchParams
}

/** Splits a URI without normalizing it: `URL` would resolve `/../` before the paths are compared. */
const SPLIT = /^([a-z][a-z0-9+.-]*):\/\/(\[[0-9a-f:.]+\]|[^/?:@[\]]*)(?::(\d*))?(\/[^?]*)?(?:\?(.*))?$/i

function parseRedirectUri(uri: string): Parts | null {
  const [, scheme, host, port = '', path = '/', query = ''] = SPLIT.exec(uri) ?? []
  if (scheme === undefined || host === undefined) return null
  return { scheme: scheme.toLowerCase(), host: host.toLowerCase(), port, path, query: new URLSearchParams(query) }
}

function matches(uri: string, own: string, allowsWildcard: boolean): boolean {
  const [given, registered] = [parseRedirectUri(uri), parseRedirectUri(own)]
  if (given === null || registered === null) return false
  if (given.scheme !== registered.scheme || given.path !== registered.path) return false
  if (given.host !== registered.host && !(allowsWildcard && matchesWildcard(given.host, registered.host))) return false
  const isLoopback = given.scheme === 'http' && LOOPBACK.has(given.host)
  if (given.port !== registered.port && !isLoopback) return false
  // Don't allow parameters of the response: the client could mistake them for the response.
  if ([...given.query.keys()].some((name) => RESPONSE_PARAMETERS.has(name) && !registered.query.has(name))) return false
  return [...registered.query].every(([name, value]) => sameValue(given.query, registered.query, name, value))
}

const RESPONSE_PARAMETERS: ReadonlySet<string> = new Set([
  'code',
  'state',
  'iss',
  'error',
  'error_description',
  'error_uri',
  'access_token',
  'id_token',
  'token_type',
  'expires_in',
  'scope',
  'response',
  'session_state',
])

/** Returns whether a registered query parameter is present with this value, and as often as registered. */
function sameValue(given: URLSearchParams, registered: URLSearchParams, name: string, value: string): boolean {
  const [own, theirs] = [registered.getAll(name), given.getAll(name)]
  return theirs.includes(value) && theirs.length === own.length
}

/** Returns whether a host matches a pattern, whose single `*` matches part of a label and never a dot. */
function matchesWildcard(host: string, pattern: string): boolean {
  const [before = '', after, ...more] = pattern.split('*')
  if (after === undefined || more.length > 0 || host.length <= before.length + after.length) return false
  const middle = host.slice(before.length, host.length - after.length)
  return host.startsWith(before) && host.endsWith(after) && /^[a-z0-9-]+$/.test(middle)
}

/** Returns whether scripts of this origin may call the endpoints for a client. */
export const isRegisteredOrigin = (origin: string, client: OidcClient): boolean =>
  /^https?:\/\/[^/?#\\@*]+$/.test(origin) &&
  client.corsOrigins.some((own) => {
    if (own === origin) return true
    const [scheme, host] = own.split('://')
    return client.allowUriWildcards && host !== undefined && origin.startsWith(`${scheme}://`)
      ? matchesWildcard(origin.slice(own.length - host.length), host)
      : false
  })
