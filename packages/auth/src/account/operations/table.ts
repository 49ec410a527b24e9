import {
  CONFLICT,
  defineOperations,
  ERRORS,
  FLOWS,
  FORBIDDEN,
  SIGN_IN_ATTEMPT,
  SIGNED_IN,
} from '../../kernel/operations/declaration.ts'

const EMAIL = 'ada@example.org'
const OTHER_EMAIL = 'ada@example.net'
const PHONE = '+4915112345678'
const PASSWORD = 'correct horse battery staple'

const CODE = { name: 'code', kind: 'text', required: true } as const
const KEY = { name: 'key', kind: 'text', required: true } as const
const EMAIL_FIELD = { name: 'email', kind: 'email', required: true, maxLength: 320 } as const
const EMAILS = { 200: 'EmailAddresses', ...FLOWS } as const
const SENT = { 200: 'Status', ...CONFLICT } as const

const SESSION = { path: 'auth/session', access: 'anon', tag: 'Session' } as const
const EMAIL_VERIFICATION = { path: 'auth/email/verify', access: 'anon', tag: 'Account' } as const
const PASSWORD_RESET = { path: 'auth/password/reset', access: 'anon', tag: 'Password reset' } as const
const EMAIL_ADDRESSES = { path: 'account/email', access: 'anon', tag: 'Account: e-mail' } as const
const PHONE_NUMBER = { path: 'account/phone', access: 'anon', tag: 'Account: phone' } as const

