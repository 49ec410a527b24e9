import { CODE_FIELD, PASSWORDLESS_SIGNUP, SAMPLE } from '../../account/operations/fields.ts'
import { defineOperations, FLOWS, SIGNED_IN } from '../../kernel/operations/declaration.ts'

const EXAMPLE_CREDENTIAL = {
  id: 'pG2bZQ',
  rawId: 'pG2bZQ',
  type: 'public-key',
  response: { clientDataJSON: 'eyJ0eXBlIjoi', authenticatorData: 'SZYN5Y', signature: 'MEUCIQ' },
  clientExtensionResults: {},
}
/** The part of an operation that confirms an identity with a code. */
const BY_CODE = {
  method: 'POST',
  input: [{ ...CODE_FIELD, about: 'A code from the authenticator app, or a recovery code.' }],
  example: { code: SAMPLE.code },
  errors: ['too_many_login_attempts', 'not_found'],
} as const
/** The part of an operation that confirms an identity with a passkey or security key. */
const BY_KEY = {
  method: 'POST',
  input: [
    {
      name: 'credential',
      kind: 'object',
      required: true,
      about: 'The result of `navigator.credentials.get()` as JSON.',
      errors: ['incorrect_code'],
    },
  ],
  example: { credential: EXAMPLE_CREDENTIAL },
  errors: ['too_many_login_attempts', 'not_found'],
} as const
/** The input for a new passkey or security key. */
const NEW_KEY = {
  input: [
    { name: 'name', kind: 'text', required: false, about: 'Default: a generated name.' },
    {
      name: 'credential',
      kind: 'object',
      required: true,
      about: 'The result of `navigator.credentials.create()` as JSON.',
      errors: ['incorrect_code'],
    },
  ],
  example: { name: 'Laptop', credential: EXAMPLE_CREDENTIAL },
} as const

const SECOND_FACTOR = 'Authentication: Two-factor authentication'
const PASSKEYS = 'Authentication: Passkeys'
const MANAGEMENT = { access: 'auth', tag: 'Account: Two-factor authentication' } as const
const KEY_AUTHENTICATION = { path: 'auth/webauthn/authenticate', access: 'anon', tag: SECOND_FACTOR } as const
const KEY_REAUTHENTICATION = { path: 'auth/webauthn/reauthenticate', access: 'auth', tag: SECOND_FACTOR } as const
const PASSKEY_LOGIN = { path: 'auth/webauthn/login', access: 'anon', tag: PASSKEYS } as const
const PASSKEY_SIGNUP = { path: 'auth/webauthn/signup', access: 'anon', tag: PASSKEYS } as const
const TOTP = { ...MANAGEMENT, path: 'account/authenticators/totp' } as const
const RECOVERY_CODES = { ...MANAGEMENT, path: 'account/authenticators/recovery-codes' } as const
const SECURITY_KEYS = { ...MANAGEMENT, path: 'account/authenticators/webauthn' } as const

