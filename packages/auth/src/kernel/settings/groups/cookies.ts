import { HOST } from './host.ts'
import { flag, kind, nullable, orDefault, seconds, textLike } from '../kind.ts'
import { setting } from '../setting.ts'

/** A cookie's name (a token in RFC 6265 section 4.1.1). */
export const cookieName = textLike('a cookie name', 'sessionid', /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 100)
/** A cookie's Domain attribute. */
export const cookieDomain = textLike('a host name', 'example.org', /^\.?[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/, 253)
/** A cookie's Path attribute. */
export const cookiePath = textLike('a path', '/', /^\/[^;\s]*$/, 200)

const SAME_SITE = ['Strict', 'Lax', 'None'] as const

/** A cookie's SameSite attribute, case-insensitive. */
export const sameSite = kind<(typeof SAME_SITE)[number]>('one of Strict, Lax, None', 'Lax', (value) =>
  SAME_SITE.find((word) => typeof value === 'string' && word.toLowerCase() === value.toLowerCase()),
)

/** The session cookie and the CSRF cookie. */
export const COOKIES = {
  sessionCookieName: setting({
    name: 'SESSION_COOKIE_NAME',
    kind: cookieName,
    fallback: 'sessionid',
    about: 'Name of the session cookie.',
  }),
  sessionCookieAge: setting({
    name: 'SESSION_COOKIE_AGE',
    kind: seconds(),
    fallback: 1_209_600,
    about: 'Maximum lifetime of a session after sign-in, in seconds, regardless of activity.',
  }),
  sessionIdleAge: setting({
    name: 'SESSION_IDLE_AGE',
    kind: seconds(),
    fallback: 604_800,
    about: 'Idle time after which a session ends, in seconds.',
  }),
  sessionCookieDomain: setting({
    name: 'SESSION_COOKIE_DOMAIN',
    kind: nullable(cookieDomain),
    fallback: null,
    about: 'Domain of the session cookie. null: only the current host.',
  }),
  sessionCookiePath: setting({
    name: 'SESSION_COOKIE_PATH',
    kind: cookiePath,
    fallback: '/',
    about: 'Path of the session cookie and the CSRF cookie.',
  }),
  sessionCookieHttponly: setting({
    name: 'SESSION_COOKIE_HTTPONLY',
    kind: flag,
    fallback: true,
    about: 'Hides the session cookie from scripts.',
  }),
  sessionCookieSamesite: setting({
    name: 'SESSION_COOKIE_SAMESITE',
    kind: sameSite,
    fallback: 'Lax',
    about: 'SameSite attribute of the session cookie.',
  }),
  sessionCookieSecure: setting({
    name: 'SESSION_COOKIE_SECURE',
    kind: flag,
    fallback: (get) => !get(HOST.development),
    fallbackText: 'true, in development mode false',
    about: 'Sends the session cookie only over https.',
  }),
  csrfCookieSecure: setting({
    name: 'CSRF_COOKIE_SECURE',
    kind: flag,
    fallback: (get) => !get(HOST.development),
    fallbackText: 'true, in development mode false',
    about: 'Sends the CSRF cookie only over https.',
  }),
  csrfCookieAge: setting({
    name: 'CSRF_COOKIE_AGE',
    kind: orDefault(seconds()),
    fallback: 31_449_600,
    about: 'Lifetime of the CSRF cookie, in seconds.',
  }),
}
