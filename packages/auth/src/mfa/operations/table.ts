import {
  CONFLICT,
  defineOperations,
  ERRORS,
  FLOWS,
  FORBIDDEN,
  SIGN_IN_ATTEMPT,
} from '../../kernel/operations/declaration.ts'

const EXAMPLE_CREDENTIAL = {
  id: 'pG2bZQ',
  rawId: 'pG2bZQ',
  type: 'public-key',
  response: { clientDataJSON: 'eyJ0eXBlIjoi', authenticatorData: 'SZYN5Y', signature: 'MEUCIQ' },
  clientExtensionResults: {},
}
const EXAMPLE_CODE = { code: '482913' }

const CODE = {
  name: 'code',
  kind: 'text',
  required: true,
  about: 'A code from the authenticator app, or a recovery code.',
} as const
const ASSERTION = {
  name: 'credential',
  kind: 'object',
  required: true,
  about: 'The result of `navigator.credentials.get()` as JSON.',
} as const
const NEW_CREDENTIAL = [
  { name: 'name', kind: 'text', required: false, about: 'Default: a generated name.' },
  {
    name: 'credential',
    kind: 'object',
    required: true,
    about: 'The result of `navigator.credentials.create()` as JSON.',
  },
] as const
const OPTIONS = { 200: 'RequestOptions' } as const

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
    method: 'POST',
    path: 'auth/2fa/authenticate',
    access: 'anon',
    tag: SECOND_FACTOR,
    summary: 'Continue a sign-in with a code',
    input: [CODE],
    example: EXAMPLE_CODE,
    answers: SIGN_IN_ATTEMPT,
  },
  reauthenticateByCode: {
    method: 'POST',
    path: 'auth/2fa/reauthenticate',
    access: 'auth',
    tag: SECOND_FACTOR,
    summary: 'Confirm your identity with a code',
    input: [CODE],
    example: EXAMPLE_CODE,
    answers: SIGN_IN_ATTEMPT,
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
    answers: SIGN_IN_ATTEMPT,
  },
  getWebauthnAuthentication: {
    ...KEY_AUTHENTICATION,
    method: 'GET',
    summary: 'Get the options for continuing a sign-in with a security key',
    answers: { ...OPTIONS, ...FLOWS },
  },
  authenticateByWebauthn: {
    ...KEY_AUTHENTICATION,
    method: 'POST',
    summary: 'Continue a sign-in with a security key',
    input: [ASSERTION],
    example: { credential: EXAMPLE_CREDENTIAL },
    answers: SIGN_IN_ATTEMPT,
  },
  getWebauthnReauthentication: {
    ...KEY_REAUTHENTICATION,
    method: 'GET',
    summary: 'Get the options for confirming your identity with a security key',
    answers: { ...OPTIONS, ...FLOWS },
  },
  reauthenticateByWebauthn: {
    ...KEY_REAUTHENTICATION,
    method: 'POST',
    summary: 'Confirm your identity with a security key',
    input: [ASSERTION],
    example: { credential: EXAMPLE_CREDENTIAL },
    answers: SIGN_IN_ATTEMPT,
  },
  getWebauthnLogin: {
    ...PASSKEY_LOGIN,
    method: 'GET',
    summary: 'Get the options for signing in with a passkey',
    answers: { ...OPTIONS, ...FORBIDDEN, 429: 'Status' },
  },
  loginByWebauthn: {
    ...PASSKEY_LOGIN,
    method: 'POST',
    summary: 'Sign in with a passkey',
    input: [ASSERTION],
    example: { credential: EXAMPLE_CREDENTIAL },
    answers: SIGN_IN_ATTEMPT,
  },
  signupByPasskey: {
    ...PASSKEY_SIGNUP,
    method: 'POST',
    summary: 'Start a sign-up with a passkey',
    input: [
      { name: 'email', kind: 'email', required: false },
      { name: 'phone', kind: 'text', required: false },
      { name: 'username', kind: 'text', required: false },
    ],
    dynamicInput: 'form',
    example: { email: 'ada@example.org', username: 'ada', phone: '+4915112345678' },
    answers: { ...SIGN_IN_ATTEMPT, ...FORBIDDEN, ...CONFLICT },
  },
  getPasskeySignup: {
    ...PASSKEY_SIGNUP,
    method: 'GET',
    summary: 'Get the options for creating the passkey',
    answers: { 200: 'CreationOptions', ...CONFLICT },
  },
  completePasskeySignup: {
    ...PASSKEY_SIGNUP,
    method: 'PUT',
    summary: 'Complete a sign-up with a passkey',
    input: NEW_CREDENTIAL,
    example: { name: 'Laptop', credential: EXAMPLE_CREDENTIAL },
    answers: { ...SIGN_IN_ATTEMPT, ...CONFLICT },
  },
  listAuthenticators: {
    ...MANAGEMENT,
    method: 'GET',
    path: 'account/authenticators',
    summary: 'List your authenticators',
    answers: { 200: 'Authenticators', ...FLOWS },
  },
  getTotp: {
    ...TOTP,
    method: 'GET',
    summary: 'Get your authenticator app, or a secret for adding one',
    answers: { 200: 'TotpAuthenticator', ...FLOWS, 404: 'TotpOffer', 409: 'Errors' },
  },
  activateTotp: {
    ...TOTP,
    method: 'POST',
    summary: 'Add an authenticator app',
    input: [{ name: 'code', kind: 'text', required: true, about: 'The code shown in the app.' }],
    example: EXAMPLE_CODE,
    answers: { 200: 'TotpAdded', ...FLOWS, ...ERRORS, ...CONFLICT },
  },
  deactivateTotp: {
    ...TOTP,
    method: 'DELETE',
    summary: 'Remove your authenticator app',
    answers: { 200: 'Status', ...FLOWS, ...ERRORS },
  },
  getRecoveryCodes: {
    ...RECOVERY_CODES,
    method: 'GET',
    summary: 'Get your recovery codes',
    answers: { 200: 'RecoveryCodes', ...FLOWS, 404: 'Status' },
  },
  generateRecoveryCodes: {
    ...RECOVERY_CODES,
    method: 'POST',
    summary: 'Generate new recovery codes',
    answers: { 200: 'RecoveryCodes', ...FLOWS, ...ERRORS },
  },
  getWebauthnCreation: {
    ...SECURITY_KEYS,
    method: 'GET',
    summary: 'Get the options for adding a passkey or security key',
    query: ['passwordless'],
    answers: { 200: 'CreationOptions', ...FLOWS, 409: 'Errors' },
  },
  addWebauthn: {
    ...SECURITY_KEYS,
    method: 'POST',
    summary: 'Add a passkey or security key',
    input: NEW_CREDENTIAL,
    example: { name: 'Laptop', credential: EXAMPLE_CREDENTIAL },
    answers: { 200: 'WebauthnAdded', ...FLOWS, ...ERRORS, 409: 'Errors' },
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
    answers: { 200: 'WebauthnAuthenticator', ...FLOWS, ...ERRORS },
  },
  removeWebauthn: {
    ...SECURITY_KEYS,
    method: 'DELETE',
    summary: 'Remove passkeys or security keys',
    input: [{ name: 'authenticators', kind: 'ids', required: true }],
    example: { authenticators: [7] },
    answers: { 200: 'Status', ...FLOWS, ...ERRORS },
  },
})
