import { COOKIES, cookieDomain, cookieName, cookiePath, sameSite } from './cookies.ts'
import { classChoice, flag, listOf, nullable, seconds, secretText, text, whole } from './kind.ts'
import { type Get, setting } from './setting.ts'

const type = classChoice(
  {
    recovery_codes: 'recovery_codes',
    recoverycodes: 'recovery_codes',
    totp: 'totp',
    webauthn: 'webauthn',
  } as const,
  'totp',
)

const supportedTypes = setting({
  name: 'MFA_SUPPORTED_TYPES',
  aliases: ['MFA_SUPPORTED_AUTHENTICATORS'],
  kind: listOf(type, 'recovery_codes, totp, webauthn'),
  fallback: ['recovery_codes', 'totp'],
  about: 'Kinds of second factor.',
})

const needsWebauthn = (value: boolean, get: Get): boolean => value && get(supportedTypes).includes('webauthn')

/** Second factors: `MFA_…`. */
export const MFA = {
  enabled: setting({ name: 'MFA_ENABLED', kind: flag, fallback: false, about: 'Switches the module on.' }),
  allowUnverifiedEmail: setting({
    name: 'MFA_ALLOW_UNVERIFIED_EMAIL',
    kind: flag,
    fallback: false,
    about: 'Allows a second factor together with an unverified address.',
  }),
  passkeyLoginEnabled: setting({
    name: 'MFA_PASSKEY_LOGIN_ENABLED',
    kind: flag,
    fallback: false,
    about: 'Login by passkey; needs webauthn among MFA_SUPPORTED_TYPES, else it stays off.',
    finish: needsWebauthn,
  }),
  passkeySignupEnabled: setting({
    name: 'MFA_PASSKEY_SIGNUP_ENABLED',
    kind: flag,
    fallback: false,
    about: 'Sign-up by passkey; needs webauthn, `email*` and mandatory verification by code.',
  }),
  recoveryCodeCount: setting({
    name: 'MFA_RECOVERY_CODE_COUNT',
    // One bit each of a number that JSON keeps whole.
    kind: whole(1, 50),
    fallback: 10,
    about: 'Number of recovery codes.',
  }),
  recoveryCodeDigits: setting({
    name: 'MFA_RECOVERY_CODE_DIGITS',
    kind: whole(6, 32),
    fallback: 8,
    about: 'Digits of a recovery code.',
  }),
  recoveryCodesShowOnce: setting({
    name: 'MFA_RECOVERY_CODES_SHOW_ONCE',
    kind: flag,
    fallback: false,
    about: 'Shows recovery codes one time only.',
  }),
  supportedTypes,
  totpDigits: setting({ name: 'MFA_TOTP_DIGITS', kind: whole(6, 8), fallback: 6, about: 'Digits of a TOTP code.' }),
  totpInsecureBypassCode: setting({
    name: 'MFA_TOTP_INSECURE_BYPASS_CODE',
    kind: nullable(secretText),
    fallback: null,
    secret: true,
    about: 'Taken for any TOTP code; refused outside development mode.',
  }),
  totpIssuer: setting({
    name: 'MFA_TOTP_ISSUER',
    kind: text(100),
    fallback: '',
    about: 'Name in the authenticator app; empty: the name of the site.',
  }),
  totpPeriod: setting({
    name: 'MFA_TOTP_PERIOD',
    kind: seconds(15, 300),
    fallback: 30,
    about: 'Life of a TOTP code, in seconds.',
  }),
  totpTolerance: setting({
    name: 'MFA_TOTP_TOLERANCE',
    kind: whole(0, 10),
    fallback: 0,
    about: 'TOTP periods taken before and after the current one.',
  }),
  trustEnabled: setting({
    name: 'MFA_TRUST_ENABLED',
    kind: flag,
    fallback: false,
    about: 'Offers to trust a browser after the second factor.',
  }),
  trustCookieAge: setting({
    name: 'MFA_TRUST_COOKIE_AGE',
    kind: seconds(60),
    fallback: 1_209_600,
    about: 'How long a browser is trusted, in seconds.',
  }),
  trustCookieName: setting({
    name: 'MFA_TRUST_COOKIE_NAME',
    kind: cookieName,
    fallback: 'mfa_trusted',
    about: 'Name of the cookie of trust.',
  }),
  trustCookieDomain: setting({
    name: 'MFA_TRUST_COOKIE_DOMAIN',
    kind: nullable(cookieDomain),
    fallback: (get) => get(COOKIES.sessionCookieDomain),
    fallbackText: 'SESSION_COOKIE_DOMAIN',
    about: 'Its domain.',
  }),
  trustCookieHttponly: setting({
    name: 'MFA_TRUST_COOKIE_HTTPONLY',
    kind: flag,
    fallback: (get) => get(COOKIES.sessionCookieHttponly),
    fallbackText: 'SESSION_COOKIE_HTTPONLY',
    about: 'Keeps it from scripts.',
  }),
  trustCookiePath: setting({
    name: 'MFA_TRUST_COOKIE_PATH',
    kind: cookiePath,
    fallback: (get) => get(COOKIES.sessionCookiePath),
    fallbackText: 'SESSION_COOKIE_PATH',
    about: 'Its path.',
  }),
  trustCookieSamesite: setting({
    name: 'MFA_TRUST_COOKIE_SAMESITE',
    kind: sameSite,
    fallback: (get) => get(COOKIES.sessionCookieSamesite),
    fallbackText: 'SESSION_COOKIE_SAMESITE',
    about: 'Its SameSite.',
  }),
  trustCookieSecure: setting({
    name: 'MFA_TRUST_COOKIE_SECURE',
    kind: flag,
    fallback: (get) => get(COOKIES.sessionCookieSecure),
    fallbackText: 'SESSION_COOKIE_SECURE',
    about: 'Sends it over https only.',
  }),
  webauthnAllowInsecureOrigin: setting({
    name: 'MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN',
    kind: flag,
    fallback: false,
    about: 'Does not check the origin of a security key; refused outside development mode.',
  }),
}
