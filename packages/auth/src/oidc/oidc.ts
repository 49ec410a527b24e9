import type { Account } from '../account/account.ts'
import type { ConnectedKernel } from '../kernel/module.ts'
import type { Signals } from '../kernel/signals.ts'
import type { User } from '../kernel/users/user.ts'
import type { Visit } from '../kernel/visit.ts'
import type { OidcClient, OidcClients, OidcTokens } from './clients.ts'
import type { OidcPaths } from './paths.ts'
import type { TokenGuards } from './token-guards.ts'

/** An authorization request that waits for a person: to sign in, to confirm who they are, or to consent. */
export interface PendingAuthorization {
  readonly uid: string
  readonly client: OidcClient
  /**
   * What is missing. `login`: signed out, or the engine doesn't know the user yet: `signedIn`; `reauthenticate`:
   * `prompt=login` or `max_age`, until the session has a recent enough record; `consent`: the rest.
   */
  readonly needs: 'login' | 'reauthenticate' | 'consent'
  readonly scopes: readonly string[]
  /** Those that the person has not granted to this client before. */
  readonly newScopes: readonly string[]
  readonly loginHint: string | null
  readonly asksForEmail: boolean
  /** Where the answer goes: people are shown its host, and the browser may follow the form there. */
  readonly redirectUri: string
}

/** A device that waits for its code to be confirmed. */
export interface PendingDevice {
  readonly userCode: string
  readonly client: OidcClient
  readonly scopes: readonly string[]
  /** Address and program that asked, where they are known. */
  readonly device: { readonly ip: string | null; readonly userAgent: string | null }
}

/** What a logout that a client starts asks for (OpenID Connect RP-Initiated Logout 1.0). */
export interface RequestedLogout {
  readonly client: OidcClient | null
  /** Whether the hint names who is signed in. */
  readonly isForUser: boolean
  /** Registered, with `state`; `null`: none, or not registered. */
  readonly redirectTo: string | null
}

/** The protocol itself: loaded at its first use. */
export interface OidcEngine {
  /** Answers a request for one of `protocolPaths`. Never rejects for what a client sends. */
  fetch(request: Request, from: { readonly remoteAddress: string | null }): Promise<Response>
  /** `null`: unknown, over, or of another browser. */
  pending(request: Visit, uid: string): Promise<PendingAuthorization | null>
  /** The person is signed in: answers where the browser goes on; the page of the interaction, while a confirmation is missing. */
  signedIn(request: Visit, uid: string, user: User): Promise<string>
  /** @param email The chosen address. @throws {InvalidInput} `required` without a scope, `invalid_choice` */
  consent(
    request: Visit,
    uid: string,
    user: User,
    given: { readonly scopes: readonly string[]; readonly email?: string },
  ): Promise<string>
  /** `access_denied` goes to the client. */
  refuse(request: Visit, uid: string): Promise<string>
  /** Punctuation and case do not count. `null`: unknown, over or decided. */
  device(request: Visit, userCode: string): Promise<PendingDevice | null>
  /** Of two answers at once one counts: `false`, it was decided. */
  decideDevice(request: Visit, userCode: string, user: User, isGranted: boolean): Promise<boolean>
  requestedLogout(request: Visit, params: URLSearchParams): Promise<RequestedLogout>
}

/** Our OpenID Connect provider: 3.12 of the reference. */
export interface Oidc {
  readonly kernel: ConnectedKernel
  readonly signals: Signals<OidcSignals>
  readonly account: Account
  readonly adapter: OidcAdapter
  readonly clients: OidcClients
  readonly tokens: OidcTokens
  readonly paths: OidcPaths
  /** Paths of the protocol that `engine().fetch` answers; none while the module is off. */
  readonly protocolPaths: Pick<ReadonlySet<string>, 'has'>
  /** The issuer that a visitor of this address sees, without a slash at its end. */
  issuer(url: URL): string
  engine(): Promise<OidcEngine>
  /** Guards an API of the host's own that is called with access tokens of this provider. */
  readonly guards: TokenGuards
  /**
   * Creates another signing key. The previous one stays published until its tokens have expired.
   * @throws {AuthError} `permission_denied` if `IDP_OIDC_PRIVATE_KEY` defines the keys
   */
  rotateKey(): Promise<void>
}

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

type With<T> = T & { readonly request: Visit | null }

/** OpenID provider signals and their payloads, without the sender (6.1 of the reference). */
export interface OidcSignals {
  /** Somebody let a client act for them: on the consent page, or by the code of a device. */
  client_allowed: With<{ readonly user: User; readonly client: OidcClient; readonly scopes: readonly string[] }>
  /** They have ended it on the page of applications. */
  client_revoked: With<{ readonly user: User; readonly client: OidcClient }>
}
