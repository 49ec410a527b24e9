import type { CallKind, EmulatedPerson, Grant } from './shape.ts'

/** What can go wrong at an endpoint. */
export type Fault =
  | 'error'
  | 'status_500'
  | 'malformed'
  | 'hang'
  | 'reset'
  | 'denied'
  | 'no_token'
  | 'no_id_token'
  | 'no_uid'
  | 'other_subject'
  | IdTokenFault

/** What can be wrong with an id token. */
export type IdTokenFault =
  | 'bad_signature'
  | 'unsigned'
  | 'unknown_key'
  | 'wrong_issuer'
  | 'wrong_audience'
  | 'expired'
  | 'wrong_nonce'

/** A client, as registered with a provider. */
export interface EmulatedClient {
  readonly clientId: string
  readonly secret: string
  /** `key` of the app, where the provider gives one. */
  readonly key?: string
  readonly redirectUris: readonly string[]
  /** PEM, where the secret is signed (Apple). */
  readonly publicKey?: string
  /** Where the provider takes both: the one way in which this client must authenticate itself. */
  readonly tokenAuth?: 'post' | 'basic'
}

/** A code that was handed out, with what it is bound to. */
export interface IssuedCode {
  readonly grant: Grant
  /** `null` when the authorization request named none. */
  readonly redirectUri: string | null
  readonly challenge: string | null
  readonly challengeMethod: string
  readonly expiresAtMs: number
}

/** A request token of OAuth 1.0a and its like. */
export interface RequestToken {
  readonly provider: string
  readonly clientId: string
  readonly secret: string
  readonly callback: string
  verifier: string | null
  person: EmulatedPerson | null
}

/** An access token that was handed out. */
export interface IssuedToken {
  readonly grant: Grant
  /** Of OAuth 1.0a. */
  readonly secret: string
  /** What it can be used as. */
  readonly use: 'access' | 'id' | 'app'
  readonly expiresAtMs: number
}

/** Time and randomness of the emulator. */
export interface EmulatorIo {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** As many random bytes. */
  random(length: number): Buffer
}

/** A key of OpenID 2.0, shared with a client or known to the endpoint alone. */
export interface Association {
  readonly type: 'HMAC-SHA1' | 'HMAC-SHA256'
  readonly key: Buffer
  readonly isPrivate: boolean
}

/** All that the stand-in remembers. */
export interface State {
  readonly io: EmulatorIo
  person: EmulatedPerson
  readonly clients: Map<string, Map<string, EmulatedClient>>
  readonly codes: Map<string, IssuedCode>
  readonly tokens: Map<string, IssuedToken>
  readonly requestTokens: Map<string, RequestToken>
  /** By handle. */
  readonly associations: Map<string, Association>
  /** Who has agreed to which client before. */
  readonly consents: Set<string>
  /** `oauth_nonce` and time stamp of signed requests. */
  readonly nonces: Set<string>
  /** By provider and kind. */
  readonly faults: Map<string, Fault>
  /** Base address when served. */
  servedAt: string | null
}

/** Who signs in until `signIn` is called. */
export const FIRST_PERSON: EmulatedPerson = {
  id: '48151623',
  email: 'ada@people.example',
  emailVerified: true,
  username: 'ada',
  firstName: 'Ada',
  lastName: 'Adler',
}

/** An emulator to which nothing has happened. */
export const emptyState = (io: EmulatorIo): State => ({
  io,
  person: FIRST_PERSON,
  clients: new Map(),
  codes: new Map(),
  tokens: new Map(),
  requestTokens: new Map(),
  associations: new Map(),
  consents: new Set(),
  nonces: new Set(),
  faults: new Map(),
  servedAt: null,
})

/** A random text for URLs. */
export const secretText = (state: State, bytes = 18): string => state.io.random(bytes).toString('base64url')

export const clientOf = (state: State, provider: string, clientId: string | null): EmulatedClient | null =>
  state.clients.get(provider)?.get(clientId ?? '') ?? null

export const faultAt = (state: State, provider: string, kind: CallKind): Fault | null =>
  state.faults.get(`${provider} ${kind}`) ?? null
