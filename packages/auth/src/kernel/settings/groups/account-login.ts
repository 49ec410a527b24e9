import {
  codeFormat,
  booleanFromText,
  choice,
  flag,
  kind,
  listOf,
  nullable,
  orDefault,
  redirect,
  seconds,
  times,
  wholeNumber,
  type Kind,
} from '../kind.ts'
import { COOKIES } from './cookies.ts'
import { HOST } from './host.ts'
import { ACCOUNT_EMAIL } from './account-email.ts'
import {
  ACCOUNT_RATE_LIMITS,
  CONFIRM_EMAIL_BY_CODE,
  defaultLimits,
  parseRates,
  rateLimits,
} from '../rate-limit-setting.ts'
import { setting } from '../setting.ts'

/** An identifier that a user can sign in with. */
export type LoginMethod = 'username' | 'email' | 'phone'

/** An authentication method that can require an additional code by email. */
export type CodeRequiredAfter = 'password' | 'mfa' | 'socialaccount'

const AFTER = ['password', 'mfa', 'socialaccount'] as const
const afterList = listOf(choice(...AFTER), AFTER.join(', '))

const codeRequired: Kind<
  readonly CodeRequiredAfter[],
  boolean | readonly CodeRequiredAfter[] | ReadonlySet<CodeRequiredAfter>
> = {
  ...afterList,
  type: `true, false, or ${afterList.type}`,
  read: (value) => (typeof value === 'boolean' ? { value: value ? AFTER : [] } : afterList.read(value)),
  fromText: (written) => {
    const value = booleanFromText(written)
    return typeof value === 'boolean' ? value : afterList.fromText(written)
  },
}

const preventEnumeration = kind<boolean | 'strict'>(
  'true, false, or strict',
  'strict',
  (value) => (typeof value === 'boolean' || value === 'strict' ? value : undefined),
  booleanFromText,
)

const LIMITS = defaultLimits(ACCOUNT_RATE_LIMITS)

/** An action with a rate limit in ACCOUNT_RATE_LIMITS. */
export type AccountRateAction = keyof typeof ACCOUNT_RATE_LIMITS

