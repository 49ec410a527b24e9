import type { Account } from '../account/account.ts'
import type { ConnectedKernel } from '../kernel/module.ts'
import type { Signals } from '../kernel/signals.ts'
import type { User } from '../kernel/users/user.ts'
import type { Visit } from '../kernel/visit.ts'
import type { OidcClient, OidcClients, OidcTokens } from './clients.ts'
import type { OidcPaths } from './paths.ts'
import type { TokenGuards } from './token-guards.ts'

/** An authorization request that's waiting for the user to sign in, reauthenticate, or consent. */
export interface PendingAuthorization {
  readonly uid: string
  readonly client: OidcClient
  /**
   * The next step. `login`: the visitor is signed out, or the engine doesn't know the user yet (see
   * `OidcEngine.signedIn`). `reauthenticate`: `prompt=login` or `max_age` requires a more recent authentication.
   * `consent`: only the consent is missing.
   */
  readonly needs: 'login' | 'reauthenticate' | 'consent'
  readonly scopes: readonly string[]
  /** The scopes that the user hasn't granted to this client before. */
  readonly newScopes: readonly string[]
  readonly loginHint: string | null
  readonly asksForEmail: boolean
  /** Where the response goes. The consent page shows its host and lets its form lead there. */
  readonly redirectUri: string
}

/** A device that's waiting for its code to be confirmed. */
export interface PendingDevice {
  readonly userCode: string
  readonly client: OidcClient
  readonly scopes: readonly string[]
  /** The IP address and user agent of the device, if known. */
  readonly device: { readonly ip: string | null; readonly userAgent: string | null }
  /** Whether the user must type the code: a link with it isn't enough for these scopes, see `readOnlyScopes`. */
  readonly mustTypeCode: boolean
  /** Whether the scopes require recent authentication, see `sensitiveScopes`. */
  readonly isSensitive: boolean
}

/** A logout request from a client (OpenID Connect RP-Initiated Logout 1.0). */
export interface RequestedLogout {
  readonly client: OidcClient | null
  /** Whether the ID token hint names the signed-in user. */
  readonly isForUser: boolean
  /** The registered redirect URI with `state`; `null` if none is requested or it isn't registered. */
  readonly redirectTo: string | null
}

/** The protocol engine, which is loaded when it's first used. */
export interface OidcEngine {
  /** Handles a request for one of `protocolPaths`. Never rejects, whatever the client sends. */
  fetch(request: Request, from: { readonly remoteAddress: string | null }): Promise<Response>
  /** Returns a pending authorization, or `null` if it's unknown, expired, or was started in another browser. */
  pending(request: Visit, uid: string): Promise<PendingAuthorization | null>
  /**
   * Continues with the signed-in user. Returns the URL to go to, which is the interaction's page if the user must
   * reauthenticate first.
   */
  signedIn(request: Visit, uid: string, user: User): Promise<string>
  /**
   * Records the consent and returns the URL to go to.
   * @throws {InvalidInput} `required` if no scope is given, `invalid_choice` if the email address isn't a verified one
   * of the user
   */
  consent(
    request: Visit,
    uid: string,
    user: User,
    given: { readonly scopes: readonly string[]; readonly email?: string },
  ): Promise<string>
  /** Denies the request and returns the URL to go to. The client gets `access_denied`. */
  refuse(request: Visit, uid: string): Promise<string>
  /**
   * Returns the device with this code, ignoring punctuation and case; `null` if it's unknown, expired, or already
   * decided.
   */
  device(request: Visit, userCode: string): Promise<PendingDevice | null>
  /** Grants or denies a device. Returns `false` if it was already decided. Of concurrent calls, only one succeeds. */
  decideDevice(request: Visit, userCode: string, user: User, isGranted: boolean): Promise<boolean>
  /** Parses a client's logout request. */
  requestedLogout(request: Visit, params: URLSearchParams): Promise<RequestedLogout>
}

