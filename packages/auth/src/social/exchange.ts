import type { Clock, Log, RandomBytes } from '../kernel/io.ts'
import type { JsonObject } from '../kernel/settings/json-object.ts'
import type { SocialApp } from './apps/social-apps.ts'
import type { SamlSubject } from './saml/subject.ts'

/** The I/O that an exchange may use. */
export interface ExchangeIo {
  /** The hook `getRequestsSession` with a timeout and a size limit. Doesn't follow redirects. */
  readonly fetch: (request: Request) => Promise<Response>
  /** The same for URLs that visitors enter. Connects only to public addresses, unless the host replaced the hook. */
  readonly fetchPublic?: (request: Request) => Promise<Response>
  readonly clock: Clock
  readonly random: RandomBytes
  readonly log: Log
}

/** Input of every step. */
export interface ExchangeCall {
  readonly io: ExchangeIo
  readonly app: SocialApp
  /** Absolute callback URL of this provider, byte-identical in every step. */
  readonly redirectUri: string
  /** Whether to request email addresses (`SOCIALACCOUNT_QUERY_EMAIL`). */
  readonly queryEmail: boolean
  /** Whether tokens are stored (`SOCIALACCOUNT_STORE_TOKENS`), which can require more scopes. */
  readonly storeTokens: boolean
  /** Name of our site, for providers that show it. */
  readonly siteName: string
}

/** `reauthenticate` forces a new login at the provider, `rerequest` requests declined scopes again. */
export type ExchangeAction = 'authenticate' | 'reauthenticate' | 'rerequest'

/** Input for starting a handshake. */
export interface ExchangeStart {
  /** Unguessable ID that comes back in `state`, unless the protocol has no such parameter. */
  readonly state: string
  readonly action: ExchangeAction
  /** Added to the scopes of app, settings or provider. */
  readonly scope: readonly string[]
  /** Added to the parameters of app, settings and provider. */
  readonly authParams: Readonly<Record<string, string>>
  /** Query of the initial request. Some providers read more parameters from it (`shop`, `region`, `openid`). */
  readonly query: URLSearchParams
}

/** A started handshake: where to redirect the visitor. */
export interface ExchangeBegun {
  readonly url: string
  /** Passed to `finish`. Kept in the visitor's sealed session (PKCE verifier, nonce, request token). */
  readonly kept: JsonObject
  /** Replaces the given state (SAML: the ID of the request). */
  readonly state?: string
}

/** The callback of a visitor who returns from the provider. */
export interface ExchangeCallback {
  /** Parameters of the query, or of the form of a cross-site POST. */
  readonly params: URLSearchParams
  readonly kept: JsonObject
}

/** A token that an app got from the provider's SDK. */
export interface GivenToken {
  readonly clientId?: string
  readonly idToken?: string
  readonly accessToken?: string
}

/** An address as reported by the provider. */
export interface ProviderEmail {
  readonly email: string
  readonly verified: boolean
  readonly primary: boolean
}

/** Tokens for the provider's API. They never appear in messages or logs. */
export interface ProviderTokens {
  readonly token: string
  /** OAuth 1 secret or OAuth 2 refresh token; empty if none. */
  readonly tokenSecret: string
  /** Milliseconds since the Unix epoch; `null` if unknown. */
  readonly expiresAtMs: number | null
}

/** A user's identity at a provider. Empty strings mean missing. */
export interface ProviderIdentity {
  /** Immutable; at most 191 characters (checked by the flow). */
  readonly uid: string
  /** The profile as stored: JSON, without tokens. */
  readonly extraData: JsonObject
  readonly username: string
  readonly firstName: string
  readonly lastName: string
  /** Full name, if the provider doesn't split it. */
  readonly name: string
  readonly emails: readonly ProviderEmail[]
  readonly phone: { readonly phone: string; readonly verified: boolean } | null
  readonly tokens: ProviderTokens | null
  /** Set if the proof may be used only once (an assertion, a nonce): the caller records it and refuses a second use. */
  readonly replay?: TokenReplay | null
  /** SAML: identifies the provider's session, which the provider can ask us to end. */
  readonly samlSubject?: SamlSubject | null
}

/** A protocol that verifies a user's identity at a provider. Stateless: touches neither session nor database. */
export interface Exchange {
  /** @throws {ProviderError} */
  begin(call: ExchangeCall, start: ExchangeStart): Promise<ExchangeBegun>
  /** @throws {ProviderError} */
  finish(call: ExchangeCall, callback: ExchangeCallback): Promise<ProviderIdentity>
  /** Only if the provider supports the token flow. @throws {ProviderError} */
  verifyToken?(
    call: ExchangeCall,
    token: GivenToken,
  ): Promise<ProviderIdentity & { readonly replay: TokenReplay | null }>
}

/** An ID token, assertion, or nonce that may be used only once, recorded until it expires. */
export interface TokenReplay {
  readonly issuer: string
  readonly jti: string
  readonly expiresAtMs: number
}

/** `cancelled`: the user declined; `denied`: the provider refused; `unknown`: any other failure. */
type ProviderErrorCode = 'cancelled' | 'denied' | 'unknown'

/** A failed handshake. `message` is for logs: the provider's status and error code, never its reply or a token. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly code: ProviderErrorCode
  constructor(code: ProviderErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : {})
    this.code = code
  }
}
