import { COOKIES, cookieDomain, cookieName, cookiePath, sameSite } from './cookies.ts'
import { classChoice, flag, listOf, nullable, seconds, secretText, textLine, wholeNumber } from '../kind.ts'
import { appSwitch, MODULE_APPS } from '../installed-apps.ts'
import { type Get, setting } from '../setting.ts'

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
  about: 'Available types of two-factor authentication.',
})

const needsWebauthn = (value: boolean, get: Get): boolean => value && get(supportedTypes).includes('webauthn')

/** Two-factor authentication: `MFA_…`. */
export const MFA = {
  enabled: appSwitch('MFA_ENABLED', MODULE_APPS.mfa),
  allowUnverifiedEmail: setting({
    name: 'MFA_ALLOW_UNVERIFIED_EMAIL',
    kind: flag,
    fallback: false,
    about: 'Allows two-factor authentication with an unverified email address.',
  }),
  reauthenticationRequired: setting({
    name: 'MFA_REAUTHENTICATION_REQUIRED',
    kind: flag,
    fallback: false,
    about: 'Requires a second factor to reauthenticate, from users who have one. Otherwise, their password is enough.',
  }),
  passkeyLoginEnabled: setting({
    name: 'MFA_PASSKEY_LOGIN_ENABLED',
    kind: flag,
    fallback: false,
    about: 'Enables sign-in with a passkey. Has no effect unless MFA_SUPPORTED_TYPES includes webauthn.',
    finish: needsWebauthn,
  }),
  passkeyLoginWithoutUserVerification: setting({
    name: 'MFA_PASSKEY_LOGIN_WITHOUT_USER_VERIFICATION',
    kind: nullable(flag),
    fallback: null,
    about:
      "Accepts a passkey as the only factor even if it hasn't verified its user by PIN or biometrics. " +
      'null: only in the database of an existing Django site.',
  }),
  passkeySignupEnabled: setting({
    name: 'MFA_PASSKEY_SIGNUP_ENABLED',
    kind: flag,
    fallback: false,
    about: 'Enables sign-up with a passkey. Requires webauthn, `email*`, and mandatory verification by code.',
  }),
  recoveryCodeCount: setting({
    name: 'MFA_RECOVERY_CODE_COUNT',
    // Used codes are stored as bits of a number, which must stay exact in JSON.
    kind: wholeNumber(1, 50),
    fallback: 10,
    about: 'Number of recovery codes.',
  }),
  recoveryCodeDigits: setting({
    name: 'MFA_RECOVERY_CODE_DIGITS',
    kind: wholeNumber(6, 32),
    fallback: 8,
    about: 'Digits in a recovery code.',
  }),
  recoveryCodesShowOnce: setting({
    name: 'MFA_RECOVERY_CODES_SHOW_ONCE',
    kind: flag,
    fallback: false,
    about: 'Shows recovery codes only once.',
  }),
  supportedTypes,
  totpDigits: setting({
    name: 'MFA_TOTP_DIGITS',
    kind: wholeNumber(6, 8),
    fallback: 6,
    about: 'Digits in an authenticator app code.',
  }),
  totpInsecureBypassCode: setting({
    name: 'MFA_TOTP_INSECURE_BYPASS_CODE',
    kind: nullable(secretText),
    fallback: null,
    secret: true,
    about: 'Accepted in place of any authenticator app code. Rejected outside development mode.',
  }),
  totpIssuer: setting({
    name: 'MFA_TOTP_ISSUER',
    kind: textLine(100),
    fallback: '',
    about: 'Issuer shown in the authenticator app. Empty: the site name.',
  }),
  totpPeriod: setting({
    name: 'MFA_TOTP_PERIOD',
    kind: seconds(1, 300),
    fallback: 30,
    about: 'Lifetime of an authenticator app code, in seconds.',
  }),
  totpTolerance: setting({
    name: 'MFA_TOTP_TOLERANCE',
    kind: wholeNumber(0, 10),
    fallback: 0,
    about: 'Number of periods before and after the current one whose codes are accepted.',
  }),
  trustEnabled: setting({
    name: 'MFA_TRUST_ENABLED',
    kind: flag,
    fallback: false,
    about: 'Offers to trust the browser after two-factor authentication.',
  }),
  trustCookieAge: setting({
    name: 'MFA_TRUST_COOKIE_AGE',
    kind: seconds(),
    fallback: 1_209_600,
    about: 'How long a browser stays trusted, in seconds.',
  }),
  trustCookieName: setting({
    name: 'MFA_TRUST_COOKIE_NAME',
    kind: cookieName,
    fallback: 'mfa_trusted',
    about: 'Name of the trusted browser cookie.',
  }),
  trustCookieDomain: setting({
    name: 'MFA_TRUST_COOKIE_DOMAIN',
    kind: nullable(cookieDomain),
    fallback: (get) => get(COOKIES.sessionCookieDomain),
    fallbackText: 'SESSION_COOKIE_DOMAIN',
    about: 'Domain of the trusted browser cookie.',
  }),
  trustCookieHttponly: setting({
    name: 'MFA_TRUST_COOKIE_HTTPONLY',
    kind: flag,
    fallback: (get) => get(COOKIES.sessionCookieHttponly),
    fallbackText: 'SESSION_COOKIE_HTTPONLY',
    about: 'Hides the trusted browser cookie from scripts.',
  }),
  trustCookiePath: setting({
    name: 'MFA_TRUST_COOKIE_PATH',
    kind: cookiePath,
    fallback: (get) => get(COOKIES.sessionCookiePath),
    fallbackText: 'SESSION_COOKIE_PATH',
    about: 'Path of the trusted browser cookie.',
  }),
  trustCookieSamesite: setting({
    name: 'MFA_TRUST_COOKIE_SAMESITE',
    kind: sameSite,
    fallback: (get) => get(COOKIES.sessionCookieSamesite),
    fallbackText: 'SESSION_COOKIE_SAMESITE',
    about: 'SameSite attribute of the trusted browser cookie.',
  }),
  trustCookieSecure: setting({
    name: 'MFA_TRUST_COOKIE_SECURE',
    kind: flag,
    fallback: (get) => get(COOKIES.sessionCookieSecure),
    fallbackText: 'SESSION_COOKIE_SECURE',
    about: 'Sends the trusted browser cookie only over https.',
  }),
  webauthnAllowInsecureOrigin: setting({
    name: 'MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN',
    kind: flag,
    fallback: false,
    about: 'Skips the origin check of security keys. Rejected outside development mode.',
  }),
}