/** Our OpenID Connect provider (reference, section 3.12). */
export interface Oidc {
  readonly kernel: ConnectedKernel
  readonly signals: Signals<OidcSignals>
  readonly account: Account
  readonly adapter: OidcAdapter
  readonly clients: OidcClients
  readonly tokens: OidcTokens
  readonly paths: OidcPaths
  /** The paths that `engine().fetch` handles; none if the module is off. */
  readonly protocolPaths: Pick<ReadonlySet<string>, 'has'>
  /** Returns the issuer for requests to this URL, without a trailing slash. */
  issuer(url: URL): string
  engine(): Promise<OidcEngine>
  /** Guards the host's own APIs, which are called with access tokens of this provider. */
  readonly guards: TokenGuards
  /**
   * Creates another signing key. The previous one stays published until its tokens have expired.
   * @throws {AuthError} `permission_denied` if `IDP_OIDC_PRIVATE_KEY` defines the keys
   */
  rotateKey(): Promise<void>
}

/** The claims of a token or of the userinfo endpoint, as JSON. */
export type Claims = Record<string, unknown>

/** The hooks of our OpenID Connect provider (reference, section 6.2.6, in camelCase). */
export interface OidcAdapter {
  /**
   * The texts of the scopes on the consent page. The keys are the scopes available to clients in addition to `openid`.
   */
  readonly scopeDisplay: Readonly<Record<string, string>>
  /**
   * Scopes that only read. A device that requests any other scope gets no `verification_uri_complete`: the user must
   * type its code. Default: `openid`, `email`, `profile`, and `offline_access`.
   */
  readonly readOnlyScopes: readonly string[]
  /**
   * Scopes that a device gets only from a user who has signed in or reauthenticated recently, with a second factor if
   * the user has one. Default: none.
   */
  readonly sensitiveScopes: readonly string[]
  /** Scopes that a client which skips consent never has. */
  readonly consentScopes: readonly string[]
  generateClientId(): string
  generateClientSecret(): string
  /** Generates a user code in the form shown to people. */
  generateUserCode(): string
  /** Returns the hash under which a token is stored. Default: SHA-256 in hex. */
  hashToken(token: string): string
  /**
   * Returns the issuer, without a trailing slash. Default: `origin`.
   * @param origin The site's scheme and host, followed by the mount path if there is one
   */
  getIssuer(origin: string): string
  /** Called with the claims of each ID token, which it may modify. */
  populateIdToken(idToken: Claims, client: OidcClient, scopes: readonly string[]): void | Promise<void>
  /** Called with the claims of each access token in JWT format, which it may modify. */
  populateAccessToken(
    accessToken: Claims,
    of: { readonly client: OidcClient; readonly scopes: readonly string[]; readonly user: User | null },
  ): void | Promise<void>
  /** Returns the claims about a user. @param email The address that the user chose on the consent page. */
  getClaims(
    purpose: 'id_token' | 'userinfo',
    user: User,
    client: OidcClient,
    scopes: readonly string[],
    email?: string,
  ): Promise<Claims>
  getUserSub(client: OidcClient, user: User): string
  /** Returns the active user with this subject, or `null`. */
  getUserBySub(client: OidcClient, sub: string): Promise<User | null>
}

/** A host's hooks, which may be a class instance, or a function that returns them and gets the defaults. */
export type OidcAdapterInput = Partial<OidcAdapter> | ((defaults: OidcAdapter) => Partial<OidcAdapter>)

type With<T> = T & { readonly request: Visit | null }

/** The signals of the OpenID Connect provider and their payloads, without the sender (reference, section 6.1). */
export interface OidcSignals {
  /** A user authorized a client on the consent page or by confirming a device code. */
  client_allowed: With<{ readonly user: User; readonly client: OidcClient; readonly scopes: readonly string[] }>
  /** A user revoked a client's access on the applications page. */
  client_revoked: With<{ readonly user: User; readonly client: OidcClient }>
}
