import { choice, flag, type Kind, kind, redirect, wholeNumber } from './kind.ts'

/** A setting that later releases of the reference replaced by others. */
export interface OldSetting<T> {
  readonly name: string
  readonly aliases: readonly string[]
  readonly kind: Kind<T>
  /** The setting that it is translated into. */
  readonly becomes: string
  readonly about: string
}

/** A number of which 0, false and null mean "no limit". */
const limitOrNone = (base: Kind<number>): Kind<number> =>
  kind<number>(
    `${base.type}; 0 or false for none`,
    base.example,
    (value) => {
      const reading = base.read(value === false || value === null ? 0 : value)
      return 'value' in reading ? reading.value : undefined
    },
    base.fromText,
  )

/** Every old setting of section 1.3 of the reference, by a short name. */
export const OLD = {
  authenticationMethod: {
    name: 'ACCOUNT_AUTHENTICATION_METHOD',
    aliases: [],
    kind: choice('username', 'email', 'username_email'),
    becomes: 'ACCOUNT_LOGIN_METHODS',
    about: 'What people sign in with.',
  },
  emailRequired: {
    name: 'ACCOUNT_EMAIL_REQUIRED',
    aliases: [],
    kind: flag,
    becomes: 'ACCOUNT_SIGNUP_FIELDS',
    about: 'Whether `email*` or `email` is a field.',
  },
  usernameRequired: {
    name: 'ACCOUNT_USERNAME_REQUIRED',
    aliases: [],
    kind: flag,
    becomes: 'ACCOUNT_SIGNUP_FIELDS',
    about: 'Whether `username*` is a field.',
  },
  emailTwice: {
    name: 'ACCOUNT_SIGNUP_EMAIL_ENTER_TWICE',
    aliases: [],
    kind: flag,
    becomes: 'ACCOUNT_SIGNUP_FIELDS',
    about: 'Whether `email2` is a field.',
  },
  passwordTwice: {
    name: 'ACCOUNT_SIGNUP_PASSWORD_ENTER_TWICE',
    aliases: ['ACCOUNT_SIGNUP_PASSWORD_VERIFICATION'],
    kind: flag,
    becomes: 'ACCOUNT_SIGNUP_FIELDS',
    about: 'Whether `password2*` is a field.',
  },
  attemptsLimit: {
    name: 'ACCOUNT_LOGIN_ATTEMPTS_LIMIT',
    aliases: [],
    kind: limitOrNone(wholeNumber(0, 1_000_000)),
    becomes: 'ACCOUNT_RATE_LIMITS',
    about: 'Number of failed sign-ins (`login_failed`), 5 by default.',
  },
  attemptsTimeout: {
    name: 'ACCOUNT_LOGIN_ATTEMPTS_TIMEOUT',
    aliases: [],
    kind: limitOrNone(wholeNumber(0, 31_536_000)),
    becomes: 'ACCOUNT_RATE_LIMITS',
    about: 'Period of `login_failed` in seconds, 300 by default.',
  },
  confirmationCooldown: {
    name: 'ACCOUNT_EMAIL_CONFIRMATION_COOLDOWN',
    aliases: [],
    kind: limitOrNone(wholeNumber(0, 31_536_000)),
    becomes: 'ACCOUNT_RATE_LIMITS',
    about: 'Seconds between two verification links to the same address (`confirm_email`).',
  },
  loginRedirectUrlname: {
    name: 'LOGIN_REDIRECT_URLNAME',
    aliases: [],
    kind: redirect,
    becomes: 'LOGIN_REDIRECT_URL',
    about: 'Takes precedence over LOGIN_REDIRECT_URL.',
  },
  confirmationDays: {
    name: 'EMAIL_CONFIRMATION_DAYS',
    aliases: ['ACCOUNT_EMAIL_CONFIRMATION_DAYS'],
    kind: wholeNumber(1, 3_650),
    becomes: 'ACCOUNT_EMAIL_CONFIRMATION_EXPIRE_DAYS',
    about: 'Lifetime of verification links, in days.',
  },
} as const satisfies Readonly<Record<string, OldSetting<unknown>>>
