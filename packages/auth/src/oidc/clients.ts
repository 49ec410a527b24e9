import type { JsonObject } from '../kernel/settings/json-object.ts'
import type { AuthDb, User, UserId } from '../kernel/users/user.ts'

/** Whether a client can keep a secret. */
export type ClientType = 'confidential' | 'public'
/** An OAuth 2.0 grant type. */
export type GrantType =
  | 'authorization_code'
  | 'client_credentials'
  | 'refresh_token'
  | 'urn:ietf:params:oauth:grant-type:device_code'
/** An OAuth 2.0 response type. */
export type ResponseType = 'code' | 'id_token' | 'id_token token'

/** A program that people sign in to through us: a row of `allauth_idp_oidc_client`, without its secret. */
export interface OidcClient {
  readonly id: string
  readonly name: string
  readonly type: ClientType
  readonly scopes: readonly string[]
  /** Of a request that names none. */
  readonly defaultScopes: readonly string[]
  readonly grantTypes: readonly GrantType[]
  readonly responseTypes: readonly ResponseType[]
  readonly redirectUris: readonly string[]
  /** Registered targets of a logout that it starts. Kept in `data`. */
  readonly postLogoutRedirectUris: readonly string[]
  readonly corsOrigins: readonly string[]
  /** A single `*` in the host of redirect URIs stands for one label part without dots. */
  readonly allowUriWildcards: boolean
  readonly skipConsent: boolean
  readonly ownerId: UserId | null
  readonly createdAtMs: number
  readonly data: JsonObject
}

/** What staff (or a registration) write; absent members keep the default or stay as they are. */
export type OidcClientInput = Partial<Omit<OidcClient, 'id' | 'createdAtMs'>>

/** Clients at rest. The secret is shown once, and kept as a password hash. */
export interface OidcClients {
  list(db: AuthDb): Promise<readonly OidcClient[]>
  /** Those whose pages call by script: few, however many have registered themselves. */
  withOrigins(db: AuthDb): Promise<readonly OidcClient[]>
  /** Every response type that a client has. */
  responseTypes(db: AuthDb): Promise<readonly ResponseType[]>
  byId(db: AuthDb, id: string): Promise<OidcClient | null>
  /** @returns the secret in clear, this once; `null` for a public client. @throws {InvalidInput} with `param` */
  create(
    db: AuthDb,
    input: OidcClientInput & { readonly name: string; readonly id?: string },
  ): Promise<{ readonly client: OidcClient; readonly secret: string | null }>
  /** @throws {InvalidInput}; {AuthError} `not_found` */
  update(db: AuthDb, id: string, changes: OidcClientInput): Promise<OidcClient>
  /**
   * @param ownerId Who is shown it, and owns the client from then on; left out, the owner stays.
   * @throws {AuthError} `not_found`, `permission_denied` for a public client
   */
  renewSecret(db: AuthDb, id: string, ownerId?: UserId | null): Promise<string>
  /** With its tokens. @throws {AuthError} `not_found` */
  remove(db: AuthDb, id: string): Promise<void>
  /** Hashes outside of transactions. */
  isSecret(db: AuthDb, id: string, secret: string): Promise<boolean>
}

/** An access token that was checked. */
export interface CheckedToken {
  readonly client: OidcClient
  /** `null`: the client itself calls (client credentials). */
  readonly user: User | null
  readonly scopes: readonly string[]
  readonly expiresAtMs: number | null
  /** Resource that it is for (RFC 8707); `null`: none was named. */
  readonly audience: string | null
}

/** Tokens at rest: rows of `allauth_idp_oidc_token`. */
export interface OidcTokens {
  /**
   * Checks an opaque or JWT access token by its hash: one indexed read plus client and user. `null` if it is unknown,
   * revoked or expired, or its user is inactive. Doesn't need the protocol engine.
   */
  check(token: string): Promise<CheckedToken | null>
  /** What a user has let clients do: one entry per client with a consent or live tokens. */
  ofUser(
    db: AuthDb,
    userId: UserId,
  ): Promise<readonly { readonly client: OidcClient; readonly scopes: readonly string[]; readonly since: number }[]>
  /** Ends everything that a client may do for a user, codes and consent too. */
  revokeOfUser(db: AuthDb, userId: UserId, clientId: string): Promise<void>
  /** As `revokeOfUser`, but the consent stays: the next sign-in does not ask again. */
  signOutOfClient(db: AuthDb, userId: UserId, clientId: string): Promise<void>
  /** Of all clients: when an account is shut or its password reset. */
  revokeAllOfUser(db: AuthDb, userId: UserId): Promise<void>
  sweep(nowMs: number): Promise<number>
}
