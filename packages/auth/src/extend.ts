// Types of what a host changes or brings of its own: hooks of second factors, sessions and the JSON API, tokens, guards.
export type { ApiGuards } from './api-guards.ts'
export type { ApiUser, HeadlessAdapter, HeadlessAdapterInput } from './headless/adapter.ts'
export type { AccessTokens, TokenStrategy } from './headless/tokens/strategy.ts'
export type { MfaAdapter, MfaAdapterInput } from './mfa/adapter.ts'
export type {
  Authenticator,
  AuthenticatorStore,
  AuthenticatorType,
  NewAuthenticator,
  RecoveryCodes,
  TotpOffer,
  WebauthnOptions,
} from './mfa/mfa.ts'
export type { SecondFactors } from './mfa/second-factors.ts'
export type { SessionReference } from './sessions/session.ts'
export type {
  UserSession,
  UserSessions,
  UserSessionsAdapter,
  UserSessionsAdapterInput,
} from './usersessions/user-session.ts'
