import { toHostname, isLoopback } from '../config/forms.ts'
import { toOrigin } from '../config/public-url.ts'
import { GatewayError } from './errors.ts'

/** Accepted addresses of the server. */
export interface Addresses {
  /** Host that it listens on. */
  readonly host: string
  /** Public URL with its path prefix, or `null`. */
  readonly publicUrl: string | null
  /** Whether browsers must use https for the public host's subdomains, too. */
  readonly hstsSubdomains?: boolean
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Rejects requests for unknown host names (DNS rebinding).
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
 * Rejects state-changing requests from other sites' pages. Clients other than browsers send no `Origin`.
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

/** Adds security headers. A page may have its own `content-security-policy`. */
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
    ...(addresses.publicUrl?.startsWith('https:')
      ? [
          [
            'strict-transport-security',
            `max-age=31536000${addresses.hstsSubdomains ? '; includeSubDomains' : ''}`,
          ] as const,
        ]
      : []),
  ]
}
