import { AuthError } from '../../errors.ts'

/** The settings about the server's public address. */
export interface Reached {
  /** The configured public origin, such as `https://id.example.org`, or `null`. */
  readonly origin: string | null
  /** With `*`, requests for any host are served, using the origin instead of the host if one is configured. */
  readonly allowedHosts: readonly string[]
  /** `https` makes all generated URLs use HTTPS. */
  readonly protocol: 'http' | 'https'
}

/** Returns the URL of a request as its visitor sees it. @throws {AuthError} `host_unknown` (400) */
export type VisitorUrls = (request: Request) => URL

/** How many origins are cached; most requests use the same one. */
const MAX_CACHED_ORIGINS = 100

/**
 * Creates the function that returns the URL as the visitor sees it. Links in mail and redirects are built from this
 * URL, so its host must be a configured one. Loopback hosts are accepted as long as no HTTPS origin is configured.
 */
export function visitorUrls(reached: Reached): VisitorUrls {
  const known = new Map<string, string>()
  return ({ url, headers }) => {
    const start = pathStart(url)
    const scheme = url.slice(0, url.indexOf('//'))
    const host = headers.get('host') ?? url.slice(scheme.length + 2, start)
    const key = `${scheme} ${host}`
    const origin = known.get(key) ?? resolveOrigin(scheme, host, reached)
    if (known.size < MAX_CACHED_ORIGINS) known.set(key, origin)
    const end = url.indexOf('#', start)
    return new URL(`${origin}${end === -1 ? url.slice(start) : url.slice(start, end)}`)
  }
}

/** Returns the path of an absolute URL without creating a `URL` object. */
export function parsePathname(url: string): string {
  const start = pathStart(url)
  const end = url.slice(start).search(/[?#]/)
  return end === -1 ? url.slice(start) : url.slice(start, start + end)
}

const pathStart = (url: string): number => {
  const start = url.indexOf('/', url.indexOf('//') + 2)
  return start === -1 ? url.length : start
}

/** @param protocol With the colon. */
function resolveOrigin(protocol: string, host: string, reached: Reached): string {
  if (!URL.canParse(`http://${host}/`) || /[/?#@\s\\]/.test(host)) throw new AuthError('host_unknown')
  const { origin } = reached
  const canonical = origin === null ? null : new URL(origin)
  if (canonical !== null && sameHost(host, canonical)) return canonical.origin
  const visited = new URL(`${protocol}//${host}`)
  const isOpen = canonical?.protocol !== 'https:'
  if (!(isOpen && isLoopback(visited.hostname)) && !isAllowedHost(visited.host, reached)) {
    if (!reached.allowedHosts.includes('*')) throw new AuthError('host_unknown')
    // Any client can forge the host, so it must not be used in links.
    if (canonical !== null) return canonical.origin
  }
  return `${reached.protocol === 'https' ? 'https:' : protocol}//${visited.host}`
}

const sameHost = (host: string, canonical: URL): boolean =>
  new URL(`${canonical.protocol}//${host}`).host === canonical.host

const isLoopback = (name: string): boolean =>
  name === 'localhost' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name) || name.endsWith('.localhost')

/** The settings that decide which redirect targets are safe. */
interface SafeHosts {
  readonly allowedHosts: readonly string[]
  readonly csrfTrustedOrigins: readonly string[]
}

/** In characters. Sessions store redirect targets, and longer URLs may be cut or rejected on the way. */
const MAX_LENGTH = 8_000

/**
 * Returns whether a visitor at `here` may be redirected to `target` (reference, section 8.1): a relative path, or an
 * HTTP(S) URL on this host, an allowed host, or the host of a trusted origin, but never from HTTPS to HTTP. Rejects
 * backslashes and control characters, which browsers rewrite or skip.
 */
export function isSafeUrl(target: string, here: URL, hosts: SafeHosts): boolean {
  if (target === '' || target.length > MAX_LENGTH || !target.isWellFormed()) return false
  if (target.trim() !== target || /[\\\p{Cc}]/u.test(target) || target.startsWith('///')) return false
  if (/^[a-z][a-z0-9+.-]*:(?!\/\/[^/])/i.test(target)) return false
  if (!URL.canParse(target, here)) return false
  const url = new URL(target, here)
  if (url.username !== '' || url.password !== '') return false
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return false
  const isAbsolute = /^([a-z][a-z0-9+.-]*:)?\/\//i.test(target)
  if (!isAbsolute) return url.host === here.host
  if (/^[a-z]/i.test(target) && here.protocol === 'https:' && url.protocol === 'http:') return false
  return (
    url.host === here.host ||
    hosts.csrfTrustedOrigins.some((origin) => isOriginHost(origin, url)) ||
    isAllowedHost(url.host, hosts)
  )
}

const isOriginHost = (origin: string, url: URL): boolean =>
  !origin.includes('*') && URL.canParse(origin) && new URL(origin).host === url.host

/**
 * Returns whether a host is an entry of `allowedHosts`, or matches one with a leading dot. `*` matches nothing here.
 */
function isAllowedHost(host: string, { allowedHosts }: Pick<SafeHosts, 'allowedHosts'>): boolean {
  const name = host.toLowerCase()
  return allowedHosts.some((entry) => {
    const allowed = entry.toLowerCase()
    if (allowed === '*' || allowed === '') return false
    return allowed.startsWith('.') ? name === allowed.slice(1) || name.endsWith(allowed) : name === allowed
  })
}
