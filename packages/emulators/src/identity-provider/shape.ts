/** A person of the emulator, as providers show them. */
export interface EmulatedPerson {
  /** Mapped to a number for providers with numeric ids, unless it is one. */
  readonly id: string
  readonly email: string | null
  readonly emailVerified: boolean
  readonly username: string
  readonly firstName: string
  readonly lastName: string
}

/** What a client must read about a person; `null` where the provider doesn't say. */
export interface ExpectedPerson {
  readonly uid: string
  readonly email: string | null
  readonly emailVerified: boolean
  readonly username: string | null
  readonly firstName: string | null
  readonly lastName: string | null
  readonly name: string | null
}

/** A person with derived values. */
export interface Subject extends EmulatedPerson {
  /** Numeric id; `NaN` to omit the id. */
  readonly number: number
  readonly fullName: string
}

/** Kinds of addresses of a provider. */
export type CallKind =
  | 'authorize'
  | 'token'
  | 'profile'
  | 'email'
  | 'jwks'
  | 'request_token'
  | 'discovery'
  | 'debug_token'
  | 'app_token'

/** A parsed request to a provider. */
export interface Call {
  readonly provider: string
  readonly kind: CallKind
  readonly method: string
  /** Real address. */
  readonly url: URL
  /** Address as the client sent it, which OAuth 1.0a signatures cover. */
  readonly sentTo: string
  readonly headers: Headers
  /** Raw body. */
  readonly body: string
  /** Fields of a form or JSON body. */
  readonly form: URLSearchParams
  /** Whether the body is JSON. */
  readonly isJson: boolean
  /** Values of the braces in the address. */
  readonly path: Readonly<Record<string, string>>
  /** The address it matched, as in the shape. */
  readonly address: string
  /** Maps a real address to the one clients use. */
  at(real: string): string
}

/** What an access token grants. */
export interface Grant {
  readonly provider: string
  readonly clientId: string
  readonly person: EmulatedPerson
  readonly scopes: readonly string[]
  readonly nonce: string | null
  /** Parameters of the authorization request. */
  readonly asked: Readonly<Record<string, string>>
}

/** All scopes, for hand-made tokens. */
export const ALL_SCOPES = '*'

/** A JSON object. */
export type Members = Readonly<Record<string, unknown>>

/** Where a client puts the access token: `bearer`, `query:<name>`, `form:<name>`, `header:<name>: <before the token>`, `path`, `none`. */
export type Transport = 'bearer' | 'path' | 'none' | 'any' | `query:${string}` | `form:${string}` | `header:${string}`

/** Credentials of a profile request. */
export interface ProfileAccess {
  readonly person: EmulatedPerson
  /** Empty when none is needed. */
  readonly token: string
  readonly clientId: string
  readonly secret: string
  readonly key: string
}

/** Properties of all providers. */
interface CommonShape {
  readonly authorize: string
  /** Alternative authorization page. */
  readonly secondAuthorize?: string
  readonly token: string
  /** `null`: the profile is in the token response or ID token. */
  readonly profile: string | null
  readonly email?: string
  /** Additional profile call. */
  readonly secondProfile?: string
  readonly secondProfileReply?: (who: Subject, call: Call, grant: Grant) => unknown
  /** Scope required for the email address. */
  readonly emailScope?: string
  /** Usual values of the braces. */
  readonly fill?: Readonly<Record<string, string>>
  /** Replacements in addresses, for other hosts of the provider. */
  readonly alsoAt?: readonly (readonly [string, string])[]
  /** Provider settings required to use these addresses. */
  readonly settings?: Members
  /** App settings required to use these addresses. */
  readonly appSettings?: Members
  /** `key` of the app. */
  readonly key?: string
  /** Field of the person that is the account id. Default `id`. */
  readonly uidFrom?: 'id' | 'username' | 'email'
  readonly profileMethod?: 'GET' | 'POST'
  /** Required headers of the profile request. `clientId` stands for the client id. */
  readonly profileHeaders?: Readonly<Record<string, string | RegExp>>
  /** Returns the whole profile. */
  readonly profileReply?: (who: Subject, call: Call, grant: Grant) => unknown
  readonly emailReply?: (who: Subject, call: Call) => unknown
  /** Returns what a client must read, by the provider's documentation. */
  readonly expected: (who: Subject) => Partial<ExpectedPerson> & Pick<ExpectedPerson, 'uid'>
}

