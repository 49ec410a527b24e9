// Types of the OpenID Connect provider for hosts: its hooks, clients, tokens, and guards.
export type { Claims, OidcAdapter, OidcAdapterInput } from './oidc.ts'
export type { CheckedToken, OidcClient, OidcClientInput, OidcClients, OidcTokens } from './clients.ts'
export type { Oidc } from './oidc.ts'
export type { ProtectedResource } from './token-guards.ts'
export type { GuardedToken, TokenGuardOptions, TokenGuards } from './token-guards.ts'
export type { TokenScope } from './token-guards.ts'
