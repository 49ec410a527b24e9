import { HOST } from './host.ts'
import { flag, kind, nullable, orDefault, seconds, textLike } from './kind.ts'
import { setting } from './setting.ts'

/** Name of a cookie (RFC 6265 section 4.1.1: a token). */
export const cookieName = textLike('a cookie name', 'sessionid', /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 100)
/** Domain attribute of a cookie. */
export const cookieDomain = textLike('a host name', 'example.org', /^\.?[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/, 253)
/** Path attribute of a cookie. */
export const cookiePath = textLike('a path', '/', /^\/[^;\s]*$/, 200)

const SAME_SITE = ['Strict', 'Lax', 'None'] as const

/** SameSite attribute of a cookie, in upper or lower case. */
export const sameSite = kind<(typeof SAME_SITE)[number]>('one of Strict, Lax, None', 'Lax', (value) =>
  SAME_SITE.find((word) => typeof value === 'string' && word.toLowerCase() === value.toLowerCase()),
)

/** Cookies of the session and of the protection of forms. */
export const COOKIES = {
  sessionCookieName: setting({
    name: 'SESSION_COOKIE_NAME',
    kind: cookieName,
    fallback: 'sessionid',
    about: 'Name of the session cookie.',
  }),
  sessionCookieAge: setting({
    name: 'SESSION_COOKIE_AGE',
    kind: seconds(60),
    fallback: 1_209_600,
    about: 'Longest life of a session after login, in seconds, however much it is used.',
  }),
  sessionIdleAge: setting({
    name: 'SESSION_IDLE_AGE',
    kind: seconds(60),
    fallback: 604_800,
    about: 'Seconds without use after which a session ends.',
  }),
  sessionCookieDomain: setting({
    name: 'SESSION_COOKIE_DOMAIN',
    kind: nullable(cookieDomain),
    fallback: null,
    about: 'Domain of the session cookie; null: the host alone.',
  }),
  sessionCookiePath: setting({
    name: 'SESSION_COOKIE_PATH',
    kind: cookiePath,
    fallback: '/',
    about: 'Path of the session cookie, and of the CSRF cookie beside it.',
  }),
  sessionCookieHttponly: setting({
    name: 'SESSION_COOKIE_HTTPONLY',
    kind: flag,
    fallback: true,
    about: 'Keeps the session cookie from scripts.',
  }),
  sessionCookieSamesite: setting({
    name: 'SESSION_COOKIE_SAMESITE',
    kind: sameSite,
    fallback: 'Lax',
    about: 'SameSite of the session cookie.',
  }),
  sessionCookieSecure: setting({
    name: 'SESSION_COOKIE_SECURE',
    kind: flag,
    fallback: (get) => !get(HOST.development),
    fallbackText: 'true, in development mode false',
    about: 'Sends the session cookie over https only.',
  }),
  csrfCookieSecure: setting({
    name: 'CSRF_COOKIE_SECURE',
    kind: flag,
    fallback: (get) => !get(HOST.development),
    fallbackText: 'true, in development mode false',
    about: 'Sends the cookie that protects forms over https only.',
  }),
  csrfCookieAge: setting({
    name: 'CSRF_COOKIE_AGE',
    kind: orDefault(seconds()),
    fallback: 31_449_600,
    about: 'Life of the cookie that protects forms, in seconds.',
  }),
}
