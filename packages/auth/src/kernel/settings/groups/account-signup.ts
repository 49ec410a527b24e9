import { adapter } from '../adapter.ts'
import type { User } from '../../users/user.ts'
import { HOST } from './host.ts'
import {
  callable,
  choice,
  flag,
  isRecord,
  type Kind,
  listOf,
  nullable,
  type Reading,
  redirect,
  textLike,
  textLine,
  wholeNumber,
} from '../kind.ts'
import { setting } from '../setting.ts'

const fieldName = textLike('a field name', 'email', /^[A-Za-z_][A-Za-z0-9_]*$/, 63)

/** The built-in signup fields. */
const SIGNUP_FIELD_NAMES = ['username', 'email', 'email2', 'phone', 'password1', 'password2'] as const
/** The name of a signup field. */
export type SignupFieldName = (typeof SIGNUP_FIELD_NAMES)[number]

/** A signup field. The list is in form order. */
interface SignupField {
  readonly name: SignupFieldName
  readonly required: boolean
}

const signupFieldName = choice(...SIGNUP_FIELD_NAMES)

function readField(value: unknown): Reading<SignupField> {
  const { name, required } = isRecord(value)
    ? value
    : typeof value === 'string'
      ? { name: value.replace(/\*$/, ''), required: value.endsWith('*') }
      : {}
  if (name === 'password') return { problem: 'must be password1, not password' }
  const reading = signupFieldName.read(name)
  if ('problem' in reading || typeof required !== 'boolean')
    return { problem: `must be one of ${SIGNUP_FIELD_NAMES.join(', ')}, followed by * if required` }
  return { value: { name: reading.value, required } }
}

const field: Kind<SignupField, SignupField | string> = {
  type: `one of ${SIGNUP_FIELD_NAMES.join(', ')}`,
  example: 'email*',
  read: readField,
  fromText: (text) => text,
}

const list = listOf(
  field,
  'sign-up fields (username, email, email2, phone, password1, password2; * marks required fields)',
)

/** Signup fields: `email*` is required, `email` is optional. `password2` is required if `password1` is. */
const signupFields: Kind<
  readonly SignupField[],
  readonly (SignupField | string)[] | ReadonlySet<SignupField | string>
> = {
  ...list,
  example: ['email*', 'password1*'],
  read(value) {
    const reading = list.read(value)
    if ('problem' in reading) return reading
    const names = reading.value.map(({ name }) => name)
    const twice = names.find((name, at) => names.indexOf(name) !== at)
    if (twice !== undefined) return { problem: `must name each field once: ${twice} stands twice` }
    const password = reading.value.find(({ name }) => name === 'password1')
    if (names.includes('password2') && !password) return { problem: 'must have password1 where it has password2' }
    if (names.includes('email2') && !names.includes('email')) return { problem: 'must have email where it has email2' }
    const required = password?.required ?? false
    return { value: reading.value.map((entry) => (entry.name === 'password2' ? { ...entry, required } : entry)) }
  },
}

/** Signup and usernames: `ACCOUNT_…`. */
export const ACCOUNT_SIGNUP = {
  adapter: setting({
    name: 'ACCOUNT_ADAPTER',
    kind: adapter,
    fallback: null,
    about: 'Hooks of accounts, instead of the option adapters.account of createAuth.',
  }),
  signupFields: setting({
    name: 'ACCOUNT_SIGNUP_FIELDS',
    kind: signupFields,
    fallback: [
      { name: 'username', required: true },
      { name: 'email', required: false },
      { name: 'password1', required: true },
      { name: 'password2', required: true },
    ],
    fallbackText: 'username*, email, password1*, password2*',
    about: 'Fields of the sign-up form, in order. * marks required fields.',
  }),
  signupFormHoneypotField: setting({
    name: 'ACCOUNT_SIGNUP_FORM_HONEYPOT_FIELD',
    kind: nullable(fieldName),
    fallback: null,
    about: 'Name of a hidden field that only bots fill in.',
  }),
  signupRedirectUrl: setting({
    name: 'ACCOUNT_SIGNUP_REDIRECT_URL',
    kind: redirect,
    fallback: (get) => get(HOST.loginRedirectUrl),
    fallbackText: 'LOGIN_REDIRECT_URL',
    about: 'Where to go after a sign-up that needs no further step.',
  }),
  preserveUsernameCasing: setting({
    name: 'ACCOUNT_PRESERVE_USERNAME_CASING',
    kind: flag,
    fallback: true,
    about: 'Keeps upper case in usernames. Lookups ignore case either way.',
  }),
  usernameBlacklist: setting({
    name: 'ACCOUNT_USERNAME_BLACKLIST',
    kind: listOf(textLine(150), 'usernames'),
    fallback: [],
    about: "Usernames that can't be chosen, ignoring case.",
  }),
  usernameMinLength: setting({
    name: 'ACCOUNT_USERNAME_MIN_LENGTH',
    kind: wholeNumber(1, 150),
    fallback: 1,
    about: 'Minimum length of a username.',
  }),
  usernameValidators: setting({
    name: 'ACCOUNT_USERNAME_VALIDATORS',
    kind: nullable(
      listOf(
        callable<(username: string) => string | null>(() => null),
        'functions',
      ),
    ),
    fallback: null,
    about:
      'Functions that return an error message for a username, or null. null: allows letters, digits, and @ . + - _.',
  }),
  userDisplay: setting({
    name: 'ACCOUNT_USER_DISPLAY',
    kind: nullable(callable<(user: User) => string>(({ username }) => username)),
    fallback: null,
    about: "Function that returns a user's display name. null: the username, or else the email address.",
  }),
  userModelEmailField: setting({
    name: 'ACCOUNT_USER_MODEL_EMAIL_FIELD',
    kind: nullable(fieldName),
    fallback: 'email',
    about: 'Email column of the user table. null: no such column.',
  }),
  userModelUsernameField: setting({
    name: 'ACCOUNT_USER_MODEL_USERNAME_FIELD',
    kind: nullable(fieldName),
    fallback: 'username',
    about: 'Username column of the user table. null: users have no usernames.',
  }),
  templateExtension: setting({
    name: 'ACCOUNT_TEMPLATE_EXTENSION',
    kind: textLike('letters and digits', 'html', /^[a-z0-9]{1,20}$/, 20),
    fallback: 'html',
    about: 'File extension of page templates and of the HTML part of emails.',
  }),
}
