/** A person of the emulator. Texts are what the provider shows of them. */
export interface EmulatedPerson {
  /** Digits only for the providers whose ids are numbers; otherwise a number is made of it. */
  readonly id: string
  readonly email: string | null
  readonly emailVerified: boolean
  readonly username: string
  readonly firstName: string
  readonly lastName: string
}

/** What a client must make of a person: `null` where the provider does not say. */
export interface ExpectedPerson {
  readonly uid: string
  readonly email: string | null
  readonly emailVerified: boolean
  readonly username: string | null
  readonly firstName: string | null
  readonly lastName: string | null
  readonly name: string | null
}

/** A person with what providers make of them. */
export interface Subject extends EmulatedPerson {
  /** For providers whose ids are numbers. `NaN` when the id is to be left out. */
  readonly number: number
  readonly fullName: string
}

/** What an address of a provider is for. */
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

/** A request to a provider, read. */
export interface Call {
  readonly provider: string
  readonly kind: CallKind
  readonly method: string
  /** At the real address. */
  readonly url: URL
  /** As the client sent it: signatures of OAuth 1.0a cover this one. */
  readonly sentTo: string
  readonly headers: Headers
  /** The body as sent. */
  readonly body: string
  /** Members of a form or JSON body. */
  readonly form: URLSearchParams
  /** Whether the body is JSON. */
  readonly isJson: boolean
  /** What the braces in the path of the address stand for. */
  readonly path: Readonly<Record<string, string>>
  /** Which address of the provider it went to, as it stands in its shape. */
  readonly address: string
  /** An address of the provider as this client must call it. */
  at(real: string): string
}

/** What was granted with an access token. */
export interface Grant {
  readonly provider: string
  readonly clientId: string
  readonly person: EmulatedPerson
  readonly scopes: readonly string[]
  readonly nonce: string | null
  /** Parameters of the authorization request. */
  readonly asked: Readonly<Record<string, string>>
}

/** Every scope: for tokens made by hand. */
export const ALL_SCOPES = '*'

/** A JSON object. */
export type Members = Readonly<Record<string, unknown>>

/** Where a client puts the access token: `bearer`, `query:<name>`, `form:<name>`, `header:<name>: <before the token>`, `path`, `none`. */
export type Transport = 'bearer' | 'path' | 'none' | 'any' | `query:${string}` | `form:${string}` | `header:${string}`

/** With what a client asks for a profile. */
export interface ProfileAccess {
  readonly person: EmulatedPerson
  /** Empty where none is needed. */
  readonly token: string
  readonly clientId: string
  readonly secret: string
  readonly key: string
}

/** What every provider has, whatever it speaks. */
interface CommonShape {
  readonly authorize: string
  /** Another first page. */
  readonly secondAuthorize?: string
  readonly token: string
  /** `null`: the token reply or the id token says all. */
  readonly profile: string | null
  readonly email?: string
  /** A further call that belongs to the profile. */
  readonly secondProfile?: string
  readonly secondProfileReply?: (who: Subject, call: Call, grant: Grant) => unknown
  /** The scope without which no address is shown. */
  readonly emailScope?: string
  /** Usual values of what stands in braces. */
  readonly fill?: Readonly<Record<string, string>>
  /** Parts of the addresses that may be replaced: other hosts of the same provider. */
  readonly alsoAt?: readonly (readonly [string, string])[]
  /** Settings of the provider that must be set, for these addresses to be called. */
  readonly settings?: Members
  /** The same for settings of one app. */
  readonly appSettings?: Members
  /** `key` of the app. */
  readonly key?: string
  /** Default `id`: which part of the person is the account id here. */
  readonly uidFrom?: 'id' | 'username' | 'email'
  readonly profileMethod?: 'GET' | 'POST'
  /** Headers without which the profile is refused. `clientId` stands for the id of the client. */
  readonly profileHeaders?: Readonly<Record<string, string | RegExp>>
  /** The whole reply. */
  readonly profileReply?: (who: Subject, call: Call, grant: Grant) => unknown
  readonly emailReply?: (who: Subject, call: Call) => unknown
  /** By hand: what the documents of the provider make of the person. */
  readonly expected: (who: Subject) => Partial<ExpectedPerson> & Pick<ExpectedPerson, 'uid'>
}

