// Types of two-factor authentication for hosts: its hooks and services.
export type { MfaAdapter, MfaAdapterInput } from './second-factors.ts'
export type {
  Authenticator,
  AuthenticatorStore,
  AuthenticatorType,
  NewAuthenticator,
  RecoveryCodes,
  TotpOffer,
  WebauthnOptions,
} from './mfa.ts'
export type { Mfa } from './second-factors.ts'
