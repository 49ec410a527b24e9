import type { User } from '../kernel/users/user.ts'
import type { OidcClient } from './clients.ts'

/** Claims of a token or of the userinfo endpoint: JSON. */
export type Claims = Record<string, unknown>

/** Everything about our OpenID Connect provider that a host may decide otherwise: 6.2.6 of the reference, in camelCase. */
export interface OidcAdapter {
  /** Texts of the scopes on the consent page; the keys are the scopes that clients may have in addition to `openid`. */
  readonly scopeDisplay: Readonly<Record<string, string>>
  generateClientId(): string
  generateClientSecret(): string
  /** As people type it. */
  generateUserCode(): string
  /** What tokens are stored as. Default: SHA-256, hex. */
  hashToken(token: string): string
  /** Without a slash at its end. Default: scheme and host of the site. */
  getIssuer(origin: string): string
  /** May change the claims in place. */
  populateIdToken(idToken: Claims, client: OidcClient, scopes: readonly string[]): void | Promise<void>
  /** Of access tokens in the format jwt. */
  populateAccessToken(
    accessToken: Claims,
    of: { readonly client: OidcClient; readonly scopes: readonly string[]; readonly user: User | null },
  ): void | Promise<void>
  /** @param email The address that the person chose on the consent page. */
  getClaims(
    purpose: 'id_token' | 'userinfo',
    user: User,
    client: OidcClient,
    scopes: readonly string[],
    email?: string,
  ): Promise<Claims>
  getUserSub(client: OidcClient, user: User): string
  /** Active users only. */
  getUserBySub(client: OidcClient, sub: string): Promise<User | null>
}

/** A host's changes, or a function that makes them from the defaults. Instances of classes do too. */
export type OidcAdapterInput = Partial<OidcAdapter> | ((defaults: OidcAdapter) => Partial<OidcAdapter>)
