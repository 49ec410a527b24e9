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
  about: 'A code of the authenticator app, or a recovery code.',
} as const
const ASSERTION = {
  name: 'credential',
  kind: 'object',
  required: true,
  about: 'What `navigator.credentials.get()` answered, in its JSON form.',
} as const
const NEW_CREDENTIAL = [
  { name: 'name', kind: 'text', required: false, about: 'Unset: one is made up.' },
  {
    name: 'credential',
    kind: 'object',
    required: true,
    about: 'What `navigator.credentials.create()` answered, in its JSON form.',
  },
] as const
const OPTIONS = { 200: 'RequestOptions' } as const

const SECOND_FACTOR = 'Authentication: second factor'
const PASSKEYS = 'Authentication: passkeys'
const MANAGEMENT = { access: 'auth', tag: 'Account: second factors' } as const
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
    summary: 'Go on with a sign-in by a code',
    input: [CODE],
    example: EXAMPLE_CODE,
    answers: SIGN_IN_ATTEMPT,
  },
  reauthenticateByCode: {
    method: 'POST',
    path: 'auth/2fa/reauthenticate',
    access: 'auth',
    tag: SECOND_FACTOR,
    summary: 'Confirm by a code who you are',
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
    summary: 'Trust this browser, or do not',
    input: [{ name: 'trust', kind: 'boolean', required: false, about: 'Default: false.' }],
    example: { trust: true },
    answers: SIGN_IN_ATTEMPT,
  },
  getWebauthnAuthentication: {
    ...KEY_AUTHENTICATION,
    method: 'GET',
    summary: 'Options to go on with a sign-in by a security key',
    answers: { ...OPTIONS, ...FLOWS },
  },
  authenticateByWebauthn: {
    ...KEY_AUTHENTICATION,
    method: 'POST',
    summary: 'Go on with a sign-in by a security key',
    input: [ASSERTION],
    example: { credential: EXAMPLE_CREDENTIAL },
    answers: SIGN_IN_ATTEMPT,
  },
  getWebauthnReauthentication: {
    ...KEY_REAUTHENTICATION,
    method: 'GET',
    summary: 'Options to confirm by a security key who you are',
    answers: { ...OPTIONS, ...FLOWS },
  },
  reauthenticateByWebauthn: {
    ...KEY_REAUTHENTICATION,
    method: 'POST',
    summary: 'Confirm by a security key who you are',
    input: [ASSERTION],
    example: { credential: EXAMPLE_CREDENTIAL },
    answers: SIGN_IN_ATTEMPT,
  },
  getWebauthnLogin: {
    ...PASSKEY_LOGIN,
    method: 'GET',
    summary: 'Options to sign in by a passkey',
    answers: { ...OPTIONS, ...FORBIDDEN, 429: 'Status' },
  },
  loginByWebauthn: {
    ...PASSKEY_LOGIN,
    method: 'POST',
    summary: 'Sign in by a passkey',
    input: [ASSERTION],
    example: { credential: EXAMPLE_CREDENTIAL },
    answers: SIGN_IN_ATTEMPT,
  },
  signupByPasskey: {
    ...PASSKEY_SIGNUP,
    method: 'POST',
    summary: 'Begin to sign up by a passkey',
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
    summary: 'Options to make the passkey',
    answers: { 200: 'CreationOptions', ...CONFLICT },
  },
  completePasskeySignup: {
    ...PASSKEY_SIGNUP,
    method: 'PUT',
    summary: 'Complete the sign-up by the passkey',
    input: NEW_CREDENTIAL,
    example: { name: 'Laptop', credential: EXAMPLE_CREDENTIAL },
    answers: { ...SIGN_IN_ATTEMPT, ...CONFLICT },
  },
  listAuthenticators: {
    ...MANAGEMENT,
    method: 'GET',
    path: 'account/authenticators',
    summary: 'List your second factors',
    answers: { 200: 'Authenticators', ...FLOWS },
  },
  getTotp: {
    ...TOTP,
    method: 'GET',
    summary: 'Your authenticator app, or what it takes to add one',
    answers: { 200: 'TotpAuthenticator', ...FLOWS, 404: 'TotpOffer', 409: 'Errors' },
  },
  activateTotp: {
    ...TOTP,
    method: 'POST',
    summary: 'Add the authenticator app to which the secret was given',
    input: [{ name: 'code', kind: 'text', required: true, about: 'What the app shows.' }],
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
    summary: 'Your recovery codes',
    answers: { 200: 'RecoveryCodes', ...FLOWS, 404: 'Status' },
  },
  generateRecoveryCodes: {
    ...RECOVERY_CODES,
    method: 'POST',
    summary: 'Replace your recovery codes by new ones',
    answers: { 200: 'RecoveryCodes', ...FLOWS, ...ERRORS },
  },
  getWebauthnCreation: {
    ...SECURITY_KEYS,
    method: 'GET',
    summary: 'Options to add a security key',
    query: ['passwordless'],
    answers: { 200: 'CreationOptions', ...FLOWS, 409: 'Errors' },
  },
  addWebauthn: {
    ...SECURITY_KEYS,
    method: 'POST',
    summary: 'Add a security key',
    input: NEW_CREDENTIAL,
    example: { name: 'Laptop', credential: EXAMPLE_CREDENTIAL },
    answers: { 200: 'WebauthnAdded', ...FLOWS, ...ERRORS, 409: 'Errors' },
  },
  renameWebauthn: {
    ...SECURITY_KEYS,
    method: 'PUT',
    summary: 'Rename a security key',
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
    summary: 'Remove security keys',
    input: [{ name: 'authenticators', kind: 'ids', required: true }],
    example: { authenticators: [7] },
    answers: { 200: 'Status', ...FLOWS, ...ERRORS },
  },
})
