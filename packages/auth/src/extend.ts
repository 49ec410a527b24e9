// Types of what a host changes or brings of its own: hooks of second factors, sessions and the JSON API, tokens, guards.
export type { Account } from './account/account.ts'
export type { ModuleName, ModuleService } from './compose.ts'
export type { Kernel } from './kernel/kernel.ts'
export type { ConnectedKernel } from './kernel/module.ts'
export type { HostParts } from './options.ts'
export type { ApiGuards } from './headless/api-guards.ts'
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
export type { Mfa } from './mfa/second-factors.ts'
export type { SessionReference } from './kernel/sessions/session.ts'
export type {
  UserSession,
  UserSessions,
  UserSessionsAdapter,
  UserSessionsAdapterInput,
} from './sessions/user-session.ts'
export type { Claims, OidcAdapter, OidcAdapterInput } from './oidc/adapter.ts'
export type { CheckedToken, OidcClient, OidcClientInput, OidcClients, OidcTokens } from './oidc/clients.ts'
export type { Oidc } from './oidc/oidc.ts'
export type { ProtectedResource } from './oidc/protected-resource.ts'
export type { GuardedToken, TokenGuardOptions, TokenGuards } from './oidc/token-guards.ts'
export type { TokenScope } from './oidc/token-scopes.ts'
export type { SocialAdapter, SocialAdapterInput, SocialAuthError } from './social/adapter.ts'
export { ProviderError } from './social/exchange.ts'
export type { Exchange, ProviderIdentity } from './social/exchange.ts'
export type { Provider } from './social/provider.ts'
export type { Social } from './social/social-accounts.ts'
export type { ShownSocialApp, SocialApp, SocialAppInput, SocialApps } from './social/apps/social-apps.ts'
export type { SocialAccount, SocialLogin, SocialState } from './social/social-login.ts'
