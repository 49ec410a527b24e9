import type { Clock, Log, RandomBytes } from '../kernel/io.ts'
import type { JsonObject } from '../kernel/settings/json-object.ts'
import type { SocialApp } from './apps/social-apps.ts'
import type { SamlSubject } from './saml/subject.ts'

/** What an exchange may touch of the world. */
export interface ExchangeIo {
  /** Of the hook `getRequestsSession`, with `SOCIALACCOUNT_REQUESTS_TIMEOUT`, a limit of size, and no redirects followed. */
  readonly fetch: (request: Request) => Promise<Response>
  /** The same for addresses that visitors name: connects to public ones alone. Absent: as `fetch`, which a host has replaced. */
  readonly fetchPublic?: (request: Request) => Promise<Response>
  readonly clock: Clock
  readonly random: RandomBytes
  readonly log: Log
}

/** What every step is about. */
export interface ExchangeCall {
  readonly io: ExchangeIo
  readonly app: SocialApp
  /** The callback of this provider, absolute: byte-identical in every step. */
  readonly redirectUri: string
  /** Whether addresses are asked for (`SOCIALACCOUNT_QUERY_EMAIL`). */
  readonly queryEmail: boolean
  /** Whether tokens are kept (`SOCIALACCOUNT_STORE_TOKENS`): a provider may ask for more then. */
  readonly storeTokens: boolean
  /** Name of our site, for providers that show it. */
  readonly siteName: string
}

/** `reauthenticate` forces a new login there, `rerequest` asks again for scopes that were declined. */
export type ExchangeAction = 'authenticate' | 'reauthenticate' | 'rerequest'

/** How a handshake begins. */
export interface ExchangeStart {
  /** Unguessable id, to come back in `state`; protocols without such a parameter leave it out. */
  readonly state: string
  readonly action: ExchangeAction
  /** Added to the scopes of app, settings or provider. */
  readonly scope: readonly string[]
  /** Added to the parameters of app, settings and provider. */
  readonly authParams: Readonly<Record<string, string>>
  /** Of the request that began it: some providers read more of it (`shop`, `region`, `openid`). */
  readonly query: URLSearchParams
}

/** Where the visitor goes. */
export interface ExchangeBegun {
  readonly url: string
  /** What `finish` is given back; kept sealed in the visitor's session (PKCE verifier, nonce, request token). */
  readonly kept: JsonObject
  /** Another state than the one that was given (SAML: the id of the request). */
  readonly state?: string
}

/** What the visitor came back with. */
export interface ExchangeCallback {
  /** Of the query, or of the form of a cross-site POST. */
  readonly params: URLSearchParams
  readonly kept: JsonObject
}

/** A token that an app got from the provider's SDK. */
export interface GivenToken {
  readonly clientId?: string
  readonly idToken?: string
  readonly accessToken?: string
}

/** An address as the provider tells it. */
export interface ProviderEmail {
  readonly email: string
  readonly verified: boolean
  readonly primary: boolean
}

/** Tokens of the provider, for use of its API; never in texts or logs. */
export interface ProviderTokens {
  readonly token: string
  /** OAuth 1 secret or OAuth 2 refresh token; empty: none. */
  readonly tokenSecret: string
  /** Milliseconds since the Unix epoch; `null`: not told. */
  readonly expiresAtMs: number | null
}

/** A user's identity at a provider. Empty strings mean missing. */
export interface ProviderIdentity {
  /** Immutable; at most 191 characters (checked by the flow). */
  readonly uid: string
  /** The profile as it is stored: JSON, without tokens. */
  readonly extraData: JsonObject
  readonly username: string
  readonly firstName: string
  readonly lastName: string
  /** In one piece, where the provider does not part it. */
  readonly name: string
  readonly emails: readonly ProviderEmail[]
  readonly phone: { readonly phone: string; readonly verified: boolean } | null
  readonly tokens: ProviderTokens | null
  /** What proved it may be used once (an assertion, a nonce): to be remembered by the caller, and refused the second time. */
  readonly replay?: TokenReplay | null
  /** SAML: what the provider calls this sign-in, which may be ended by that name. */
  readonly samlSubject?: SamlSubject | null
}

/** A protocol: proves a user's identity at a provider. Stateless; touches no session or row. */
export interface Exchange {
  /** @throws {ProviderError} */
  begin(call: ExchangeCall, start: ExchangeStart): Promise<ExchangeBegun>
  /** @throws {ProviderError} */
  finish(call: ExchangeCall, callback: ExchangeCallback): Promise<ProviderIdentity>
  /** Only where the provider has the token flow. @throws {ProviderError} */
  verifyToken?(
    call: ExchangeCall,
    token: GivenToken,
  ): Promise<ProviderIdentity & { readonly replay: TokenReplay | null }>
}

/** An id token, an assertion or a nonce may be used once: remembered until it expires. */
export interface TokenReplay {
  readonly issuer: string
  readonly jti: string
  readonly expiresAtMs: number
}

/** `cancelled`: the person refused; `denied`: the provider did; `unknown`: everything else. */
type ProviderErrorCode = 'cancelled' | 'denied' | 'unknown'

/** A handshake did not work. `message` is for logs: status and error code of the provider, never its reply or a token. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly code: ProviderErrorCode
  constructor(code: ProviderErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : {})
    this.code = code
  }
}
