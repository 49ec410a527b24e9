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

/** The first that fits: browsers name those they descend from as well. */
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

/** Where the client's address comes from. */
export interface ClientAddressSettings {
  /** Own proxies that append to `X-Forwarded-For`; 0 ignores the header. */
  readonly trustedProxyCount: number
  /** The only source of the address when set, e.g. `CF-Connecting-IP`. */
  readonly trustedClientIpHeader: string | null
}

/**
 * Returns the client's IP address without port, brackets and zone: IPv4 dotted (also when mapped into IPv6), IPv6 as
 * in RFC 5952. `null` if unknown: the header is missing or invalid, or lists fewer forwarders than there are trusted
 * proxies, which means the request bypassed them.
 * @param remoteAddress Of the socket; `null` without one.
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

/** What an address is counted by: itself, or the /64 of IPv6, which is one customer's. `null`: not an address. */
export function toRateLimitKey(ip: string): string | null {
  const address = plainAddress(ip)
  if (address === null || isIP(address) === 4) return address
  const [a = 0, b = 0, c = 0, d = 0] = parseIpv6Groups(address)
  return `${[a, b, c, d].map((group) => group.toString(16)).join(':')}::/64`
}

/** `192.0.2.1:80`, `[2001:db8::1]:80`, `[2001:db8::1]`, `fe80::1%eth0` and the plain forms. */
const BRACKETED = /^\[([^\]]*)\](?::\d{1,5})?$/
const WITH_PORT = /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/
/** Longer than any address with zone, brackets and port. */
const MAX_LENGTH = 128

/** Returns the canonical form of an address without port, brackets and zone, or `null` if it is invalid. */
export function plainAddress(text: string): string | null {
  if (text.length > MAX_LENGTH) return null
  const trimmed = text.trim()
  const bare = BRACKETED.exec(trimmed)?.[1] ?? WITH_PORT.exec(trimmed)?.[1] ?? trimmed
  const address = bare.split('%', 1)[0] ?? ''
  const version = isIP(address)
  if (version === 4) return address
  return version === 6 ? plainForm(address) : null
}

/** The URL parser writes IPv6 as RFC 5952 does, without the dotted end. */
function plainForm(ipv6: string): string {
  const canonical = new URL(`http://[${ipv6}]/`).hostname.slice(1, -1)
  const groups = parseIpv6Groups(canonical)
  const [high = 0, low = 0] = groups.slice(6)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  return isMapped ? [high >> 8, high & 255, low >> 8, low & 255].join('.') : canonical
}

/** The eight groups of a canonical address. */
function parseIpv6Groups(canonical: string): readonly number[] {
  const [head = '', tail = ''] = canonical.split('::', 2)
  const numbers = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))
  const [left, right] = [numbers(head), numbers(tail)]
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right]
}
