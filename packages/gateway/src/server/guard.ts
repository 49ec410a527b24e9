import { toHostname, isLoopback } from '../config/forms.ts'
import { toOrigin } from '../config/public-url.ts'
import { GatewayError } from './errors.ts'

/** How the server may be addressed. */
export interface Addresses {
  /** What it listens on. */
  readonly host: string
  /** Its public address, with the path that a proxy shows it at, or `null`. */
  readonly publicUrl: string | null
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses a request that was sent to a name which is not ours: a page of somebody else may have had its own host name
 * resolved to this machine.
 * @throws {GatewayError} `unknown_host`
 */
export function checkHost(request: Request, addresses: Addresses): void {
  const asked = [toHostname(request.url), toHostname(`http://${request.headers.get('host') ?? ''}`)]
  const own = [addresses.host, ...(addresses.publicUrl === null ? [] : [toHostname(addresses.publicUrl)])]
  if (!asked.every((name) => name !== null && (isLoopback(name) || own.includes(name)))) {
    throw new GatewayError('unknown_host')
  }
}

/**
 * Refuses a state-changing request that another site's page made. Clients that are no browser send no `Origin`.
 * @throws {GatewayError} `foreign_origin`
 */
export function checkOrigin(request: Request, addresses: Addresses): void {
  if (SAFE_METHODS.has(request.method)) return
  const origin = request.headers.get('origin')
  const site = request.headers.get('sec-fetch-site')
  const { publicUrl } = addresses
  const own = [`http://${request.headers.get('host') ?? ''}`, publicUrl === null ? null : toOrigin(publicUrl)]
  const foreign = origin === null ? site === 'cross-site' || site === 'same-site' : !own.includes(origin)
  if (foreign) throw new GatewayError('foreign_origin')
}

/** Headers of every answer; a page may bring its own `content-security-policy`. */
export function securityHeaders(addresses: Addresses): readonly (readonly [name: string, value: string])[] {
  return [
    ['content-security-policy', "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"],
    ['x-content-type-options', 'nosniff'],
    ['x-frame-options', 'DENY'],
    ['referrer-policy', 'no-referrer'],
    ['cross-origin-opener-policy', 'same-origin'],
    ['cross-origin-resource-policy', 'same-origin'],
    ['permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'],
    ['cache-control', 'no-store'],
    ...(addresses.publicUrl?.startsWith('https:') ? [['strict-transport-security', 'max-age=31536000'] as const] : []),
  ]
}
