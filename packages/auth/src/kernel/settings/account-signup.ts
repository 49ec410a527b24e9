import type { User } from '../users/user.ts'
import { HOST } from './host.ts'
import { callable, flag, listOf, nullable, redirect, text, textLike, whole } from './kind.ts'
import { setting } from './setting.ts'
import { signupFields } from './signup-fields.ts'

const fieldName = textLike('the name of a field', 'email', /^[A-Za-z_][A-Za-z0-9_]*$/, 63)

/** Sign-up and user names: `ACCOUNT_…`. */
export const ACCOUNT_SIGNUP = {
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
    about: 'Fields of the sign-up form in their order; * marks the required ones.',
  }),
  signupFormHoneypotField: setting({
    name: 'ACCOUNT_SIGNUP_FORM_HONEYPOT_FIELD',
    kind: nullable(fieldName),
    fallback: null,
    about: 'Name of a hidden field that only robots fill in.',
  }),
  signupRedirectUrl: setting({
    name: 'ACCOUNT_SIGNUP_REDIRECT_URL',
    kind: redirect,
    fallback: (get) => get(HOST.loginRedirectUrl),
    fallbackText: 'LOGIN_REDIRECT_URL',
    about: 'Where to go after a sign-up without a further step.',
  }),
  preserveUsernameCasing: setting({
    name: 'ACCOUNT_PRESERVE_USERNAME_CASING',
    kind: flag,
    fallback: true,
    about: 'Keeps upper case in user names; they are found without regard to it either way.',
  }),
  usernameBlacklist: setting({
    name: 'ACCOUNT_USERNAME_BLACKLIST',
    kind: listOf(text(150), 'user names'),
    fallback: [],
    about: 'User names that nobody may choose, in upper or lower case.',
  }),
  usernameMinLength: setting({
    name: 'ACCOUNT_USERNAME_MIN_LENGTH',
    kind: whole(1, 150),
    fallback: 1,
    about: 'Least characters of a user name.',
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
    about: 'Functions that answer what is wrong with a user name, or null; null: letters, digits and @ . + - _.',
  }),
  userDisplay: setting({
    name: 'ACCOUNT_USER_DISPLAY',
    kind: nullable(callable<(user: User) => string>(({ username }) => username)),
    fallback: null,
    about: 'Function that gives the text shown for a user; null: user name, else e-mail address.',
  }),
  userModelEmailField: setting({
    name: 'ACCOUNT_USER_MODEL_EMAIL_FIELD',
    kind: nullable(fieldName),
    fallback: 'email',
    about: 'Column of the address in the user table; null: it has none.',
  }),
  userModelUsernameField: setting({
    name: 'ACCOUNT_USER_MODEL_USERNAME_FIELD',
    kind: nullable(fieldName),
    fallback: 'username',
    about: 'Column of the user name in the user table; null: users have no names.',
  }),
  templateExtension: setting({
    name: 'ACCOUNT_TEMPLATE_EXTENSION',
    kind: textLike('letters and digits', 'html', /^[a-z0-9]{1,20}$/, 20),
    fallback: 'html',
    about: 'Ending of page templates and of the HTML part of mails.',
  }),
}
