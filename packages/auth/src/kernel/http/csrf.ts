import { timingSafeEqual } from 'node:crypto'
import { ALPHANUMERIC, randomText } from '../crypto/random.ts'
import { AuthError } from '../../errors.ts'
import type { RandomBytes } from '../io.ts'

/** The form field that carries the CSRF token. */
export const CSRF_FIELD = 'csrfmiddlewaretoken'
/** The header in which scripts send the CSRF token. */
export const CSRF_HEADER = 'x-csrftoken'
/** The cookie that holds the CSRF secret. */
export const CSRF_COOKIE = 'csrftoken'

const SECRET_LENGTH = 32

/** Generates the secret of a CSRF cookie. */
export const newCsrfSecret = (random: RandomBytes): string => randomText(random, ALPHANUMERIC, SECRET_LENGTH)

/** Returns the CSRF secret from the cookie, or `null` if it is malformed. */
export const parseCsrfSecret = (cookie: string | null): string | null =>
  cookie !== null && /^[A-Za-z0-9]{32}$/.test(cookie) ? cookie : null

/** Returns a token for the secret, masked differently each time to prevent compression attacks (BREACH). */
export function csrfToken(secret: string, random: RandomBytes): string {
  const mask = randomText(random, ALPHANUMERIC, SECRET_LENGTH)
  return mask + shiftCharacters(secret, mask, 1)
}

/** Returns whether `given` is the secret or one of its tokens. Compares in constant time. */
export function isCsrfToken(given: string, secret: string): boolean {
  if (!/^[A-Za-z0-9]+$/.test(given)) return false
  const plain =
    given.length === 2 * SECRET_LENGTH
      ? shiftCharacters(given.slice(SECRET_LENGTH), given.slice(0, SECRET_LENGTH), -1)
      : given
  return plain.length === secret.length && timingSafeEqual(Buffer.from(plain), Buffer.from(secret))
}

/**
 * Rejects a state-changing request that may come from another site, by `Origin` (RFC 6454), `Sec-Fetch-Site` and the
 * CSRF token.
 * @param own Origins of this site.
 * @throws {AuthError} `csrf_failed`
 */
export function checkCsrf(
  request: Request,
  check: { readonly own: readonly string[]; readonly secret: string | null; readonly given: string | null },
): void {
  checkOrigin(request, check.own)
  if (check.secret === null || check.given === null || !isCsrfToken(check.given, check.secret)) {
    throw new AuthError('csrf_failed')
  }
}

/**
 * Rejects a request that comes from another site. @param own Origins of this site.
 * @throws {AuthError} `csrf_failed`
 */
export function checkOrigin({ headers }: Request, own: readonly string[]): void {
  if (isCrossSite(headers.get('origin'), headers.get('sec-fetch-site'), own)) throw new AuthError('csrf_failed')
}

/**
 * Returns whether a request comes from another site. If the origin is missing (non-browser clients) or opaque,
 * `Sec-Fetch-Site` decides. The token alone isn't enough: a page on a sibling domain could have set the cookie and so
 * know the token.
 */
function isCrossSite(origin: string | null, site: string | null, own: readonly string[]): boolean {
  if (origin === null) return site === 'cross-site' || site === 'same-site'
  if (origin === 'null') return site !== 'same-origin'
  return !own.some((known) => isOrigin(known, origin))
}

/**
 * Returns whether an origin matches a known one. A known origin such as `https://*.example.org` matches every
 * subdomain.
 */
export function isOrigin(known: string, origin: string): boolean {
  if (!known.includes('*')) return known === origin
  const [scheme = '', domain = ''] = known.split('*', 2)
  return origin.startsWith(scheme) && origin.endsWith(domain) && origin.length >= known.length
}

function shiftCharacters(text: string, mask: string, sign: 1 | -1): string {
  return Array.from(text, (letter, index) => {
    const moved = ALPHANUMERIC.indexOf(letter) + sign * ALPHANUMERIC.indexOf(mask[index] ?? 'A')
    return ALPHANUMERIC[(moved + ALPHANUMERIC.length) % ALPHANUMERIC.length]
  }).join('')
}