/** A provider of OAuth 2.0. What is not said is as in RFC 6749, with the secret in the body. */
export interface OAuth2Shape extends CommonShape {
  readonly protocol: 'oauth2'
  readonly jwks?: string
  readonly issuer?: string
  readonly discovery?: string
  /** Says whose an access token is. */
  readonly debugToken?: string
  /** Hands out a token of the app itself. */
  readonly appToken?: string
  /** `json`: JWK set (default); `pem`: certificates by key id. */
  readonly jwksForm?: 'pem'
  /** Default `client_id`. */
  readonly authorizeClientId?: string
  /** Default `redirect_uri`. */
  readonly authorizeRedirect?: string | null
  /** Parameters without which the provider refuses. */
  readonly authorizeParams?: Readonly<Record<string, string>>
  /** Default a blank. */
  readonly scopeDelimiter?: ',' | '|' | ' ' | 'any'
  /** Added to the callback. */
  readonly callbackParams?: (
    who: Subject,
    scopes: readonly string[],
    first: boolean,
  ) => Readonly<Record<string, string>>
  /** Default `code`. */
  readonly callbackCode?: string
  readonly responseMode?: 'form_post'
  /** Refused without a challenge (RFC 7636). */
  readonly pkceNeeded?: boolean
  /** Default POST. */
  readonly tokenMethod?: 'GET' | 'POST'
  /** Where the verb depends on the address. */
  readonly tokenMethodAt?: (call: Call) => 'GET' | 'POST' | 'PUT'
  readonly tokenAuth?: 'post' | 'basic' | 'either' | 'apple' | 'app_access_token'
  readonly tokenBody?: 'form' | 'json'
  /** Other names of parameters in the token request; `null`: not sent there. */
  readonly tokenNames?: Readonly<
    Partial<Record<'client_id' | 'client_secret' | 'code' | 'grant_type' | 'redirect_uri', string | null>>
  >
  /** Parameters of the token request without which the provider refuses. */
  readonly tokenParams?: readonly string[]
  /** Whether the token reply is form-encoded: always, or unless JSON is asked for. */
  readonly tokenForm?: 'always' | 'unless_json'
  /** Default `application/json`. */
  readonly tokenType?: string
  /** Changes the token reply. */
  readonly tokenReply?: (standard: Members, who: Subject, call: Call, grant: Grant) => Members
  /** The error reply of the token endpoint. Default: 400 with `error`. */
  readonly tokenError?: (code: string) => readonly [status: number, body: Members]
  readonly transport: Transport
  /** Of the second profile, when another. */
  readonly secondTransport?: Transport
  readonly secondMethod?: 'GET' | 'POST'
  /** Without a token: the parameter that names the client of the profile. */
  readonly profileClient?: string
  /** Parameters of the profile request without which the provider refuses. */
  readonly profileParams?: readonly string[]
  /** Default `application/json`. */
  readonly profileType?: string
  /** Whether an id token is issued: always, or when `openid` is asked. */
  readonly idToken?: 'always' | 'openid'
  readonly idClaims?: (who: Subject) => Members
  /** Whether the profile request is in order beyond the token. */
  readonly profileCheck?: (call: Call, access: ProfileAccess) => boolean
  readonly profileError?: (code: string) => readonly [status: number, body: Members]
}

/** A provider of OAuth 1.0a (RFC 5849). */
export interface OAuth1Shape extends CommonShape {
  readonly protocol: 'oauth1'
  readonly requestToken: string
  readonly authorizeParams?: Readonly<Record<string, string>>
  /** `key`: key and token in the query instead of a signature. */
  readonly profileBy?: 'key'
  /** Members of the token reply. */
  readonly tokenReply?: (who: Subject, nowMs: number) => Readonly<Record<string, string>>
}

/** A provider with a protocol of its own. */
export interface OwnShape extends CommonShape {
  readonly protocol: 'openid2' | 'telegram' | 'draugiem' | 'pocket' | 'dummy' | 'saml'
  readonly requestToken?: string
  /** Where a person's own page is. */
  readonly discovery?: string
}

/** How an identity provider behaves: addresses, requests and responses. */
export type Shape = OAuth2Shape | OAuth1Shape | OwnShape

/** Providers by id. */
export type Shapes = Readonly<Record<string, Shape>>

/** Stands for an id that is to be left out. */
export const NO_ID = '\u0000'

/** The person as providers see them; an id of digits is the number, another gets one. */
export function subjectOf(person: EmulatedPerson): Subject {
  const number = person.id === NO_ID ? Number.NaN : numberOf(person.id)
  return { ...person, number, fullName: `${person.firstName} ${person.lastName}` }
}

function numberOf(id: string): number {
  if (/^[1-9]\d{0,14}$/.test(id)) return Number(id)
  let hash = 5381
  for (const char of id) hash = (hash * 33 + (char.codePointAt(0) ?? 0)) % 0x7f_ff_ff_ff
  return hash
}
