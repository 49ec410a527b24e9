import type { User } from '../users/user.ts'
import { HOST } from './host.ts'
import { callable, flag, listOf, nullable, redirect, textLine, textLike, wholeNumber } from './kind.ts'
import { setting } from './setting.ts'
import { signupFields } from './signup-fields.ts'

const fieldName = textLike('a field name', 'email', /^[A-Za-z_][A-Za-z0-9_]*$/, 63)

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
