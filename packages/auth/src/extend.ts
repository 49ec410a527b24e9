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
export type { Claims, OidcAdapter, OidcAdapterInput } from './idp/oidc/adapter.ts'
export type { CheckedToken, OidcClient, OidcClientInput, OidcClients, OidcTokens } from './idp/oidc/clients.ts'
export type { Oidc } from './idp/oidc/oidc.ts'
export type { ProtectedResource } from './idp/oidc/protected-resource.ts'
export type { GuardedToken, TokenGuardOptions, TokenGuards } from './idp/oidc/token-guards.ts'
export type { TokenScope } from './idp/oidc/token-scopes.ts'
export type { SocialAdapter, SocialAdapterInput, SocialAuthError } from './socialaccount/adapter.ts'
export { ProviderError } from './socialaccount/exchange.ts'
export type { Exchange, ProviderIdentity } from './socialaccount/exchange.ts'
export type { Provider } from './socialaccount/provider.ts'
export type { SocialAccounts } from './socialaccount/social-accounts.ts'
export type { ShownSocialApp, SocialApp, SocialAppInput, SocialApps } from './socialaccount/apps/social-apps.ts'
export type { SocialAccount, SocialLogin, SocialState } from './socialaccount/social-login.ts'
