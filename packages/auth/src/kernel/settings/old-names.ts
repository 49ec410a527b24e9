import { choice, flag, isRecord, kind, type Kind, redirect, wholeNumber } from './kind.ts'

/** A setting that later releases of the reference replaced with others. */
export interface OldSetting<T> {
  readonly name: string
  readonly aliases: readonly string[]
  readonly kind: Kind<T>
  /** The setting that it is translated into. */
  readonly becomes: string
  readonly about: string
}

/** A number, where 0, false, and null mean "no limit". */
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
    about: 'Identifiers that users can sign in with.',
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

/** A setting of the reference that takes code, or for which this package has another mechanism. */
export interface Elsewhere {
  readonly name: string
  readonly group: string
  /** A sentence that says what to do instead. */
  readonly instead: string
  /** Returns whether the value doesn't change what this package does anyway. */
  readonly isHarmless: (value: unknown) => boolean
}

/** Returns whether a value is a class of the reference itself, under either product name. */
const isReferenceClass = (value: unknown): value is string =>
  typeof value === 'string' && /^(authpkg|allauth)\./.test(value)

const isDefaultAdapter = (value: unknown): boolean =>
  value === null || value === '' || (isReferenceClass(value) && /\.Default\w*Adapter$/.test(value))

const areDefaultForms = (value: unknown): boolean =>
  value === null || (isRecord(value) && Object.values(value).every(isReferenceClass))

const adapterClassSetting = (name: string, group: string): Elsewhere => ({
  name,
  group,
  instead: "Class paths aren't supported. Pass the hooks as `adapters` to createAuth.",
  isHarmless: isDefaultAdapter,
})

const formClassSetting = (name: string, group: string): Elsewhere => ({
  name,
  group,
  instead: "Class paths aren't supported. Pass the forms as `forms` to createAuth.",
  isHarmless: areDefaultForms,
})

const alwaysTrue = (): boolean => true
const isAbsent = (value: unknown): boolean => value === null || value === ''

/** The reference's settings that aren't settings here. */
export const ELSEWHERE: readonly Elsewhere[] = [
  adapterClassSetting('MFA_ADAPTER', 'mfa'),
  adapterClassSetting('HEADLESS_ADAPTER', 'headless'),
  adapterClassSetting('USERSESSIONS_ADAPTER', 'usersessions'),
  adapterClassSetting('IDP_OIDC_ADAPTER', 'idpOidc'),
  formClassSetting('ACCOUNT_FORMS', 'account'),
  formClassSetting('SOCIALACCOUNT_FORMS', 'socialaccount'),
  formClassSetting('MFA_FORMS', 'mfa'),
  {
    name: 'ACCOUNT_SIGNUP_FORM_CLASS',
    group: 'account',
    instead: "Class paths aren't supported. Pass the extra fields as `signupForm` to createAuth.",
    isHarmless: isAbsent,
  },
  {
    name: 'ACCOUNT_PASSWORD_RESET_TOKEN_GENERATOR',
    group: 'account',
    instead: "Reset links always become invalid when the user's password, email address, or last login changes.",
    isHarmless: (value) => isAbsent(value) || isReferenceClass(value),
  },
  {
    name: 'SOCIALACCOUNT_UID_MAX_LENGTH',
    group: 'socialaccount',
    instead: 'The length is always 191.',
    isHarmless: (value) => value === 191 || value === '191',
  },
  {
    name: 'GATEPOST_SETTING_GETTER',
    group: '',
    instead: 'Settings are read once. Call createAuth for each set of settings.',
    isHarmless: isAbsent,
  },
  { name: 'SECRET_KEY', group: '', instead: 'Pass it as `secretKey` to createAuth.', isHarmless: alwaysTrue },
  { name: 'SESSION_ENGINE', group: '', instead: 'Sessions are stored in the database.', isHarmless: alwaysTrue },
  { name: 'CACHES', group: '', instead: 'Rate limits are stored in the database.', isHarmless: alwaysTrue },
]
