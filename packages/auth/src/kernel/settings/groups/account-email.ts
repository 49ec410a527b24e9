import {
  codeFormat,
  booleanFromText,
  choice,
  flag,
  kind,
  nullable,
  redirect,
  seconds,
  textLine,
  times,
  wholeNumber,
  type Kind,
  days,
} from '../kind.ts'
import { HOST } from './host.ts'
import { setting } from '../setting.ts'

/** Whether an address must be verified before the first login. */
export type EmailVerification = 'mandatory' | 'optional' | 'none'

const MODES = ['mandatory', 'optional', 'none'] as const

/** The mode; true and false are old names for mandatory and optional. */
export const emailVerification: Kind<EmailVerification, EmailVerification | boolean> = kind<
  EmailVerification,
  EmailVerification | boolean
>(
  'one of mandatory, optional, none',
  'mandatory',
  (value) => (typeof value === 'boolean' ? (value ? 'mandatory' : 'optional') : MODES.find((mode) => mode === value)),
  booleanFromText,
)

const emailVerificationByCodeEnabled = setting({
  name: 'ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED',
  kind: flag,
  fallback: false,
  about: 'Verifies email addresses by code instead of by link. Requires mandatory verification.',
})

/** Email addresses and emails: `ACCOUNT_…`. */
export const ACCOUNT_EMAIL = {
  changeEmail: setting({
    name: 'ACCOUNT_CHANGE_EMAIL',
    kind: flag,
    fallback: false,
    about: 'Limits users to one email address. Verifying a new one replaces it.',
  }),
  confirmEmailOnGet: setting({
    name: 'ACCOUNT_CONFIRM_EMAIL_ON_GET',
    kind: flag,
    fallback: false,
    about: 'Opening the verification link verifies the address immediately, without a button.',
  }),
  emailConfirmationAnonymousRedirectUrl: setting({
    name: 'ACCOUNT_EMAIL_CONFIRMATION_ANONYMOUS_REDIRECT_URL',
    aliases: ['EMAIL_CONFIRMATION_ANONYMOUS_REDIRECT_URL'],
    kind: redirect,
    fallback: (get) => get(HOST.loginUrl),
    fallbackText: 'LOGIN_URL',
    about: 'Where to go after verifying an address while signed out.',
  }),
  emailConfirmationAuthenticatedRedirectUrl: setting({
    name: 'ACCOUNT_EMAIL_CONFIRMATION_AUTHENTICATED_REDIRECT_URL',
    aliases: ['EMAIL_CONFIRMATION_AUTHENTICATED_REDIRECT_URL'],
    kind: nullable(redirect),
    fallback: null,
    about: 'Where to go after verifying an address while signed in. null: same as after sign-in.',
  }),
  emailConfirmationExpireDays: setting({
    name: 'ACCOUNT_EMAIL_CONFIRMATION_EXPIRE_DAYS',
    kind: days(3_650),
    fallback: 3,
    about: 'Lifetime of verification links, in days.',
  }),
  emailConfirmationHmac: setting({
    name: 'ACCOUNT_EMAIL_CONFIRMATION_HMAC',
    kind: flag,
    fallback: true,
    about: 'Uses signed verification links, which need no database row. false: stores a row for each email.',
  }),
  emailMaxLength: setting({
    name: 'ACCOUNT_EMAIL_MAX_LENGTH',
    kind: wholeNumber(32, 320),
    fallback: 254,
    about: 'Length of the address column, in characters.',
  }),
  emailNotifications: setting({
    name: 'ACCOUNT_EMAIL_NOTIFICATIONS',
    kind: flag,
    fallback: false,
    about: 'Notifies users by email about security-related changes.',
  }),
  emailSubjectPrefix: setting({
    name: 'ACCOUNT_EMAIL_SUBJECT_PREFIX',
    kind: nullable(textLine(200)),
    fallback: null,
    about: 'Prefix of every email subject. null: the site name in brackets.',
  }),
  emailUnknownAccounts: setting({
    name: 'ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS',
    kind: flag,
    fallback: true,
    about: 'Sends an email even if a password reset or sign-in code is requested for an address without an account.',
  }),
  emailVerification: setting({
    name: 'ACCOUNT_EMAIL_VERIFICATION',
    kind: emailVerification,
    fallback: 'optional',
    about: 'mandatory: required before sign-in. optional: an email at sign-up. none: no email at sign-up.',
  }),
  emailVerificationByCodeEnabled,
  emailVerificationByCodeFormat: setting({
    name: 'ACCOUNT_EMAIL_VERIFICATION_BY_CODE_FORMAT',
    kind: codeFormat,
    fallback: (get) => get(HOST.userCodeFormat),
    fallbackText: 'GATEPOST_USER_CODE_FORMAT',
    about: 'Format of the code.',
  }),
  emailVerificationByCodeMaxAttempts: setting({
    name: 'ACCOUNT_EMAIL_VERIFICATION_BY_CODE_MAX_ATTEMPTS',
    kind: wholeNumber(1, 20),
    fallback: 3,
    about: 'Number of wrong codes after which the step ends.',
  }),
  emailVerificationByCodeTimeout: setting({
    name: 'ACCOUNT_EMAIL_VERIFICATION_BY_CODE_TIMEOUT',
    kind: seconds(1, 86_400),
    fallback: 900,
    about: 'Time limit for the step, in seconds.',
  }),
  emailVerificationSupportsChange: setting({
    name: 'ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_CHANGE',
    kind: times,
    fallback: 0,
    about: 'How often the address can be changed during the step. true means 2.',
  }),
  emailVerificationSupportsResend: setting({
    name: 'ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_RESEND',
    kind: times,
    fallback: 0,
    about: 'How often another code can be requested. true means 2.',
  }),
  loginOnEmailConfirmation: setting({
    name: 'ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION',
    kind: flag,
    fallback: false,
    about: 'Opening a verification link also completes a pending sign-in in the same browser.',
  }),
  maxEmailAddresses: setting({
    name: 'ACCOUNT_MAX_EMAIL_ADDRESSES',
    kind: nullable(wholeNumber(1, 1_000)),
    fallback: null,
    about: 'Maximum number of email addresses per user. null: no limit. Not used with ACCOUNT_CHANGE_EMAIL.',
  }),
  salt: setting({
    name: 'ACCOUNT_SALT',
    kind: textLine(200),
    fallback: 'account',
    about: 'Salt for signed verification links.',
  }),
  uniqueEmail: setting({
    name: 'ACCOUNT_UNIQUE_EMAIL',
    kind: flag,
    fallback: true,
    about: 'Lets only one account verify an address.',
  }),
  defaultHttpProtocol: setting({
    name: 'ACCOUNT_DEFAULT_HTTP_PROTOCOL',
    kind: choice('http', 'https'),
    fallback: 'http',
    about: 'https: every absolute link uses https. http: links keep the scheme of the request.',
  }),
}
