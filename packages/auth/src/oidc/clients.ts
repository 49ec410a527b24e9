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

/** An OAuth client: a row of `allauth_idp_oidc_client`, without its secret. */
export interface OidcClient {
  readonly id: string
  readonly name: string
  readonly type: ClientType
  readonly scopes: readonly string[]
  /** The scopes of a request that names none. */
  readonly defaultScopes: readonly string[]
  readonly grantTypes: readonly GrantType[]
  readonly responseTypes: readonly ResponseType[]
  readonly redirectUris: readonly string[]
  /** Registered redirect URIs after a logout that the client starts. Stored in `data`. */
  readonly postLogoutRedirectUris: readonly string[]
  readonly corsOrigins: readonly string[]
  /** Whether hosts of redirect URIs and origins can contain one `*`, which matches part of a label. */
  readonly allowUriWildcards: boolean
  readonly skipConsent: boolean
  readonly ownerId: UserId | null
  readonly createdAtMs: number
  readonly data: JsonObject
}

/** The input for a client. Absent members get their default or stay unchanged. */
export type OidcClientInput = Partial<Omit<OidcClient, 'id' | 'createdAtMs'>>

/** Stores clients. A secret is returned only when it's created, and stored as a password hash. */
export interface OidcClients {
  list(db: AuthDb): Promise<readonly OidcClient[]>
  /** Returns the clients with CORS origins, which are few even if many clients have registered themselves. */
  withOrigins(db: AuthDb): Promise<readonly OidcClient[]>
  /** Returns the response types that any client has. */
  responseTypes(db: AuthDb): Promise<readonly ResponseType[]>
  byId(db: AuthDb, id: string): Promise<OidcClient | null>
  /**
   * Creates a client.
   * @returns the plaintext secret, which can't be read again; `null` for a public client.
   * @throws {InvalidInput} with `param`
   */
  create(
    db: AuthDb,
    input: OidcClientInput & { readonly name: string; readonly id?: string },
  ): Promise<{ readonly client: OidcClient; readonly secret: string | null }>
  /** Updates a client. @throws {InvalidInput}; {AuthError} `not_found` */
  update(db: AuthDb, id: string, changes: OidcClientInput): Promise<OidcClient>
  /**
   * Replaces the secret and returns it.
   * @param ownerId The new owner, who is shown the secret. If absent, the owner stays.
   * @throws {AuthError} `not_found`, `permission_denied` for a public client
   */
  renewSecret(db: AuthDb, id: string, ownerId?: UserId | null): Promise<string>
  /** Removes a client and its tokens. @throws {AuthError} `not_found` */
  remove(db: AuthDb, id: string): Promise<void>
  /** Returns whether the secret is correct. Don't call it in a transaction, because hashing takes long. */
  isSecret(db: AuthDb, id: string, secret: string): Promise<boolean>
}

/** A valid access token. */
export interface CheckedToken {
  readonly client: OidcClient
  /** `null` if the client acts on its own behalf (client credentials). */
  readonly user: User | null
  readonly scopes: readonly string[]
  readonly expiresAtMs: number | null
  /** The resource that the token is for (RFC 8707); `null` if none was requested. */
  readonly audience: string | null
  /**
   * The authorization that the token was issued for, see `OidcTokens.isGrantActive`; `null` for a client's own token and
   * for an access token of a migrated site.
   */
  readonly grantId: string | null
}

/** Checks and revokes tokens, which are rows of `allauth_idp_oidc_token`. */
export interface OidcTokens {
  /**
   * Checks an opaque or JWT access token by its hash, with one indexed read plus those of the client and the user.
   * `null` if it's unknown, revoked, or expired, or if its user is inactive. Doesn't load the protocol engine.
   */
  check(token: string): Promise<CheckedToken | null>
  /** Returns whether an authorization is still valid: not revoked, signed out of, or expired, and its client exists. */
  isGrantActive(grantId: string): Promise<boolean>
  /** Returns what a user has authorized: one entry per client with a consent or unexpired tokens. */
  ofUser(
    db: AuthDb,
    userId: UserId,
  ): Promise<readonly { readonly client: OidcClient; readonly scopes: readonly string[]; readonly since: number }[]>
  /** Revokes a client's tokens, codes, and consent for a user. */
  revokeOfUser(db: AuthDb, userId: UserId, clientId: string): Promise<void>
  /** Like `revokeOfUser`, but keeps the consent, so the next sign-in doesn't ask for it again. */
  signOutOfClient(db: AuthDb, userId: UserId, clientId: string): Promise<void>
  /** Revokes the access of all clients, when an account is disabled or its password is replaced. */
  revokeAllOfUser(db: AuthDb, userId: UserId): Promise<void>
  sweep(nowMs: number): Promise<number>
}
