import { defineOperations, FLOWS, SIGNED_IN } from '../../kernel/operations/declaration.ts'
import { CODE_FIELD, NEW_PASSWORD_FIELD, SAMPLE, SIGNUP } from './fields.ts'

const OTHER_EMAIL = 'ada@example.net'

const EMAIL_FIELD = { name: 'email', kind: 'email', required: true, maxLength: 320 } as const
const LISTED_EMAIL = { ...EMAIL_FIELD, errors: ['unknown_email'] } as const
const VERIFICATION_KEY = {
  name: 'key',
  kind: 'text',
  required: true,
  errors: ['incorrect_code', 'invalid_or_expired_key', 'email_taken'],
} as const
const RESET_KEY = {
  name: 'key',
  kind: 'text',
  required: true,
  errors: ['incorrect_code', 'invalid_password_reset'],
} as const
/** The part of an operation that sends a new code for a pending step. */
const RESEND = {
  method: 'POST',
  access: 'anon',
  ignoresBody: true,
  answers: { 200: 'Status' },
  errors: ['flow_wrong_stage'],
} as const

const SESSION = { path: 'auth/session', access: 'anon', tag: 'Session' } as const
const AUTHENTICATION = { access: 'anon', tag: 'Authentication' } as const
const EMAIL_VERIFICATION = { ...AUTHENTICATION, path: 'auth/email/verify' } as const
const PASSWORD_RESET = { path: 'auth/password/reset', access: 'anon', tag: 'Authentication: Password reset' } as const
const LOGIN_CODE = { method: 'POST', access: 'anon', tag: 'Authentication: Sign-in by code' } as const
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
    ignoresBody: true,
    answers: FLOWS,
  },
  login: {
    ...AUTHENTICATION,
    method: 'POST',
    path: 'auth/login',
    summary: 'Sign in with a password',
    input: [
      { name: 'username', kind: 'text', required: false, maxLength: 320, errors: ['username_password_mismatch'] },
      { name: 'email', kind: 'email', required: false, maxLength: 320, errors: ['email_password_mismatch'] },
      {
        name: 'phone',
        kind: 'text',
        required: false,
        maxLength: 320,
        errors: ['invalid_phone', 'phone_password_mismatch'],
      },
      { name: 'password', kind: 'password', required: true },
    ],
    dynamicInput: 'settings',
    oneOf: ['username', 'email', 'phone'],
    example: { email: SAMPLE.email, password: SAMPLE.password },
    answers: SIGNED_IN,
    errors: ['invalid_login', 'too_many_login_attempts', 'flow_wrong_stage'],
  },
  signup: {
    ...AUTHENTICATION,
    ...SIGNUP,
    method: 'POST',
    path: 'auth/signup',
    summary: 'Create an account',
  },
  getEmailVerification: {
    ...EMAIL_VERIFICATION,
    method: 'GET',
    summary: 'Get the email address that a key or code verifies',
    input: [{ ...VERIFICATION_KEY, header: 'X-Email-Verification-Key' }],
    answers: { 200: 'EmailVerificationInfo' },
    errors: ['flow_wrong_stage'],
  },
  verifyEmail: {
    ...EMAIL_VERIFICATION,
    method: 'POST',
    summary: 'Verify an email address with the key from the link, or the code',
    input: [VERIFICATION_KEY],
    example: { key: 'X7K9QM' },
    answers: SIGNED_IN,
    errors: ['max_email_addresses', 'flow_wrong_stage'],
  },
  resendEmailVerification: {
    ...AUTHENTICATION,
    ...RESEND,
    path: 'auth/email/verify/resend',
    summary: 'Send a new email verification code',
  },
  verifyPhone: {
    ...AUTHENTICATION,
    method: 'POST',
    path: 'auth/phone/verify',
    summary: 'Verify a phone number with the code sent to it',
    input: [CODE_FIELD],
    example: { code: SAMPLE.code },
    answers: SIGNED_IN,
    errors: ['phone_taken', 'flow_wrong_stage'],
  },
  resendPhoneVerification: {
    ...AUTHENTICATION,
    ...RESEND,
    path: 'auth/phone/verify/resend',
    summary: 'Send a new phone verification code',
  },
  requestPasswordReset: {
    method: 'POST',
    path: 'auth/password/request',
    access: 'anon',
    tag: 'Authentication: Password reset',
    summary: 'Send a password reset email',
    input: [LISTED_EMAIL],
    example: { email: SAMPLE.email },
    answers: { 200: 'Status', ...FLOWS },
  },
  getPasswordReset: {
    ...PASSWORD_RESET,
    method: 'GET',
    summary: 'Get the user whose password a key or code resets',
    input: [{ ...RESET_KEY, header: 'X-Password-Reset-Key' }],
    answers: { 200: 'PasswordResetInfo' },
    errors: ['flow_wrong_stage'],
  },
  resetPassword: {
    ...PASSWORD_RESET,
    method: 'POST',
    summary: 'Reset the password',
    input: [RESET_KEY, NEW_PASSWORD_FIELD],
    example: { key: '1-d2x3kq-4f0c', password: SAMPLE.password },
    answers: SIGNED_IN,
    errors: ['flow_wrong_stage', 'not_found'],
  },
  requestLoginCode: {
    ...LOGIN_CODE,
    path: 'auth/code/request',
    summary: 'Send a sign-in code',
    input: [
      { name: 'email', kind: 'email', required: false, maxLength: 320, errors: ['unknown_email'] },
      { name: 'phone', kind: 'text', required: false, maxLength: 40, errors: ['invalid_phone', 'unknown_phone'] },
    ],
    dynamicInput: 'settings',
    oneOf: ['email', 'phone'],
    example: { email: SAMPLE.email },
    answers: SIGNED_IN,
    errors: ['required', 'select_only_one', 'too_many_login_attempts'],
  },
  confirmLoginCode: {
    ...LOGIN_CODE,
    path: 'auth/code/confirm',
    summary: 'Sign in with a code',
    input: [CODE_FIELD],
    example: { code: SAMPLE.code },
    answers: SIGNED_IN,
    errors: ['flow_wrong_stage'],
  },
  resendLoginCode: {
    ...LOGIN_CODE,
    ...RESEND,
    path: 'auth/code/resend',
    summary: 'Send a new sign-in code; the previous one stops working',
  },
  reauthenticate: {
    method: 'POST',
    path: 'auth/reauthenticate',
    access: 'auth',
    tag: 'Authentication',
    summary: 'Confirm your identity with your password',
    input: [{ name: 'password', kind: 'password', required: true, errors: ['incorrect_password'] }],
    example: { password: SAMPLE.password },
    answers: { 200: 'Authenticated' },
    errors: ['too_many_login_attempts'],
  },
  listEmails: {
    ...EMAIL_ADDRESSES,
    method: 'GET',
    summary: 'List your email addresses',
    answers: { 200: 'EmailAddresses', ...FLOWS },
  },
  addEmail: {
    ...EMAIL_ADDRESSES,
    method: 'POST',
    summary: 'Add an email address, or change the one of a pending sign-up',
    input: [EMAIL_FIELD],
    example: { email: OTHER_EMAIL },
    answers: { 200: 'EmailAddresses', ...FLOWS },
    errors: [
      'add_email_blocked',
      'duplicate_email',
      'email_taken',
      'max_email_addresses',
      'same_as_current',
      'flow_wrong_stage',
    ],
  },
  sendEmailVerification: {
    ...EMAIL_ADDRESSES,
    method: 'PUT',
    summary: 'Send the verification email again',
    input: [LISTED_EMAIL],
    example: { email: OTHER_EMAIL },
    answers: { 200: 'Status', ...FLOWS, 403: 'Status' },
  },
  makeEmailPrimary: {
    ...EMAIL_ADDRESSES,
    method: 'PATCH',
    summary: 'Make an email address primary',
    input: [
      LISTED_EMAIL,
      { name: 'primary', kind: 'boolean', required: true, values: [true], about: 'Always `true`.' },
    ],
    example: { email: OTHER_EMAIL, primary: true },
    answers: { 200: 'EmailAddresses', ...FLOWS },
    errors: ['unverified_primary_email'],
  },
  removeEmail: {
    ...EMAIL_ADDRESSES,
    method: 'DELETE',
    summary: 'Remove an email address',
    input: [LISTED_EMAIL],
    example: { email: OTHER_EMAIL },
    answers: { 200: 'EmailAddresses', ...FLOWS },
    errors: ['cannot_remove_primary_email'],
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
    input: [
      {
        name: 'phone',
        kind: 'text',
        required: true,
        maxLength: 100,
        about: 'With the country code.',
        errors: ['invalid_phone', 'phone_taken', 'same_as_current'],
      },
    ],
    example: { phone: SAMPLE.phone },
    answers: { 202: 'PhoneNumbers', ...FLOWS },
    errors: ['permission_denied', 'flow_wrong_stage'],
  },
  changePassword: {
    method: 'POST',
    path: 'account/password/change',
    access: 'auth',
    tag: 'Account: Password',
    summary: 'Change your password, or set one',
    input: [
      {
        name: 'current_password',
        kind: 'password',
        required: false,
        about: 'Required if the account has a password.',
        errors: ['enter_current_password'],
      },
      { ...NEW_PASSWORD_FIELD, name: 'new_password' },
    ],
    dynamicInput: 'settings',
    example: { current_password: SAMPLE.password, new_password: 'three made-up words again' },
    answers: { 200: 'Authenticated' },
    errors: ['not_found'],
  },
})
