import type { CallKind, EmulatedPerson, Grant } from './shape.ts'

/** Faults of an endpoint. */
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

/** Faults of an ID token. */
export type IdTokenFault =
  | 'bad_signature'
  | 'unsigned'
  | 'unknown_key'
  | 'wrong_issuer'
  | 'wrong_audience'
  | 'expired'
  | 'wrong_nonce'

/** A registered client. */
export interface EmulatedClient {
  readonly clientId: string
  readonly secret: string
  /** `key` of the app, if the provider has one. */
  readonly key?: string
  readonly redirectUris: readonly string[]
  /** PEM, for signed secrets (Apple). */
  readonly publicKey?: string
  /** Required authentication method, if the provider supports both. */
  readonly tokenAuth?: 'post' | 'basic'
}

/** An issued code. */
export interface IssuedCode {
  readonly grant: Grant
  /** `null` when the authorization request had none. */
  readonly redirectUri: string | null
  readonly challenge: string | null
  readonly challengeMethod: string
  readonly expiresAtMs: number
}

/** A request token of OAuth 1.0a or similar. */
export interface RequestToken {
  readonly provider: string
  readonly clientId: string
  readonly secret: string
  readonly callback: string
  verifier: string | null
  person: EmulatedPerson | null
}

/** An issued access token. */
export interface IssuedToken {
  readonly grant: Grant
  /** Token secret of OAuth 1.0a. */
  readonly secret: string
  /** Kind of token. */
  readonly use: 'access' | 'id' | 'app'
  readonly expiresAtMs: number
}

/** Time and randomness of the emulator. */
export interface EmulatorIo {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Returns that many random bytes. */
  random(length: number): Buffer
}

/** A key of OpenID 2.0, shared with a client or private to the endpoint. */
export interface Association {
  readonly type: 'HMAC-SHA1' | 'HMAC-SHA256'
  readonly key: Buffer
  readonly isPrivate: boolean
}

/** State of the emulator. */
export interface State {
  readonly io: EmulatorIo
  person: EmulatedPerson
  readonly clients: Map<string, Map<string, EmulatedClient>>
  readonly codes: Map<string, IssuedCode>
  readonly tokens: Map<string, IssuedToken>
  readonly requestTokens: Map<string, RequestToken>
  /** Associations by handle. */
  readonly associations: Map<string, Association>
  /** Previous consents. */
  readonly consents: Set<string>
  /** Nonces and timestamps of signed requests. */
  readonly nonces: Set<string>
  /** Faults by provider and kind. */
  readonly faults: Map<string, Fault>
  /** Base address, if served. */
  servedAt: string | null
}

/** The person before `signIn` is called. */
export const FIRST_PERSON: EmulatedPerson = {
  id: '48151623',
  email: 'ada@people.example',
  emailVerified: true,
  username: 'ada',
  firstName: 'Ada',
  lastName: 'Adler',
}

/** Creates the state of an emulator. */
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

/** Returns a random text for URLs. */
export const secretText = (state: State, bytes = 18): string => state.io.random(bytes).toString('base64url')

/** Returns a registered client, or `null`. */
export const findClient = (state: State, provider: string, clientId: string | null): EmulatedClient | null =>
  state.clients.get(provider)?.get(clientId ?? '') ?? null

/** Returns the active fault of an endpoint, or `null`. */
export const faultAt = (state: State, provider: string, kind: CallKind): Fault | null =>
  state.faults.get(`${provider} ${kind}`) ?? null