/** An OAuth 2.0 provider. Defaults are those of RFC 6749, with the secret in the body. */
export interface OAuth2Shape extends CommonShape {
  readonly protocol: 'oauth2'
  readonly jwks?: string
  readonly issuer?: string
  readonly discovery?: string
  /** Address that returns the owner of an access token. */
  readonly debugToken?: string
  /** Address that issues app tokens. */
  readonly appToken?: string
  /** `json`: JWK set (default); `pem`: certificates by key id. */
  readonly jwksForm?: 'pem'
  /** Default `client_id`. */
  readonly authorizeClientId?: string
  /** Default `redirect_uri`. */
  readonly authorizeRedirect?: string | null
  /** Required parameters. */
  readonly authorizeParams?: Readonly<Record<string, string>>
  /** Default: a space. */
  readonly scopeDelimiter?: ',' | '|' | ' ' | 'any'
  /** Additional callback parameters. */
  readonly callbackParams?: (
    who: Subject,
    scopes: readonly string[],
    first: boolean,
  ) => Readonly<Record<string, string>>
  /** Default `code`. */
  readonly callbackCode?: string
  readonly responseMode?: 'form_post'
  /** Whether a challenge is required (RFC 7636). */
  readonly pkceNeeded?: boolean
  /** Default POST. */
  readonly tokenMethod?: 'GET' | 'POST'
  /** Method, if it depends on the address. */
  readonly tokenMethodAt?: (call: Call) => 'GET' | 'POST' | 'PUT'
  readonly tokenAuth?: 'post' | 'basic' | 'either' | 'apple' | 'app_access_token'
  readonly tokenBody?: 'form' | 'json'
  /** Parameter names of the token request; `null`: not sent. */
  readonly tokenNames?: Readonly<
    Partial<Record<'client_id' | 'client_secret' | 'code' | 'grant_type' | 'redirect_uri', string | null>>
  >
  /** Required parameters of the token request. */
  readonly tokenParams?: readonly string[]
  /** Whether the token response is form-encoded: always, or unless JSON is accepted. */
  readonly tokenForm?: 'always' | 'unless_json'
  /** Default `application/json`. */
  readonly tokenType?: string
  /** Modifies the token response. */
  readonly tokenReply?: (standard: Members, who: Subject, call: Call, grant: Grant) => Members
  /** Error response of the token endpoint. Default: 400 with `error`. */
  readonly tokenError?: (code: string) => readonly [status: number, body: Members]
  readonly transport: Transport
  /** Transport of the second profile, if different. */
  readonly secondTransport?: Transport
  readonly secondMethod?: 'GET' | 'POST'
  /** Parameter with the client id, for profiles without a token. */
  readonly profileClient?: string
  /** Required parameters of the profile request. */
  readonly profileParams?: readonly string[]
  /** Default `application/json`. */
  readonly profileType?: string
  /** When an ID token is issued: always, or for the scope `openid`. */
  readonly idToken?: 'always' | 'openid'
  readonly idClaims?: (who: Subject) => Members
  /** Additional check of the profile request. */
  readonly profileCheck?: (call: Call, access: ProfileAccess) => boolean
  readonly profileError?: (code: string) => readonly [status: number, body: Members]
}

/** An OAuth 1.0a provider (RFC 5849). */
export interface OAuth1Shape extends CommonShape {
  readonly protocol: 'oauth1'
  readonly requestToken: string
  readonly authorizeParams?: Readonly<Record<string, string>>
  /** `key`: key and token in the query instead of a signature. */
  readonly profileBy?: 'key'
  /** Fields of the token response. */
  readonly tokenReply?: (who: Subject, nowMs: number) => Readonly<Record<string, string>>
}

/** A provider with its own protocol. */
export interface OwnShape extends CommonShape {
  readonly protocol: 'openid2' | 'telegram' | 'draugiem' | 'pocket' | 'dummy' | 'saml'
  readonly requestToken?: string
  /** Address of a person's page. */
  readonly discovery?: string
}

/** How an identity provider behaves: addresses, requests and responses. */
export type Shape = OAuth2Shape | OAuth1Shape | OwnShape

/** Providers by id. */
export type Shapes = Readonly<Record<string, Shape>>

/** Marks an id to omit. */
export const NO_ID = '\u0000'

/** Returns a person with derived values. Numeric ids are kept, others are hashed to a number. */
export function toSubject(person: EmulatedPerson): Subject {
  const number = person.id === NO_ID ? Number.NaN : toNumericId(person.id)
  return { ...person, number, fullName: `${person.firstName} ${person.lastName}` }
}

function toNumericId(id: string): number {
  if (/^[1-9]\d{0,14}$/.test(id)) return Number(id)
  let hash = 5381
  for (const char of id) hash = (hash * 33 + (char.codePointAt(0) ?? 0)) % 0x7f_ff_ff_ff
  return hash
}
