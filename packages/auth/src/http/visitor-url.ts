import { AuthError } from '../errors.ts'
import { isAllowedHost } from './safe-url.ts'

/** How the server is reached. */
export interface Reached {
  /** Public origin such as `https://id.example.org`, when it is configured. */
  readonly origin: string | null
  /** With `*` every host is answered: as the origin, when there is one. */
  readonly allowedHosts: readonly string[]
  /** `https` forces it on every address that is built. */
  readonly protocol: 'http' | 'https'
}

/**
 * The address that the visitor sees, from which mail links and redirects are built: so its host is one of the
 * configured ones. Until the site has an https origin, a loopback host is known too.
 * @throws {AuthError} `host_unknown` (400)
 */
export function visitorUrl(request: Request, reached: Reached): URL {
  const url = new URL(request.url)
  const given = request.headers.get('host')
  const host = given ?? url.host
  if (!URL.canParse(`http://${host}/`) || /[/?#@\s\\]/.test(host)) throw new AuthError('host_unknown')
  const { origin } = reached
  const canonical = origin === null ? null : new URL(origin)
  if (canonical !== null && sameHost(host, canonical)) return at(url, canonical.protocol, canonical.host)
  const visited = new URL(`${url.protocol}//${host}`)
  const isOpen = canonical?.protocol !== 'https:'
  if (!(isOpen && isLoopback(visited.hostname)) && !isAllowedHost(visited.host, reached)) {
    if (!reached.allowedHosts.includes('*')) throw new AuthError('host_unknown')
    // A host that anybody can make up is none to build links with.
    if (canonical !== null) return at(url, canonical.protocol, canonical.host)
  }
  return at(url, reached.protocol === 'https' ? 'https:' : url.protocol, visited.host)
}

const sameHost = (host: string, canonical: URL): boolean =>
  new URL(`${canonical.protocol}//${host}`).host === canonical.host

const isLoopback = (name: string): boolean =>
  name === 'localhost' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name) || name.endsWith('.localhost')

function at(url: URL, protocol: string, host: string): URL {
  return new URL(`${protocol}//${host}${url.pathname}${url.search}`)
}