/** Login, logout, sessions, and rate limits: `ACCOUNT_…`. */
export const ACCOUNT_LOGIN = {
  authenticatedLoginRedirects: setting({
    name: 'ACCOUNT_AUTHENTICATED_LOGIN_REDIRECTS',
    kind: flag,
    fallback: true,
    about: 'Redirects signed-in users away from the sign-in and sign-up pages.',
  }),
  loginMethods: setting({
    name: 'ACCOUNT_LOGIN_METHODS',
    kind: listOf(choice<LoginMethod>('username', 'email', 'phone'), 'username, email, phone'),
    fallback: ['username'],
    about: 'What people can sign in with.',
  }),
  loginByCodeEnabled: setting({
    name: 'ACCOUNT_LOGIN_BY_CODE_ENABLED',
    kind: flag,
    fallback: false,
    about: 'Lets people request a code by email or text message instead of entering a password.',
  }),
  loginByCodeFormat: setting({
    name: 'ACCOUNT_LOGIN_BY_CODE_FORMAT',
    kind: codeFormat,
    fallback: (get) => get(HOST.userCodeFormat),
    fallbackText: 'GATEPOST_USER_CODE_FORMAT',
    about: 'Format of the code.',
  }),
  loginByCodeMaxAttempts: setting({
    name: 'ACCOUNT_LOGIN_BY_CODE_MAX_ATTEMPTS',
    kind: wholeNumber(1, 20),
    fallback: 3,
    about: 'Number of wrong codes after which the sign-in ends.',
  }),
  loginByCodeRequired: setting({
    name: 'ACCOUNT_LOGIN_BY_CODE_REQUIRED',
    kind: codeRequired,
    fallback: [],
    about: 'Authentication methods that also require a code. true means all of them.',
  }),
  loginByCodeSupportsResend: setting({
    name: 'ACCOUNT_LOGIN_BY_CODE_SUPPORTS_RESEND',
    kind: times,
    fallback: 0,
    about: 'How often another code can be requested. true means 2.',
  }),
  loginByCodeTimeout: setting({
    name: 'ACCOUNT_LOGIN_BY_CODE_TIMEOUT',
    kind: seconds(1, 86_400),
    fallback: 180,
    about: 'Lifetime of the code, in seconds.',
  }),
  loginByCodeTrustEnabled: setting({
    name: 'ACCOUNT_LOGIN_BY_CODE_TRUST_ENABLED',
    kind: flag,
    fallback: false,
    about: 'Lets a trusted browser skip the required code too. Requires MFA_ENABLED.',
  }),
  loginTimeout: setting({
    name: 'ACCOUNT_LOGIN_TIMEOUT',
    kind: seconds(1, 86_400),
    fallback: 900,
    about: 'Lifetime of a pending sign-in, in seconds.',
  }),
  logoutOnGet: setting({
    name: 'ACCOUNT_LOGOUT_ON_GET',
    kind: flag,
    fallback: false,
    about: 'Opening the sign-out page signs out immediately.',
  }),
  logoutRedirectUrl: setting({
    name: 'ACCOUNT_LOGOUT_REDIRECT_URL',
    kind: orDefault(redirect),
    fallback: (get) => get(HOST.logoutRedirectUrl) ?? '/',
    fallbackText: 'LOGOUT_REDIRECT_URL, else /',
    about: 'Where to go after sign-out.',
  }),
  preventEnumeration: setting({
    name: 'ACCOUNT_PREVENT_ENUMERATION',
    kind: preventEnumeration,
    fallback: true,
    about: 'Hides whether an address has an account. strict: even if that means creating a second, unverified account.',
  }),
  rateLimits: setting({
    name: 'ACCOUNT_RATE_LIMITS',
    kind: rateLimits<AccountRateAction>(ACCOUNT_RATE_LIMITS, LIMITS, { password_reset: 'reset_password' }),
    fallback: LIMITS,
    fallbackText: Object.entries(ACCOUNT_RATE_LIMITS)
      .map(([action, { rates }]) => `${action} ${rates}`)
      .join('; '),
    about: `Rate limits by action, merged with the defaults. null turns off one limit, false turns off all. With codes, confirm_email is ${CONFIRM_EMAIL_BY_CODE}.`,
    finish: (limits, get) =>
      limits.confirm_email === LIMITS.confirm_email && get(ACCOUNT_EMAIL.emailVerificationByCodeEnabled)
        ? { ...limits, confirm_email: parseRates(CONFIRM_EMAIL_BY_CODE) }
        : limits,
  }),
  reauthenticationRequired: setting({
    name: 'ACCOUNT_REAUTHENTICATION_REQUIRED',
    kind: flag,
    fallback: false,
    about: 'Requires recent authentication to change email addresses, phone numbers, or connected accounts.',
  }),
  reauthenticationTimeout: setting({
    name: 'ACCOUNT_REAUTHENTICATION_TIMEOUT',
    kind: seconds(0),
    fallback: 300,
    about: 'How long an authentication counts as recent, in seconds.',
  }),
  sessionCookieAge: setting({
    name: 'ACCOUNT_SESSION_COOKIE_AGE',
    kind: seconds(),
    fallback: (get) => get(COOKIES.sessionCookieAge),
    fallbackText: 'SESSION_COOKIE_AGE',
    about: 'Lifetime of a remembered session, in seconds. Deprecated: use SESSION_COOKIE_AGE.',
    old: 'Use SESSION_COOKIE_AGE instead.',
  }),
  sessionRemember: setting({
    name: 'ACCOUNT_SESSION_REMEMBER',
    kind: nullable(flag),
    fallback: null,
    about: 'Whether a session outlives the browser. null: a checkbox lets the user choose.',
  }),
}
