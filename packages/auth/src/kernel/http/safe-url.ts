/** What decides where a visitor may be sent. */
export interface SafeHosts {
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
export function isAllowedHost(host: string, { allowedHosts }: Pick<SafeHosts, 'allowedHosts'>): boolean {
  const name = host.toLowerCase()
  return allowedHosts.some((entry) => {
    const allowed = entry.toLowerCase()
    if (allowed === '*' || allowed === '') return false
    return allowed.startsWith('.') ? name === allowed.slice(1) || name.endsWith(allowed) : name === allowed
  })
}