/** The operations of two-factor authentication and passkeys. */
export const MFA_OPERATIONS = defineOperations({
  authenticateByCode: {
    ...BY_CODE,
    path: 'auth/2fa/authenticate',
    access: 'anon',
    tag: SECOND_FACTOR,
    summary: 'Continue a sign-in with a code',
    answers: SIGNED_IN,
  },
  reauthenticateByCode: {
    ...BY_CODE,
    path: 'auth/2fa/reauthenticate',
    access: 'auth',
    tag: SECOND_FACTOR,
    summary: 'Confirm your identity with a code',
    answers: { 200: 'Authenticated' },
  },
  trustBrowser: {
    method: 'POST',
    path: 'auth/2fa/trust',
    clients: ['browser'],
    access: 'anon',
    tag: SECOND_FACTOR,
    summary: 'Choose whether to trust this browser',
    input: [{ name: 'trust', kind: 'boolean', required: false, about: 'Default: false.' }],
    example: { trust: true },
    answers: SIGNED_IN,
  },
  getWebauthnAuthentication: {
    ...KEY_AUTHENTICATION,
    method: 'GET',
    summary: 'Get the options for continuing a sign-in with a security key',
    answers: { 200: 'RequestOptions', ...FLOWS },
  },
  authenticateByWebauthn: {
    ...KEY_AUTHENTICATION,
    ...BY_KEY,
    summary: 'Continue a sign-in with a security key',
    answers: SIGNED_IN,
  },
  getWebauthnReauthentication: {
    ...KEY_REAUTHENTICATION,
    method: 'GET',
    summary: 'Get the options for confirming your identity with a security key',
    answers: { 200: 'RequestOptions' },
  },
  reauthenticateByWebauthn: {
    ...KEY_REAUTHENTICATION,
    ...BY_KEY,
    summary: 'Confirm your identity with a security key',
    answers: { 200: 'Authenticated' },
  },
  getWebauthnLogin: {
    ...PASSKEY_LOGIN,
    method: 'GET',
    summary: 'Get the options for signing in with a passkey',
    answers: { 200: 'RequestOptions' },
    errors: ['address_unknown', 'rate_limited'],
  },
  loginByWebauthn: {
    ...PASSKEY_LOGIN,
    ...BY_KEY,
    summary: 'Sign in with a passkey',
    answers: SIGNED_IN,
  },
  signupByPasskey: {
    ...PASSKEY_SIGNUP,
    ...PASSWORDLESS_SIGNUP,
    method: 'POST',
    summary: 'Start a sign-up with a passkey',
  },
  getPasskeySignup: {
    ...PASSKEY_SIGNUP,
    method: 'GET',
    summary: 'Get the options for creating the passkey',
    answers: { 200: 'CreationOptions' },
    errors: ['flow_wrong_stage'],
  },
  completePasskeySignup: {
    ...PASSKEY_SIGNUP,
    ...NEW_KEY,
    method: 'PUT',
    summary: 'Complete a sign-up with a passkey',
    answers: SIGNED_IN,
    errors: ['flow_wrong_stage'],
  },
  listAuthenticators: {
    ...MANAGEMENT,
    method: 'GET',
    path: 'account/authenticators',
    summary: 'List your authenticators',
    answers: { 200: 'Authenticators' },
  },
  getTotp: {
    ...TOTP,
    method: 'GET',
    summary: 'Get your authenticator app, or a secret for adding one',
    answers: { 200: 'TotpAuthenticator', 404: 'TotpOffer' },
    conflicts: ['unverified_email'],
  },
  activateTotp: {
    ...TOTP,
    method: 'POST',
    summary: 'Add an authenticator app',
    input: [{ ...CODE_FIELD, about: 'The code shown in the app.' }],
    example: { code: SAMPLE.code },
    answers: { 200: 'TotpAdded' },
    errors: ['unverified_email', 'flow_wrong_stage'],
  },
  deactivateTotp: {
    ...TOTP,
    method: 'DELETE',
    summary: 'Remove your authenticator app',
    answers: { 200: 'Status' },
    errors: ['cannot_delete_authenticator'],
  },
  getRecoveryCodes: {
    ...RECOVERY_CODES,
    method: 'GET',
    summary: 'Get your recovery codes',
    answers: { 200: 'RecoveryCodes', 404: 'Status' },
  },
  generateRecoveryCodes: {
    ...RECOVERY_CODES,
    method: 'POST',
    summary: 'Generate new recovery codes',
    answers: { 200: 'RecoveryCodes' },
    errors: ['cannot_generate_recovery_codes'],
  },
  getWebauthnCreation: {
    ...SECURITY_KEYS,
    method: 'GET',
    summary: 'Get the options for adding a passkey or security key',
    query: ['passwordless'],
    answers: { 200: 'CreationOptions' },
    conflicts: ['unverified_email'],
  },
  addWebauthn: {
    ...SECURITY_KEYS,
    ...NEW_KEY,
    method: 'POST',
    summary: 'Add a passkey or security key',
    answers: { 200: 'WebauthnAdded' },
    errors: ['unverified_email'],
    conflicts: ['unverified_email'],
  },
  renameWebauthn: {
    ...SECURITY_KEYS,
    method: 'PUT',
    summary: 'Rename a passkey or security key',
    input: [
      { name: 'id', kind: 'id', required: true },
      { name: 'name', kind: 'text', required: true, maxLength: 100 },
    ],
    example: { id: 7, name: 'Old laptop' },
    answers: { 200: 'WebauthnAuthenticator' },
    errors: ['not_found'],
  },
  removeWebauthn: {
    ...SECURITY_KEYS,
    method: 'DELETE',
    summary: 'Remove passkeys or security keys',
    input: [{ name: 'authenticators', kind: 'ids', required: true, errors: ['invalid_choice'] }],
    example: { authenticators: [7] },
    answers: { 200: 'Status' },
    errors: ['cannot_delete_authenticator'],
  },
})
