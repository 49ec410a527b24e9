import { isPublicAddress } from '@gatepost/sql'
import { isIP } from 'node:net'
import { z } from 'zod'

/** Names that resolve only inside a network. */
const LOCAL_NAME = /^[^.]+\.?$|\.(?:localhost|local|internal|lan|home\.arpa)\.?$/
const MAX_CHARACTERS = 8_192

/** The configured host of a platform, and the domains that its URLs must belong to when it is the vendor's own. */
interface Trusted {
  readonly configured: string
  /** E.g. `discord.com`. */
  readonly domains?: readonly string[]
}

/**
 * Parses a URL from a platform, or returns `null` when it must not be used. It has to be encrypted and point to a public
 * host; for the vendor's own host, to one of the vendor's domains. The configured host may also name itself as it is
 * configured, and a configured host on this machine (an emulator) any other port of this machine.
 * @param kind `web`: http(s). `socket`: ws(s).
 */
export function parseTrustedUrl(
  given: unknown,
  kind: 'web' | 'socket',
  { configured, domains = [] }: Trusted,
): URL | null {
  if (typeof given !== 'string' || given.length > MAX_CHARACTERS || !URL.canParse(given)) return null
  const url = new URL(given)
  const [encrypted, plain] = kind === 'web' ? ['https:', 'http:'] : ['wss:', 'ws:']
  if (url.protocol !== encrypted && url.protocol !== plain) return null
  if (url.username !== '' || url.password !== '' || (kind === 'socket' && url.hash !== '')) return null
  const own = new URL(configured)
  if (isLoopback(own.hostname) && isLoopback(url.hostname)) return url
  const ownIsPlain = own.protocol === 'http:' || own.protocol === 'ws:'
  if (url.protocol !== encrypted && !(ownIsPlain && url.host === own.host)) return null
  if (url.host === own.host) return url
  const isVendors = domains.some((domain) => liesBelow(own.hostname, domain))
  if (isVendors && !domains.some((domain) => liesBelow(url.hostname, domain))) return null
  return isPublic(url.hostname) ? url : null
}

const liesBelow = (hostname: string, domain: string): boolean => hostname === domain || hostname.endsWith(`.${domain}`)

/**
 * Returns a bot's own server; `null` if it is one that the operator chose: the vendor's, the configured one, or with a
 * configured one on this machine (an emulator) any other of this machine.
 * @param given Base URL in the credentials; `undefined`: none.
 */
export function findCustomServer(given: string | undefined, { configured, domains = [] }: Trusted): URL | null {
  if (given === undefined) return null
  const [url, own] = [new URL(given), new URL(configured)]
  if (url.origin === own.origin || (isLoopback(own.hostname) && isLoopback(url.hostname))) return null
  const isVendors = url.protocol === 'https:' && url.port === '' && domains.some((one) => liesBelow(url.hostname, one))
  return isVendors ? null : url
}

/** Returns whether a configured URL points to this machine. */
export const isOnThisMachine = (configured: string): boolean =>
  URL.canParse(configured) && isLoopback(new URL(configured).hostname)

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  hostname === '[::1]' ||
  (isIP(hostname) === 4 && hostname.startsWith('127.'))

function isPublic(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '')
  return isIP(address) === 0 ? !LOCAL_NAME.test(hostname) : isPublicAddress(address)
}

/**
 * Creates the schema of a custom server's base URL; a trailing slash is removed.
 * @param name Name of the field, for error messages.
 * @param examples End of the error message.
 */
export const baseUrl = (name = 'base_url', examples = '') =>
  z
    .string({ error: `${name} must be a URL.` })
    .trim()
    .max(2_000)
    .transform((value) => value.replace(/\/+$/, ''))
    .refine(isPlainHttpUrl, {
      error: `${name} must be an http or https URL without a username, query, or fragment${examples}.`,
    })

function isPlainHttpUrl(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '' && !/[?#\s]/.test(value)
}
