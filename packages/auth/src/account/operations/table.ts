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
const EMAIL_VERIFICATION = { path: 'auth/email/verify', access: 'anon', tag: 'Authentication' } as const
const PASSWORD_RESET = { path: 'auth/password/reset', access: 'anon', tag: 'Authentication: Password reset' } as const
const EMAIL_ADDRESSES = { path: 'account/email', access: 'anon', tag: 'Account: Email' } as const
const PHONE_NUMBER = { path: 'account/phone', access: 'anon', tag: 'Account: Phone number' } as const

/** The operations of accounts. */
export const ACCOUNT_OPERATIONS = defineOperations({
  getSession: {
    ...SESSION,
    method: 'GET',
    summary: 'Get the current session, or the ways to sign in',
    answers: SIGNED_IN,
  },
  logout: {
    ...SESSION,
    method: 'DELETE',
    summary: 'Sign out, or cancel a pending sign-in',
    answers: FLOWS,
  },
  login: {
    method: 'POST',
    path: 'auth/login',
    access: 'anon',
    tag: 'Authentication',
    summary: 'Sign in with a password',
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
    tag: 'Authentication',
    summary: 'Create an account',
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
    summary: 'Get the email address that a key or code verifies',
    input: [{ ...KEY, header: 'X-Email-Verification-Key' }],
    answers: { 200: 'EmailVerificationInfo', ...ERRORS, ...CONFLICT },
  },
  verifyEmail: {
    ...EMAIL_VERIFICATION,
    method: 'POST',
    summary: 'Verify an email address with the key from the link, or the code',
    input: [KEY],
    example: { key: 'X7K9QM' },
    answers: { ...SIGN_IN_ATTEMPT, ...CONFLICT },
  },
  resendEmailVerification: {
    method: 'POST',
    path: 'auth/email/verify/resend',
    access: 'anon',
    tag: 'Authentication',
    summary: 'Send a new email verification code',
    ignoresBody: true,
    answers: SENT,
  },
  verifyPhone: {
    method: 'POST',
    path: 'auth/phone/verify',
    access: 'anon',
    tag: 'Authentication',
    summary: 'Verify a phone number with the code sent to it',
    input: [CODE],
    example: { code: '482913' },
    answers: { ...SIGN_IN_ATTEMPT, ...CONFLICT },
  },
  resendPhoneVerification: {
    method: 'POST',
    path: 'auth/phone/verify/resend',
    access: 'anon',
    tag: 'Authentication',
    summary: 'Send a new phone verification code',
    ignoresBody: true,
    answers: SENT,
  },
  requestPasswordReset: {
    method: 'POST',
    path: 'auth/password/request',
    access: 'anon',
    tag: 'Authentication: Password reset',
    summary: 'Send a password reset email',
    input: [EMAIL_FIELD],
    example: { email: EMAIL },
    answers: { 200: 'Status', ...FLOWS, ...ERRORS },
  },
  getPasswordReset: {
    ...PASSWORD_RESET,
    method: 'GET',
    summary: 'Get the user whose password a key or code resets',
    input: [{ ...KEY, header: 'X-Password-Reset-Key' }],
    answers: { 200: 'PasswordResetInfo', ...ERRORS, ...CONFLICT },
  },
  resetPassword: {
    ...PASSWORD_RESET,
    method: 'POST',
    summary: 'Reset the password',
    input: [KEY, { name: 'password', kind: 'password', required: true }],
    example: { key: '1-d2x3kq-4f0c', password: PASSWORD },
    answers: { ...SIGN_IN_ATTEMPT, ...CONFLICT },
  },
  requestLoginCode: {
    method: 'POST',
    path: 'auth/code/request',
    access: 'anon',
    tag: 'Authentication: Sign-in by code',
    summary: 'Send a sign-in code',
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
    tag: 'Authentication: Sign-in by code',
    summary: 'Sign in with a code',
    input: [CODE],
    example: { code: '482913' },
    answers: { ...SIGN_IN_ATTEMPT, ...CONFLICT },
  },
  resendLoginCode: {
    method: 'POST',
    path: 'auth/code/resend',
    access: 'anon',
    tag: 'Authentication: Sign-in by code',
    summary: 'Send a new sign-in code; the previous one stops working',
    ignoresBody: true,
    answers: SENT,
  },
  reauthenticate: {
    method: 'POST',
    path: 'auth/reauthenticate',
    access: 'auth',
    tag: 'Authentication',
    summary: 'Confirm your identity with your password',
    input: [{ name: 'password', kind: 'password', required: true }],
    example: { password: PASSWORD },
    answers: SIGN_IN_ATTEMPT,
  },
  listEmails: {
    ...EMAIL_ADDRESSES,
    method: 'GET',
    summary: 'List your email addresses',
    answers: EMAILS,
  },
  addEmail: {
    ...EMAIL_ADDRESSES,
    method: 'POST',
    summary: 'Add an email address, or change the one of a pending sign-up',
    input: [EMAIL_FIELD],
    example: { email: OTHER_EMAIL },
    answers: { ...EMAILS, ...ERRORS, ...CONFLICT },
  },
  sendEmailVerification: {
    ...EMAIL_ADDRESSES,
    method: 'PUT',
    summary: 'Send the verification email again',
    input: [EMAIL_FIELD],
    example: { email: OTHER_EMAIL },
    answers: { 200: 'Status', ...FLOWS, ...ERRORS, ...FORBIDDEN },
  },
  makeEmailPrimary: {
    ...EMAIL_ADDRESSES,
    method: 'PATCH',
    summary: 'Make an email address primary',
    input: [EMAIL_FIELD, { name: 'primary', kind: 'boolean', required: true, values: [true], about: 'Always `true`.' }],
    example: { email: OTHER_EMAIL, primary: true },
    answers: { ...EMAILS, ...ERRORS },
  },
  removeEmail: {
    ...EMAIL_ADDRESSES,
    method: 'DELETE',
    summary: 'Remove an email address',
    input: [EMAIL_FIELD],
    example: { email: OTHER_EMAIL },
    answers: { ...EMAILS, ...ERRORS },
  },
  getPhone: {
    ...PHONE_NUMBER,
    method: 'GET',
    summary: 'Get your phone number',
    answers: { 200: 'PhoneNumbers', ...FLOWS },
  },
  changePhone: {
    ...PHONE_NUMBER,
    method: 'POST',
    summary: 'Change your phone number; it takes effect once verified',
    input: [{ name: 'phone', kind: 'text', required: true, maxLength: 100, about: 'With the country code.' }],
    example: { phone: PHONE },
    answers: { 202: 'PhoneNumbers', ...FLOWS, ...ERRORS, ...FORBIDDEN, ...CONFLICT },
  },
  changePassword: {
    method: 'POST',
    path: 'account/password/change',
    access: 'auth',
    tag: 'Account: Password',
    summary: 'Change your password, or set one',
    input: [
      { name: 'current_password', kind: 'password', required: false, about: 'Required if the account has a password.' },
      { name: 'new_password', kind: 'password', required: true },
    ],
    dynamicInput: 'settings',
    example: { current_password: PASSWORD, new_password: 'three made-up words again' },
    answers: SIGN_IN_ATTEMPT,
  },
})
