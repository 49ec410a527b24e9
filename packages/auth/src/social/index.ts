// Types for hosts of social login: its hooks, custom providers, apps, and connected accounts.
export type { SocialAdapter, SocialAdapterInput, SocialAuthError } from './adapter.ts'
export type { ShownSocialApp, SocialApp, SocialAppInput, SocialApps } from './apps/social-apps.ts'
export { ProviderError } from './exchange.ts'
export type { Exchange, ProviderIdentity } from './exchange.ts'
export type { Provider } from './provider.ts'
export type { Social } from './social-accounts.ts'
export type { SocialAccount, SocialLogin, SocialState } from './social-login.ts'
