import { isIP } from 'node:net'
import type { Translate } from '../templates/translations.ts'

/** Returns the credential of the `Authorization` header, or `null` if the scheme differs. @see RFC 9110 section 11.4 */
export function readCredential({ headers }: WithHeaders, scheme: string): string | null {
  const [, given = '', credential = ''] = /^([\w-]+) +(\S+) *$/.exec(headers.get('authorization') ?? '') ?? []
  return given.toLowerCase() === scheme.toLowerCase() && credential !== '' ? credential : null
}

/** The part of a request that identifies the caller. */
export interface WithHeaders {
  readonly headers: { get(name: string): string | null }
}

/** The first match wins, because browsers also name the browsers they derive from. */
const BROWSERS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Edge', /\bEdgA?(?:iOS)?\//],
  ['Opera', /\bOPR\/|\bOpera\b/],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Vivaldi', /\bVivaldi\//],
  ['Yandex', /\bYaBrowser\//],
  ['Firefox', /\bFirefox\/|\bFxiOS\//],
  ['Chrome', /\bChrome\/|\bCriOS\/|\bChromium\//],
  ['Safari', /\bVersion\/[\d.]+.*\bSafari\//],
  ['curl', /^curl\//],
]
const SYSTEMS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Windows', /\bWindows\b/],
  ['Mac', /\bMac(?:intosh| ?OS)/],
  ['Linux', /\bLinux\b/],
]

const matchName = (table: typeof BROWSERS, text: string): string | null =>
  table.find(([, pattern]) => pattern.test(text))?.[0] ?? null

/** Returns a readable device name for a `User-Agent`, or the header itself if it is unknown. */
export function deviceName(userAgent: string, t: Translate): string {
  const [browser, system] = [matchName(BROWSERS, userAgent), matchName(SYSTEMS, userAgent)]
  if (browser !== null && system !== null) return t('{browser} on {system}', { browser, system })
  return browser ?? system ?? (userAgent === '' || userAgent === 'Unspecified' ? t('Unknown device') : userAgent)
}

/** The settings that determine where the client's address comes from. */
export interface ClientAddressSettings {
  /** How many of your own proxies append to `X-Forwarded-For`; 0 ignores the header. */
  readonly trustedProxyCount: number
  /** If set, the only source of the address, e.g. `CF-Connecting-IP`. */
  readonly trustedClientIpHeader: string | null
}

/**
 * Returns the client's IP address without port, brackets, and zone: IPv4 in dotted form (also if mapped into IPv6),
 * IPv6 as in RFC 5952. `null` if the address is missing or invalid, or if `X-Forwarded-For` has fewer entries than
 * there are trusted proxies, which means the request bypassed them.
 * @param remoteAddress The socket's remote address, or `null`.
 */
export function clientAddress(
  request: Request,
  remoteAddress: string | null,
  settings: ClientAddressSettings,
): string | null {
  const { trustedClientIpHeader: header, trustedProxyCount: count } = settings
  if (header !== null) return plainAddress(request.headers.get(header) ?? '')
  const forwarded = count > 0 ? request.headers.get('x-forwarded-for') : null
  if (forwarded !== null) return plainAddress(forwarded.split(',').at(-count) ?? '')
  return plainAddress(remoteAddress ?? '')
}

/**
 * Returns the key under which an address is rate limited: an IPv4 address, or the /64 of an IPv6 address, which one
 * customer has. `null` if it's not an IP address.
 */
export function toRateLimitKey(ip: string): string | null {
  const address = plainAddress(ip)
  if (address === null || isIP(address) === 4) return address
  const [a = 0, b = 0, c = 0, d = 0] = parseIpv6Groups(address)
  return `${[a, b, c, d].map((group) => group.toString(16)).join(':')}::/64`
}

/** `[2001:db8::1]` and `[2001:db8::1]:80`. */
const BRACKETED = /^\[([^\]]*)\](?::\d{1,5})?$/
const WITH_PORT = /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/
/** Longer than any address with zone, brackets, and port. */
const MAX_LENGTH = 128

/** Returns an address in canonical form, without port, brackets, and zone, or `null` if it's invalid. */
export function plainAddress(text: string): string | null {
  if (text.length > MAX_LENGTH) return null
  const trimmed = text.trim()
  const bare = BRACKETED.exec(trimmed)?.[1] ?? WITH_PORT.exec(trimmed)?.[1] ?? trimmed
  const address = bare.split('%', 1)[0] ?? ''
  const version = isIP(address)
  if (version === 4) return address
  return version === 6 ? plainForm(address) : null
}

/** The URL parser formats IPv6 as in RFC 5952, but never with a dotted IPv4 suffix. */
function plainForm(ipv6: string): string {
  const canonical = new URL(`http://[${ipv6}]/`).hostname.slice(1, -1)
  const groups = parseIpv6Groups(canonical)
  const [high = 0, low = 0] = groups.slice(6)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  return isMapped ? [high >> 8, high & 255, low >> 8, low & 255].join('.') : canonical
}

/** Parses the eight groups of a canonical IPv6 address. */
function parseIpv6Groups(canonical: string): readonly number[] {
  const [head = '', tail = ''] = canonical.split('::', 2)
  const numbers = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))
  const [left, right] = [numbers(head), numbers(tail)]
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right]
}
