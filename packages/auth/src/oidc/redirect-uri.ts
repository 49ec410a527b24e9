import type { OidcClient } from './clients.ts'

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]'])

/**
 * Returns whether a redirect URI is registered. It must match character by character, except for the port of a loopback
 * address and the wildcard of clients that can use one.
 * @see RFC 9700 section 2.1, RFC 8252 section 7.3
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

/** Splits a URI into the parts before the host, the host, the port, and the rest, without normalizing anything. */
const SPLIT = /^([a-z][a-z0-9+.-]*:\/\/)(\[[0-9a-f:.]+\]|[^/?:@[\]]*)(?::(\d*))?([/?].*)?$/i

function matches(uri: string, own: string, allowsWildcard: boolean): boolean {
  const [, scheme, host = '', port, rest] = SPLIT.exec(uri) ?? []
  const [, ownScheme, ownHost = '', ownPort, ownRest] = SPLIT.exec(own) ?? []
  if (scheme === undefined || scheme !== ownScheme || rest !== ownRest) return false
  if (host !== ownHost && !(allowsWildcard && matchesWildcard(host, ownHost))) return false
  return port === ownPort || (scheme === 'http://' && LOOPBACK.has(host))
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
