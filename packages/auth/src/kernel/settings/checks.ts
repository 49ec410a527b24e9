import { rsaKeys } from '../crypto/rsa-keys.ts'
import type { AuthSettings } from './setting-groups.ts'

/** A rule about several settings, and the message if they violate it. */
interface Check {
  readonly isViolated: (settings: AuthSettings) => boolean
  readonly message: string
}

const requiresSignupField = (settings: AuthSettings, name: string): boolean =>
  settings.account.signupFields.some((field) => field.name === name && field.required)

const usesUsername = ({ account }: AuthSettings): boolean =>
  account.loginMethods.includes('username') || account.signupFields.some(({ name }) => name === 'username')

/** Returns whether links in mail can only lead to the front end. */
const needsFrontEnd = (headless: AuthSettings['headless'], socialaccount: AuthSettings['socialaccount']): boolean =>
  headless.only && !socialaccount.only

const isHmac = ({ headless }: AuthSettings): boolean => headless.jwtAlgorithm.startsWith('HS')

const PROBLEMS: readonly Check[] = [
  {
    isViolated: ({ socialaccount }) => socialaccount.only && !socialaccount.enabled,
    message: 'SOCIALACCOUNT_ONLY requires SOCIALACCOUNT_ENABLED; otherwise nobody can sign in.',
  },
  {
    isViolated: ({ socialaccount, account }) => socialaccount.only && account.loginByCodeEnabled,
    message: "SOCIALACCOUNT_ONLY can't be combined with ACCOUNT_LOGIN_BY_CODE_ENABLED.",
  },
  {
    isViolated: ({ socialaccount, mfa }) => socialaccount.only && mfa.enabled,
    message: "SOCIALACCOUNT_ONLY can't be combined with MFA_ENABLED.",
  },
  {
    isViolated: ({ socialaccount, account }) => socialaccount.only && account.emailVerification !== 'none',
    message: 'SOCIALACCOUNT_ONLY requires ACCOUNT_EMAIL_VERIFICATION to be none.',
  },
  {
    isViolated: ({ socialaccount }) => socialaccount.only && socialaccount.emailVerification !== 'none',
    message: 'SOCIALACCOUNT_ONLY requires SOCIALACCOUNT_EMAIL_VERIFICATION to be none.',
  },
  {
    isViolated: ({ account }) => account.emailVerificationByCodeEnabled && account.emailVerification !== 'mandatory',
    message: 'ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED requires ACCOUNT_EMAIL_VERIFICATION to be mandatory.',
  },
  {
    isViolated: ({ account }) => account.loginMethods.includes('email') && !account.uniqueEmail,
    message: 'ACCOUNT_LOGIN_METHODS with email requires ACCOUNT_UNIQUE_EMAIL.',
  },
  {
    isViolated: (settings) =>
      settings.account.emailVerification === 'mandatory' && !requiresSignupField(settings, 'email'),
    message: 'ACCOUNT_EMAIL_VERIFICATION mandatory requires email* in ACCOUNT_SIGNUP_FIELDS.',
  },
  {
    isViolated: (settings) => settings.account.userModelUsernameField === null && usesUsername(settings),
    message:
      'Without a username column (ACCOUNT_USER_MODEL_USERNAME_FIELD), neither ACCOUNT_SIGNUP_FIELDS nor ' +
      'ACCOUNT_LOGIN_METHODS can include username.',
  },
  {
    isViolated: ({ account }) => account.loginMethods.length === 0,
    message: 'ACCOUNT_LOGIN_METHODS must include at least one of username, email, phone.',
  },
  {
    isViolated: ({ account }) =>
      account.changeEmail && account.maxEmailAddresses !== null && account.maxEmailAddresses !== 2,
    message: 'ACCOUNT_CHANGE_EMAIL requires ACCOUNT_MAX_EMAIL_ADDRESSES to be null or 2.',
  },
  {
    isViolated: ({ account, mfa }) => account.loginByCodeTrustEnabled && !mfa.enabled,
    message: 'ACCOUNT_LOGIN_BY_CODE_TRUST_ENABLED requires MFA_ENABLED.',
  },
  {
    isViolated: (settings) => settings.mfa.passkeySignupEnabled && !passkeySignupWorks(settings),
    message:
      'MFA_PASSKEY_SIGNUP_ENABLED requires webauthn in MFA_SUPPORTED_TYPES, ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED, ' +
      'email* in ACCOUNT_SIGNUP_FIELDS, and ACCOUNT_EMAIL_VERIFICATION mandatory.',
  },
  {
    isViolated: ({ headless, account, socialaccount }) =>
      needsFrontEnd(headless, socialaccount) &&
      !account.emailVerificationByCodeEnabled &&
      headless.frontendUrls.account_confirm_email === undefined,
    message:
      'HEADLESS_ONLY requires account_confirm_email in HEADLESS_FRONTEND_URLS, or ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED.',
  },
  {
    isViolated: ({ headless, account, socialaccount }) =>
      needsFrontEnd(headless, socialaccount) &&
      !account.passwordResetByCodeEnabled &&
      headless.frontendUrls.account_reset_password_from_key === undefined,
    message:
      'HEADLESS_ONLY requires account_reset_password_from_key in HEADLESS_FRONTEND_URLS, or ACCOUNT_PASSWORD_RESET_BY_CODE_ENABLED.',
  },
  {
    isViolated: ({ mfa, development }) => mfa.totpInsecureBypassCode !== null && !development,
    message: 'MFA_TOTP_INSECURE_BYPASS_CODE is allowed only with GATEPOST_DEVELOPMENT.',
  },
  {
    isViolated: ({ mfa, development }) => mfa.webauthnAllowInsecureOrigin && !development,
    message: 'MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN is allowed only with GATEPOST_DEVELOPMENT.',
  },
  {
    isViolated: (settings) => isHmac(settings) && isShortSecret(settings.headless),
    message:
      'HEADLESS_JWT_PRIVATE_KEY must have at least 32 bytes for HS256, 48 bytes for HS384, or 64 bytes for HS512.',
  },
  {
    isViolated: (settings) =>
      settings.headless.tokenStrategy === 'jwt' && !isHmac(settings) && settings.headless.jwtPrivateKey === '',
    message: 'HEADLESS_TOKEN_STRATEGY jwt with an RS algorithm requires HEADLESS_JWT_PRIVATE_KEY.',
  },
  {
    isViolated: (settings) => !isHmac(settings) && isNoRsaKey(settings.headless),
    message:
      'HEADLESS_JWT_PRIVATE_KEY must be the PEM of a private RSA key with at least 2048 bits for an RS algorithm. Only RSA ' +
      'keys can follow it.',
  },
  {
    isViolated: ({ idpOidc: { enabled, privateKey } }) => enabled && privateKey !== '' && rsaKeys(privateKey) === null,
    message:
      'IDP_OIDC_PRIVATE_KEY must be the PEM of a private RSA key with at least 2048 bits. Only RSA keys can follow it.',
  },
  {
    isViolated: ({ emailUseTls, emailUseSsl }) => emailUseTls && emailUseSsl,
    message: "EMAIL_USE_TLS and EMAIL_USE_SSL can't be combined.",
  },
  {
    isViolated: ({ emailBackend, emailFilePath }) => emailBackend === 'file' && (emailFilePath ?? '') === '',
    message: 'EMAIL_BACKEND file requires EMAIL_FILE_PATH.',
  },
  {
    isViolated: (settings) => settings.sessionCookieSamesite === 'None' && !settings.sessionCookieSecure,
    message: 'SESSION_COOKIE_SAMESITE None requires SESSION_COOKIE_SECURE.',
  },
]

