import type { JsonObject } from '../../kernel/settings/json-object.ts'
import type { ProfileMapping, ProfilePath } from '../profile/profile-mapping.ts'
import type { ProviderFacts } from '../registry/provider-entry.ts'

/**
 * A text with values in braces: `{NAME}` is an entry of `settings`, or one of `{client_id}`, `{client_secret}`,
 * `{app_key}`, `{redirect_uri}`, `{access_token}`, `{token.<path>}` (token reply), `{profile.<path>}` (first reply)
 * and `{callback.<parameter>}`. In the path of an address all but settings and app values are percent-encoded.
 */
export type Template = string

/** A value that an app, the provider's settings or the visitor fill in. */
export interface RecordSetting {
  /**
   * Name in `SOCIALACCOUNT_PROVIDERS[id]`; an app has it in lower case and takes precedence. Lists are joined by
   * commas. Omitted: the entry's; `null`: no setting.
   */
  readonly setting?: string | null
  /** Another entry, whose value is looked at in place of a setting. */
  readonly of?: string
  /** Parameter of the request that began the handshake, which wins; kept until its end. */
  readonly query?: string
  /** What a given value must match as a whole; others of settings and visitors are refused. */
  readonly pattern?: RegExp
  /** Texts for given values; others count as none. */
  readonly choices?: Readonly<Record<string, string>>
  /** Added to a given value without a dot. */
  readonly domain?: string
  /** What becomes of a given value, `{value}`. */
  readonly as?: Template
  /** Without a value. Absent: the provider cannot be used without one. */
  readonly default?: Template
}

/** Addresses of a provider. An app or the provider's settings may have others: `endpoints: {authorize_url, …}`. */
export interface OAuth2Endpoints {
  readonly authorize: Template
  readonly token: Template
  /** Omitted if the token reply contains the identity. */
  readonly profile?: Template
  /** Second call for addresses. */
  readonly email?: Template
  /** Keys of id tokens: a JWK set, or certificates by key id. */
  readonly jwks?: Template
  /** Of id tokens, and of the `iss` of callbacks. */
  readonly issuer?: Template
}

/** Own names of parameters; `null`: it is not sent. */
export type ParameterNames = Readonly<
  Partial<Record<'client_id' | 'client_secret' | 'redirect_uri' | 'grant_type' | 'code', string | null>>
>

/** How the authorization request differs. */
export interface AuthorizeRequest {
  readonly names?: ParameterNames
  /** Default: `code`. */
  readonly responseType?: 'code id_token'
  readonly responseMode?: 'form_post'
  /** Always sent; `AUTH_PARAMS` and the request may say otherwise. */
  readonly params?: Readonly<Record<string, Template>>
}

/** How the token request differs from RFC 6749 section 4.1.3. */
export interface TokenRequest {
  readonly method?: 'GET' | 'PUT'
  readonly body?: 'json'
  readonly names?: ParameterNames
  readonly params?: Readonly<Record<string, Template>>
  /** Parameters that are passed on from the callback. */
  readonly fromCallback?: readonly string[]
  /** A random `state` is wanted again (VK). */
  readonly freshState?: true
  /** A token of the app is fetched first with its id and secret, and sent in place of them (Feishu). */
  readonly appToken?: { readonly url: string; readonly names: ParameterNames; readonly key: string }
}

/** How the token reply differs. */
export interface TokenReply {
  /** The object that has the tokens. */
  readonly root?: ProfilePath
  readonly keys?: Readonly<Partial<Record<'access_token' | 'refresh_token' | 'expires_in', string>>>
}

/** Where a call carries the access token. Several: all of them. */
export interface TokenTransport {
  /** `Authorization: Bearer` (RFC 6750 section 2.1). */
  readonly bearer?: true
  /** Name of a parameter of the query. */
  readonly query?: string
  /** Name of a parameter of the form. */
  readonly form?: string
  /** `Authorization` with another scheme. */
  readonly scheme?: Template
  /** Another header, with the bare token. */
  readonly header?: string
}

/** A call of the provider's API that tells about the person. */
export interface ProfileCall {
  readonly method?: 'POST'
  /** Default: bearer. */
  readonly token?: TokenTransport | 'nowhere'
  readonly query?: Readonly<Record<string, Template>>
  /** More of the query, as it stands: for a provider that takes none of it encoded. */
  readonly search?: Template
  readonly headers?: Readonly<Record<string, Template>>
  readonly form?: Readonly<Record<string, Template>>
  readonly json?: JsonObject
  /** A setting with more headers. */
  readonly headersSetting?: string
  /** Where the profile is in the reply. */
  readonly root?: ProfilePath
  /** Marks a successful reply: some providers report errors with status 200. */
  readonly success?: { readonly path: ProfilePath; readonly is: string | number | boolean }
  /** Member of the reply that must be our client id: else the token was another app's. */
  readonly audience?: ProfilePath
  /** `md5` over sorted parameters and secret, in the way of this provider. */
  readonly signature?: 'mailru' | 'odnoklassniki'
  /** `appsecret_proof`: HMAC-SHA-256 of the token with the secret (Facebook). */
  readonly appSecretProof?: true
  /**
   * The address comes from the token reply: it must be https at one of these hosts or below. Moved by `profile_url`:
   * at the same origin as that.
   */
  readonly hosts?: readonly string[]
}

