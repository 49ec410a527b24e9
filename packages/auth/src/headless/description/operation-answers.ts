import type { OperationName } from './operation-names.ts'
import type { ShapeName } from '../../kernel/operations/shape-name.ts'

const ERRORS = { 400: 'Errors' } as const
const FLOWS = { 401: 'AuthenticationFlows' } as const
const CONFLICT = { 409: 'Status' } as const
const SIGNED_IN = { 200: 'Authenticated', ...FLOWS } as const
const TRIED = { ...SIGNED_IN, ...ERRORS } as const
const EMAILS = { 200: 'EmailAddresses', ...FLOWS } as const
const SENT = { 200: 'Status', ...CONFLICT } as const
const OPTIONS = { 200: 'RequestOptions' } as const

/**
 * What each operation answers, by status, besides what any of them may: 429, and for apps 410. The types of the client
 * are made of this, and a test holds it against the description of the server.
 */
export const OPERATION_ANSWERS = {
  getConfig: { 200: 'Config' },
  getSession: SIGNED_IN,
  logout: FLOWS,
  login: { ...TRIED, ...CONFLICT },
  signup: { ...TRIED, 403: 'Status', ...CONFLICT },
  getEmailVerification: { 200: 'EmailVerificationInfo', ...ERRORS, ...CONFLICT },
  verifyEmail: { ...TRIED, ...CONFLICT },
  resendEmailVerification: SENT,
  verifyPhone: { ...TRIED, ...CONFLICT },
  resendPhoneVerification: SENT,
  reauthenticate: TRIED,
  requestPasswordReset: { 200: 'Status', ...FLOWS, ...ERRORS },
  getPasswordReset: { 200: 'PasswordResetInfo', ...ERRORS, ...CONFLICT },
  resetPassword: { ...TRIED, ...CONFLICT },
  requestLoginCode: TRIED,
  confirmLoginCode: { ...TRIED, ...CONFLICT },
  resendLoginCode: SENT,
  authenticateByCode: TRIED,
  reauthenticateByCode: TRIED,
  trustBrowser: TRIED,
  getWebauthnAuthentication: { ...OPTIONS, ...FLOWS },
  authenticateByWebauthn: TRIED,
  getWebauthnReauthentication: { ...OPTIONS, ...FLOWS },
  reauthenticateByWebauthn: TRIED,
  getWebauthnLogin: OPTIONS,
  loginByWebauthn: TRIED,
  signupByPasskey: { ...TRIED, 403: 'Status', ...CONFLICT },
  getPasskeySignup: { 200: 'CreationOptions', ...CONFLICT },
  completePasskeySignup: { ...TRIED, ...CONFLICT },
  listAuthenticators: { 200: 'Authenticators', ...FLOWS },
  getTotp: { 200: 'TotpAuthenticator', ...FLOWS, 404: 'TotpOffer', 409: 'Errors' },
  activateTotp: { 200: 'TotpAdded', ...FLOWS, ...ERRORS, ...CONFLICT },
  deactivateTotp: { 200: 'Status', ...FLOWS, ...ERRORS },
  getRecoveryCodes: { 200: 'RecoveryCodes', ...FLOWS, 404: 'Status' },
  generateRecoveryCodes: { 200: 'RecoveryCodes', ...FLOWS, ...ERRORS },
  getWebauthnCreation: { 200: 'CreationOptions', ...FLOWS, 409: 'Errors' },
  addWebauthn: { 200: 'WebauthnAdded', ...FLOWS, ...ERRORS, 409: 'Errors' },
  renameWebauthn: { 200: 'WebauthnAuthenticator', ...FLOWS, ...ERRORS },
  removeWebauthn: { 200: 'Status', ...FLOWS, ...ERRORS },
  listEmails: EMAILS,
  addEmail: { ...EMAILS, ...ERRORS, ...CONFLICT },
  sendEmailVerification: { 200: 'Status', ...FLOWS, ...ERRORS, 403: 'Status' },
  makeEmailPrimary: { ...EMAILS, ...ERRORS },
  removeEmail: { ...EMAILS, ...ERRORS },
  getPhone: { 200: 'PhoneNumbers', ...FLOWS },
  changePhone: { 202: 'PhoneNumbers', ...FLOWS, ...ERRORS, ...CONFLICT },
  changePassword: TRIED,
  listProviders: { 200: 'ProviderAccounts', ...FLOWS },
  disconnectProvider: { 200: 'ProviderAccounts', ...FLOWS, ...ERRORS },
  listSessions: { 200: 'Sessions', ...FLOWS },
  endSessions: { 200: 'Sessions', ...FLOWS, ...ERRORS },
  loginByProviderToken: { ...TRIED, 403: 'Status' },
  getProviderSignup: { 200: 'ProviderSignup', 403: 'Status', ...CONFLICT },
  signupByProvider: { ...TRIED, 403: 'Status', ...CONFLICT },
  refreshTokens: { 200: 'AccessTokens', 400: 'Refused' },
} as const satisfies Record<OperationName, Readonly<Partial<Record<number, ShapeName>>>>
