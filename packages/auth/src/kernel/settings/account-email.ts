import { codeFormat } from './code-format.ts'
import { HOST } from './host.ts'
import {
  booleanFromText,
  choice,
  flag,
  type Kind,
  kind,
  nullable,
  redirect,
  seconds,
  text,
  times,
  whole,
} from './kind.ts'
import { setting } from './setting.ts'

/** Whether an address must be verified before the first login. */
export type EmailVerification = 'mandatory' | 'optional' | 'none'

const MODES = ['mandatory', 'optional', 'none'] as const

/** The mode; true and false are its old names for mandatory and optional. */
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
  about: 'Verifies addresses by a code instead of a link; needs mandatory verification.',
})

/** E-mail addresses and mails: `ACCOUNT_…`. */
export const ACCOUNT_EMAIL = {
  changeEmail: setting({
    name: 'ACCOUNT_CHANGE_EMAIL',
    kind: flag,
    fallback: false,
    about: 'One address per user, replaced by verifying a new one.',
  }),
  confirmEmailOnGet: setting({
    name: 'ACCOUNT_CONFIRM_EMAIL_ON_GET',
    kind: flag,
    fallback: false,
    about: 'Opening the confirmation link confirms at once, without a button.',
  }),
  emailConfirmationAnonymousRedirectUrl: setting({
    name: 'ACCOUNT_EMAIL_CONFIRMATION_ANONYMOUS_REDIRECT_URL',
    aliases: ['EMAIL_CONFIRMATION_ANONYMOUS_REDIRECT_URL'],
    kind: redirect,
    fallback: (get) => get(HOST.loginUrl),
    fallbackText: 'LOGIN_URL',
    about: 'Where to go after confirming an address while signed out.',
  }),
  emailConfirmationAuthenticatedRedirectUrl: setting({
    name: 'ACCOUNT_EMAIL_CONFIRMATION_AUTHENTICATED_REDIRECT_URL',
    aliases: ['EMAIL_CONFIRMATION_AUTHENTICATED_REDIRECT_URL'],
    kind: nullable(redirect),
    fallback: null,
    about: 'Where to go after confirming an address while signed in; null: as after login.',
  }),
  emailConfirmationExpireDays: setting({
    name: 'ACCOUNT_EMAIL_CONFIRMATION_EXPIRE_DAYS',
    kind: whole(1, 3_650),
    fallback: 3,
    about: 'Life of confirmation links, in days.',
  }),
  emailConfirmationHmac: setting({
    name: 'ACCOUNT_EMAIL_CONFIRMATION_HMAC',
    kind: flag,
    fallback: true,
    about: 'Signed confirmation links that need no row; false: one row for each mail.',
  }),
  emailMaxLength: setting({
    name: 'ACCOUNT_EMAIL_MAX_LENGTH',
    kind: whole(32, 320),
    fallback: 254,
    about: 'Characters of the address column.',
  }),
  emailNotifications: setting({
    name: 'ACCOUNT_EMAIL_NOTIFICATIONS',
    kind: flag,
    fallback: false,
    about: 'Mails the user when something about security changed.',
  }),
  emailSubjectPrefix: setting({
    name: 'ACCOUNT_EMAIL_SUBJECT_PREFIX',
    kind: nullable(text(200)),
    fallback: null,
    about: 'Put before every subject; null: the name of the site in brackets.',
  }),
  emailUnknownAccounts: setting({
    name: 'ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS',
    kind: flag,
    fallback: true,
    about: 'Mails also an address without an account that a reset or a login code was asked for.',
  }),
  emailVerification: setting({
    name: 'ACCOUNT_EMAIL_VERIFICATION',
    kind: emailVerification,
    fallback: 'optional',
    about: 'mandatory: no login before; optional: a mail at sign-up; none: no mail at sign-up.',
  }),
  emailVerificationByCodeEnabled,
  emailVerificationByCodeFormat: setting({
    name: 'ACCOUNT_EMAIL_VERIFICATION_BY_CODE_FORMAT',
    kind: codeFormat,
    fallback: (get) => get(HOST.userCodeFormat),
    fallbackText: 'GATEPOST_USER_CODE_FORMAT',
    about: 'Form of the code.',
  }),
  emailVerificationByCodeMaxAttempts: setting({
    name: 'ACCOUNT_EMAIL_VERIFICATION_BY_CODE_MAX_ATTEMPTS',
    kind: whole(1, 20),
    fallback: 3,
    about: 'Wrong codes after which the step ends.',
  }),
  emailVerificationByCodeTimeout: setting({
    name: 'ACCOUNT_EMAIL_VERIFICATION_BY_CODE_TIMEOUT',
    kind: seconds(10, 86_400),
    fallback: 900,
    about: 'Life of the step, in seconds.',
  }),
  emailVerificationSupportsChange: setting({
    name: 'ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_CHANGE',
    kind: times,
    fallback: 0,
    about: 'How often the address may be changed during the step; true is 2.',
  }),
  emailVerificationSupportsResend: setting({
    name: 'ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_RESEND',
    kind: times,
    fallback: 0,
    about: 'How often another code may be asked for; true is 2.',
  }),
  loginOnEmailConfirmation: setting({
    name: 'ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION',
    kind: flag,
    fallback: false,
    about: 'A confirmation link also finishes the login that waits for it in the same browser.',
  }),
  maxEmailAddresses: setting({
    name: 'ACCOUNT_MAX_EMAIL_ADDRESSES',
    kind: nullable(whole(1, 1_000)),
    fallback: null,
    about: 'Most addresses of a user; null: no limit. Not used with ACCOUNT_CHANGE_EMAIL.',
  }),
  salt: setting({
    name: 'ACCOUNT_SALT',
    kind: text(200),
    fallback: 'account',
    about: 'Salt of signed confirmation links.',
  }),
  uniqueEmail: setting({
    name: 'ACCOUNT_UNIQUE_EMAIL',
    kind: flag,
    fallback: true,
    about: 'An address has one verified owner.',
  }),
  defaultHttpProtocol: setting({
    name: 'ACCOUNT_DEFAULT_HTTP_PROTOCOL',
    kind: choice('http', 'https'),
    fallback: 'http',
    about: 'https makes every absolute link https; http keeps the scheme of the request.',
  }),
}