/** A further call, after the profile. */
export interface FurtherCall extends ProfileCall {
  /** Absent: `endpoints.email`. */
  readonly url?: Template
  /** When it is made: addresses are wanted, the profile lacks something, or always. */
  readonly when: 'email_wanted' | { readonly without: ProfilePath } | 'always'
  /** Member of the profile that the reply becomes; absent: the reply takes the place of the profile. `*`: its members are added. */
  readonly into?: string
  /** Statuses that only mean that nothing is told; `any`: whatever goes wrong. */
  readonly optional?: readonly number[] | 'any'
}

/** What is kept of a profile, and what is added to it. */
export interface StoredProfile {
  /** The object that is kept. */
  readonly root?: ProfilePath
  readonly only?: readonly string[]
  readonly without?: readonly string[]
  /** Own names of members, as older releases stored them: name to place. */
  readonly copies?: Readonly<Record<string, ProfilePath>>
  /** Members of the token reply. */
  readonly fromToken?: readonly string[]
  /** Parameters of the callback. */
  readonly fromCallback?: readonly string[]
  /** Members with values of `settings`. */
  readonly fromSettings?: Readonly<Record<string, string>>
}

/** A signed token that contains the identity (OpenID Connect Core 1.0 section 2). */
export interface IdTokenRules {
  /** Accepted signature algorithms. Never read from the token itself. */
  readonly algorithms: readonly ('RS256' | 'ES256')[]
  /** A `nonce` is sent, and must come back. */
  readonly nonce?: true
  /** Its claims are the profile of redirect logins; without one in the token reply the profile is fetched, if there is an address. */
  readonly isProfile?: true
  /** Members of the profile that claims are, where the names differ: claim to member. */
  readonly names?: Readonly<Record<string, string>>
  /** With a setting that is true, the profile is fetched for a member that the claims lack. */
  readonly fetches?: { readonly setting: string; readonly member: string }
}

/** What differs under a setting (compared in lower case): `use` replaces the fields that it has. */
export interface RecordVariant {
  readonly when:
    | { readonly setting: string; readonly is: string }
    | { readonly authParam: string; readonly is: string }
    | { readonly scope: string }
    | { readonly withoutScope: string }
  readonly use: Partial<Omit<OAuth2Record, 'id' | 'protocol' | 'variants'>>
}

/**
 * A provider that speaks OAuth 2 (RFC 6749). Defaults follow the RFC and good practice: state, PKCE (RFC 7636), POST
 * of a form, JSON, bearer tokens.
 */
export interface OAuth2Record extends ProviderFacts {
  readonly protocol: 'oauth2'
  readonly endpoints: OAuth2Endpoints
  /** Values in braces. A text is the default. */
  readonly settings?: Readonly<Record<string, RecordSetting | string>>
  /** Token replies are as RFC 6749 section 5 wants them: `oauth4webapi` makes the request and checks the reply. */
  readonly conforms?: true
  readonly scopes?: readonly string[]
  /** Besides, when addresses are wanted. */
  readonly emailScopes?: readonly string[]
  /** Besides, when tokens are kept. */
  readonly tokenScopes?: readonly string[]
  /** Always, whatever the settings say. */
  readonly requiredScopes?: readonly string[]
  /** Scopes that are written differently at this provider. */
  readonly scopeNames?: Readonly<Record<string, string>>
  /** Default: a blank. */
  readonly scopeDelimiter?: ',' | '|'
  readonly authorize?: AuthorizeRequest
  readonly reauthenticate?: Readonly<Record<string, string>>
  readonly rerequest?: Readonly<Record<string, string>>
  /** The provider refuses requests with PKCE. */
  readonly pkce?: 'off'
  /** Default: in the form. `apple`: a token signed with the app's key stands for the secret. */
  readonly clientAuth?: 'basic' | 'apple'
  /** Callbacks are registered with https alone. */
  readonly forcesHttpsCallback?: true
  /** Name of the parameter with the code (default `code`). */
  readonly codeParam?: string
  /** Callback errors that mean the user declined, in addition to `access_denied`. */
  readonly cancelErrors?: readonly string[]
  readonly tokenRequest?: TokenRequest
  readonly tokenReply?: TokenReply
  readonly profile?: ProfileCall
  readonly further?: readonly FurtherCall[]
  /** Texts of the profile that arrive as UTF-8 read as Latin-1. */
  readonly misread?: readonly ProfilePath[]
  readonly idToken?: IdTokenRules
  /** The callback has a JSON `user` with the name at the first consent (Apple). */
  readonly userInCallback?: true
  readonly stored?: StoredProfile
  readonly person: ProfileMapping
  readonly variants?: readonly RecordVariant[]
  /** Tokens of the provider's own SDKs that are taken: checked as `oauth2/given-token.ts` does it. */
  readonly givenToken?: 'id_token' | 'facebook'
}