/** The operations of accounts. */
export const ACCOUNT_OPERATIONS = defineOperations({
  getSession: {
    ...SESSION,
    method: 'GET',
    summary: 'Tells who is signed in, or how to sign in',
    answers: SIGNED_IN,
  },
  logout: {
    ...SESSION,
    method: 'DELETE',
    summary: 'Signs out, and gives up a login that is under way',
    answers: FLOWS,
  },
  login: {
    method: 'POST',
    path: 'auth/login',
    access: 'anon',
    tag: 'Account',
    summary: 'Signs in with a password',
    input: [
      { name: 'username', kind: 'text', required: false, maxLength: 320 },
      { name: 'email', kind: 'email', required: false, maxLength: 320 },
      { name: 'phone', kind: 'text', required: false, maxLength: 320 },
      { name: 'password', kind: 'password', required: true },
    ],
    dynamicInput: 'settings',
    oneOf: ['username', 'email', 'phone'],
    example: { email: EMAIL, password: PASSWORD },
    answers: { ...SIGN_IN_ATTEMPT, ...CONFLICT },
  },
  signup: {
    method: 'POST',
    path: 'auth/signup',
    access: 'anon',
    tag: 'Account',
    summary: 'Creates an account',
    input: [
      { name: 'email', kind: 'email', required: false },
      { name: 'phone', kind: 'text', required: false },
      { name: 'username', kind: 'text', required: false },
      { name: 'password', kind: 'password', required: false },
    ],
    dynamicInput: 'form',
    example: { email: EMAIL, username: 'ada', phone: PHONE, password: PASSWORD },
    answers: { ...SIGN_IN_ATTEMPT, ...FORBIDDEN, ...CONFLICT },
  },
  getEmailVerification: {
    ...EMAIL_VERIFICATION,
    method: 'GET',
    summary: 'Tells what the key of a mailed link, or a code, is for',
    input: [{ ...KEY, header: 'X-Email-Verification-Key' }],
    answers: { 200: 'EmailVerificationInfo', ...ERRORS, ...CONFLICT },
  },
  verifyEmail: {
    ...EMAIL_VERIFICATION,
    method: 'POST',
    summary: 'Verifies an address with the key of a mailed link, or a code',
    input: [KEY],
    example: { key: 'X7K9QM' },
    answers: { ...SIGN_IN_ATTEMPT, ...CONFLICT },
  },
  resendEmailVerification: {
    method: 'POST',
    path: 'auth/email/verify/resend',
    access: 'anon',
    tag: 'Account',
    summary: 'Sends another code to the address that is to be verified',
    ignoresBody: true,
    answers: SENT,
  },
  verifyPhone: {
    method: 'POST',
    path: 'auth/phone/verify',
    access: 'anon',
    tag: 'Account',
    summary: 'Verifies a phone number with the code that was sent to it',
    input: [CODE],
    example: { code: '482913' },
    answers: { ...SIGN_IN_ATTEMPT, ...CONFLICT },
  },
  resendPhoneVerification: {
    method: 'POST',
    path: 'auth/phone/verify/resend',
    access: 'anon',
    tag: 'Account',
    summary: 'Sends another code to the phone that a login waits for',
    ignoresBody: true,
    answers: SENT,
  },
  requestPasswordReset: {
    method: 'POST',
    path: 'auth/password/request',
    access: 'anon',
    tag: 'Password reset',
    summary: 'Mails what resets the password of whoever has this address',
    input: [EMAIL_FIELD],
    example: { email: EMAIL },
    answers: { 200: 'Status', ...FLOWS, ...ERRORS },
  },
  getPasswordReset: {
    ...PASSWORD_RESET,
    method: 'GET',
    summary: 'Tells whose password the key of a mailed link, or a code, resets',
    input: [{ ...KEY, header: 'X-Password-Reset-Key' }],
    answers: { 200: 'PasswordResetInfo', ...ERRORS, ...CONFLICT },
  },
  resetPassword: {
    ...PASSWORD_RESET,
    method: 'POST',
    summary: 'Sets a new password',
    input: [KEY, { name: 'password', kind: 'password', required: true }],
    example: { key: '1-d2x3kq-4f0c', password: PASSWORD },
    answers: { ...SIGN_IN_ATTEMPT, ...CONFLICT },
  },
  requestLoginCode: {
    method: 'POST',
    path: 'auth/code/request',
    access: 'anon',
    tag: 'Login by code',
    summary: 'Sends a code to sign in with',
    input: [
      { name: 'email', kind: 'email', required: false, maxLength: 320 },
      { name: 'phone', kind: 'text', required: false, maxLength: 40 },
    ],
    dynamicInput: 'settings',
    oneOf: ['email', 'phone'],
    example: { email: EMAIL },
    answers: SIGN_IN_ATTEMPT,
  },
  confirmLoginCode: {
    method: 'POST',
    path: 'auth/code/confirm',
    access: 'anon',
    tag: 'Login by code',
    summary: 'Signs in with a code',
    input: [CODE],
    example: { code: '482913' },
    answers: { ...SIGN_IN_ATTEMPT, ...CONFLICT },
  },
  resendLoginCode: {
    method: 'POST',
    path: 'auth/code/resend',
    access: 'anon',
    tag: 'Login by code',
    summary: 'Sends another code; the one before does not work any more',
    ignoresBody: true,
    answers: SENT,
  },
  reauthenticate: {
    method: 'POST',
    path: 'auth/reauthenticate',
    access: 'auth',
    tag: 'Account',
    summary: 'Confirms by password who is signed in',
    input: [{ name: 'password', kind: 'password', required: true }],
    example: { password: PASSWORD },
    answers: SIGN_IN_ATTEMPT,
  },
  listEmails: {
    ...EMAIL_ADDRESSES,
    method: 'GET',
    summary: 'Your e-mail addresses',
    answers: EMAILS,
  },
  addEmail: {
    ...EMAIL_ADDRESSES,
    method: 'POST',
    summary: 'Add an e-mail address, or take another one for the sign-up that waits for its code',
    input: [EMAIL_FIELD],
    example: { email: OTHER_EMAIL },
    answers: { ...EMAILS, ...ERRORS, ...CONFLICT },
  },
  sendEmailVerification: {
    ...EMAIL_ADDRESSES,
    method: 'PUT',
    summary: 'Send the verification of an e-mail address once more',
    input: [EMAIL_FIELD],
    example: { email: OTHER_EMAIL },
    answers: { 200: 'Status', ...FLOWS, ...ERRORS, ...FORBIDDEN },
  },
  makeEmailPrimary: {
    ...EMAIL_ADDRESSES,
    method: 'PATCH',
    summary: 'Make an e-mail address the primary one',
    input: [EMAIL_FIELD, { name: 'primary', kind: 'boolean', required: true, values: [true], about: 'Always `true`.' }],
    example: { email: OTHER_EMAIL, primary: true },
    answers: { ...EMAILS, ...ERRORS },
  },
  removeEmail: {
    ...EMAIL_ADDRESSES,
    method: 'DELETE',
    summary: 'Remove an e-mail address',
    input: [EMAIL_FIELD],
    example: { email: OTHER_EMAIL },
    answers: { ...EMAILS, ...ERRORS },
  },
  getPhone: {
    ...PHONE_NUMBER,
    method: 'GET',
    summary: 'Your phone number',
    answers: { 200: 'PhoneNumbers', ...FLOWS },
  },
  changePhone: {
    ...PHONE_NUMBER,
    method: 'POST',
    summary: 'Take another phone number, once the code that is sent to it is verified',
    input: [{ name: 'phone', kind: 'text', required: true, maxLength: 100, about: 'With the code of the country.' }],
    example: { phone: PHONE },
    answers: { 202: 'PhoneNumbers', ...FLOWS, ...ERRORS, ...FORBIDDEN, ...CONFLICT },
  },
  changePassword: {
    method: 'POST',
    path: 'account/password/change',
    access: 'auth',
    tag: 'Account: password',
    summary: 'Change your password, or set the first one',
    input: [
      { name: 'current_password', kind: 'password', required: false, about: 'Of accounts that have a password.' },
      { name: 'new_password', kind: 'password', required: true },
    ],
    dynamicInput: 'settings',
    example: { current_password: PASSWORD, new_password: 'three made-up words again' },
    answers: SIGN_IN_ATTEMPT,
  },
})
