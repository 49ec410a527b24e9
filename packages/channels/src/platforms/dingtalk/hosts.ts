import type { PlatformIo } from '../../platform.ts'

const API = 'https://api.dingtalk.com'
const OAPI = 'https://oapi.dingtalk.com'

/** Base URL of the new API, without a trailing slash. */
export const apiUrl = (io: Pick<PlatformIo, 'host'>): string => io.host('GATEPOST_DINGTALK_API_URL', API)

/** Base URL of the old API: uploads, session webhooks, registration. */
export const oapiUrl = (io: Pick<PlatformIo, 'host'>): string => io.host('GATEPOST_DINGTALK_OAPI_URL', OAPI)

type Purpose = 'socket' | 'webhook' | 'file' | 'page'

/**
 * A URL that the platform handed out, or `null` when it is not one that may be asked: only http(s) or ws(s), and unless
 * the configured host is this machine itself, encrypted and to no private address. With the vendor's own hosts, sockets,
 * webhooks and pages stay at the vendor; files lie at a storage service whose names vary.
 * @param base The configured host that the URL came from.
 */
export function checkedUrl(raw: unknown, purpose: Purpose, base: string): URL | null {
  if (typeof raw !== 'string' || raw.length > 8_000 || !URL.canParse(raw)) return null
  const url = new URL(raw)
  const [secure, open] = purpose === 'socket' ? ['wss:', 'ws:'] : ['https:', 'http:']
  if (url.username !== '' || url.password !== '') return null
  if (isLoopback(new URL(base).hostname)) return url.protocol === secure || url.protocol === open ? url : null
  if (url.protocol !== secure || isPrivate(url.hostname)) return null
  const isVendors = base === API || base === OAPI
  return isVendors && purpose !== 'file' && !url.hostname.endsWith('.dingtalk.com') ? null : url
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || host.startsWith('127.')

/** By its literal address; the URL parser has already made `0x7f.1` and the like into four numbers. */
function isPrivate(host: string): boolean {
  if (isLoopback(host) || !host.includes('.')) return true // a bare name, or an IPv6 address: none is ever handed out
  const octets = /^(\d+)\.(\d+)\.\d+\.\d+$/.exec(host)
  if (octets === null) return /\.(?:local|internal|home\.arpa)\.?$/.test(host)
  const [a, b] = [Number(octets[1]), Number(octets[2])]
  if (a === 0 || a === 10 || a === 127 || a >= 224) return true
  if (a === 100) return b >= 64 && b < 128
  if (a === 172) return b >= 16 && b < 32
  return (a === 169 && b === 254) || (a === 192 && b === 168)
}