const WARNINGS: readonly Check[] = [
  {
    isViolated: (settings) => !settings.account.loginMethods.some((method) => requiresSignupField(settings, method)),
    message: 'account.W001: none of ACCOUNT_LOGIN_METHODS is a required field of ACCOUNT_SIGNUP_FIELDS.',
  },
  {
    isViolated: ({ development, sessionCookieSecure }) => !development && !sessionCookieSecure,
    message: 'SESSION_COOKIE_SECURE is false: the session cookie is also sent over http, where others can read it.',
  },
  {
    isViolated: ({ development, csrfCookieSecure }) => !development && !csrfCookieSecure,
    message: 'CSRF_COOKIE_SECURE is false: the CSRF cookie is also sent over http.',
  },
  {
    isViolated: ({ sessionCookieHttponly }) => !sessionCookieHttponly,
    message: 'SESSION_COOKIE_HTTPONLY is false: scripts can read the session cookie.',
  },
  {
    isViolated: ({ account }) => account.passwordInputRenderValue,
    message: 'ACCOUNT_PASSWORD_INPUT_RENDER_VALUE is true: rejected passwords appear in the page.',
  },
  {
    isViolated: ({ allowedHosts }) => allowedHosts.includes('*'),
    message: 'ALLOWED_HOSTS has *: every host name is accepted. Redirects still stay on the host of the request.',
  },
  {
    isViolated: ({ mfa }) => mfa.totpInsecureBypassCode !== null,
    message: "MFA_TOTP_INSECURE_BYPASS_CODE is set: it's accepted in place of any authenticator app code.",
  },
]

/** Returns whether an HMAC key is shorter than the hash output. @see RFC 7518 section 3.2 */
const isShortSecret = ({ jwtAlgorithm, jwtPrivateKey: key }: AuthSettings['headless']): boolean =>
  key !== '' && new TextEncoder().encode(key).byteLength < Number(jwtAlgorithm.slice(2)) / 8

const isNoRsaKey = ({ tokenStrategy, jwtPrivateKey: key }: AuthSettings['headless']): boolean =>
  tokenStrategy === 'jwt' && key !== '' && rsaKeys(key) === null

const passkeySignupWorks = (settings: AuthSettings): boolean =>
  settings.mfa.supportedTypes.includes('webauthn') &&
  settings.account.emailVerificationByCodeEnabled &&
  settings.account.emailVerification === 'mandatory' &&
  requiresSignupField(settings, 'email')

const listViolations = (checks: readonly Check[], settings: AuthSettings): readonly string[] =>
  checks.filter(({ isViolated }) => isViolated(settings)).map(({ message }) => message)

/** Returns the reasons why these settings can't be combined; none if they're valid. */
export const settingProblems = (settings: AuthSettings): readonly string[] => listViolations(PROBLEMS, settings)

/** Returns warnings about settings that are valid but likely mistakes. */
export const settingWarnings = (settings: AuthSettings): readonly string[] => listViolations(WARNINGS, settings)
