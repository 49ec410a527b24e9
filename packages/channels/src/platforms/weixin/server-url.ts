import { BlockList, isIP } from 'node:net'

/** Addresses of this machine, of local networks and of nobody. @see IANA special-purpose address registries */
const NOT_PUBLIC = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  NOT_PUBLIC.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  NOT_PUBLIC.addSubnet(network, bits, 'ipv6')

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/
/** Names that only mean something inside of a network. */
const LOCAL_NAME = /^[^.]+\.?$|\.(?:localhost|local|internal|lan|home\.arpa)\.?$/

/**
 * A URL that the platform named, without a trailing slash; `null` when nothing may be sent there: not https, or not a
 * public host. A configured host on this machine (an emulator) may name others on this machine.
 * @param configured The host that was configured for the purpose; it may name itself.
 */
export function checkedUrl(given: string, configured: string): string | null {
  if (given.length > 8_192 || !URL.canParse(given)) return null
  const url = new URL(given)
  if ((url.protocol !== 'https:' && url.protocol !== 'http:') || url.username !== '' || url.password !== '') return null
  const own = new URL(configured)
  const isTrusted = url.origin === own.origin || LOOPBACK.test(own.hostname)
  if (!isTrusted && (url.protocol !== 'https:' || !isPublic(url.hostname))) return null
  return given.replace(/\/+$/, '')
}

/** The base URL of a host that the platform named, `host` or `host:port`; `null` as for `checkedUrl`. */
export function checkedHost(host: string, configured: string): string | null {
  if (!/^[\w.-]{1,253}(?::\d{1,5})?$/.test(host)) return null
  const scheme = LOOPBACK.test(new URL(configured).hostname) ? new URL(configured).protocol : 'https:'
  return checkedUrl(`${scheme}//${host}`, configured)
}

function isPublic(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '')
  const version = isIP(address)
  if (version === 0) return !LOCAL_NAME.test(hostname)
  return !NOT_PUBLIC.check(address, version === 6 ? 'ipv6' : 'ipv4')
}
