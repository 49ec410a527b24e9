import { AuthError } from '../../errors.ts'

/** How the server is reached. */
export interface Reached {
  /** Public origin such as `https://id.example.org`, when it is configured. */
  readonly origin: string | null
  /** With `*` every host is answered: as the origin, when there is one. */
  readonly allowedHosts: readonly string[]
  /** `https` forces it on every address that is built. */
  readonly protocol: 'http' | 'https'
}

/** Finds out the address of a request as its visitor sees it. @throws {AuthError} `host_unknown` (400) */
export type VisitorUrls = (request: Request) => URL

/** Origins that were found out before are remembered: most requests come by the same one. */
const REMEMBERED_MAX = 100

/**
 * The address that the visitor sees, from which mail links and redirects are built: so its host is one of the
 * configured ones. Until the site has an https origin, a loopback host is known too.
 */
export function visitorUrls(reached: Reached): VisitorUrls {
  const known = new Map<string, string>()
  return ({ url, headers }) => {
    const start = pathStart(url)
    const scheme = url.slice(0, url.indexOf('//'))
    const host = headers.get('host') ?? url.slice(scheme.length + 2, start)
    const asked = `${scheme} ${host}`
    const origin = known.get(asked) ?? resolveOrigin(scheme, host, reached)
    if (known.size < REMEMBERED_MAX) known.set(asked, origin)
    const end = url.indexOf('#', start)
    return new URL(`${origin}${end === -1 ? url.slice(start) : url.slice(start, end)}`)
  }
}

/** Path of an absolute URL, without making an object of it. */
export function parsePathname(url: string): string {
  const start = pathStart(url)
  const end = url.slice(start).search(/[?#]/)
  return end === -1 ? url.slice(start) : url.slice(start, start + end)
}

const pathStart = (url: string): number => {
  const start = url.indexOf('/', url.indexOf('//') + 2)
  return start === -1 ? url.length : start
}

/** @param protocol With its colon. */
function resolveOrigin(protocol: string, host: string, reached: Reached): string {
  if (!URL.canParse(`http://${host}/`) || /[/?#@\s\\]/.test(host)) throw new AuthError('host_unknown')
  const { origin } = reached
  const canonical = origin === null ? null : new URL(origin)
  if (canonical !== null && sameHost(host, canonical)) return canonical.origin
  const visited = new URL(`${protocol}//${host}`)
  const isOpen = canonical?.protocol !== 'https:'
  if (!(isOpen && isLoopback(visited.hostname)) && !isAllowedHost(visited.host, reached)) {
    if (!reached.allowedHosts.includes('*')) throw new AuthError('host_unknown')
    // A host that any client can forge must not end up in links.
    if (canonical !== null) return canonical.origin
  }
  return `${reached.protocol === 'https' ? 'https:' : protocol}//${visited.host}`
}

const sameHost = (host: string, canonical: URL): boolean =>
  new URL(`${canonical.protocol}//${host}`).host === canonical.host

const isLoopback = (name: string): boolean =>
  name === 'localhost' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name) || name.endsWith('.localhost')

/** What decides where a visitor may be sent. */
interface SafeHosts {
  readonly allowedHosts: readonly string[]
  readonly csrfTrustedOrigins: readonly string[]
}

/** Characters. Longer addresses are cut or refused on the way, and sessions keep them. */
const MAX_LENGTH = 8_000

/**
 * Returns whether a visitor at `here` may be redirected to `target` (8.1 of the reference): a relative path, or
 * http(s) on this host, an allowed host or a trusted origin; never from https to http. Rejects backslashes and control
 * characters, which browsers rewrite or skip.
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

/** `host` without a port: an entry of `allowedHosts`, or below one with a leading dot. `*` allows nothing. */
function isAllowedHost(host: string, { allowedHosts }: Pick<SafeHosts, 'allowedHosts'>): boolean {
  const name = host.toLowerCase()
  return allowedHosts.some((entry) => {
    const allowed = entry.toLowerCase()
    if (allowed === '*' || allowed === '') return false
    return allowed.startsWith('.') ? name === allowed.slice(1) || name.endsWith(allowed) : name === allowed
  })
}
