import { PASSWORD_ERRORS } from '../../kernel/forms/error-messages.ts'
import { SIGNED_IN } from '../../kernel/operations/declaration.ts'

/** Sample input; made up. */
export const SAMPLE = {
  email: 'ada@example.org',
  phone: '+4915112345678',
  password: 'correct horse battery staple',
  code: '482913',
} as const

/** A one-time code. */
export const CODE_FIELD = { name: 'code', kind: 'text', required: true, errors: ['incorrect_code'] } as const

/** A password that must follow the rules. */
export const NEW_PASSWORD_FIELD = {
  name: 'password',
  kind: 'password',
  required: true,
  errors: PASSWORD_ERRORS,
} as const

const SIGNUP_FIELDS = [
  { name: 'email', kind: 'email', required: false, errors: ['email_taken'] },
  { name: 'phone', kind: 'text', required: false, errors: ['invalid_phone', 'phone_taken'] },
  {
    name: 'username',
    kind: 'text',
    required: false,
    errors: ['min_length', 'username_blacklisted', 'username_taken'],
  },
] as const

/** The part of an operation that takes the sign-up form without a password. */
export const PASSWORDLESS_SIGNUP = {
  input: SIGNUP_FIELDS,
  dynamicInput: 'form',
  example: { email: SAMPLE.email, username: 'ada', phone: SAMPLE.phone },
  answers: SIGNED_IN,
  errors: ['permission_denied', 'flow_wrong_stage'],
} as const

/** The part of an operation that takes the whole sign-up form. */
export const SIGNUP = {
  ...PASSWORDLESS_SIGNUP,
  input: [...SIGNUP_FIELDS, { ...NEW_PASSWORD_FIELD, required: false }],
  example: { ...PASSWORDLESS_SIGNUP.example, password: SAMPLE.password },
} as const
