import type { JsonObject } from '../../kernel/settings/json-object.ts'
import type { ProfileMapping, ProfilePath } from '../profile/profile-mapping.ts'
import type { ProviderFacts } from '../registry/provider-entry.ts'

/**
 * A text with values in braces: `{NAME}` is an entry of `settings`, or one of `{client_id}`, `{client_secret}`,
 * `{app_key}`, `{redirect_uri}`, `{access_token}`, `{token.<path>}` (token reply), `{profile.<path>}` (first reply)
 * and `{callback.<parameter>}`. In URLs, all but settings and app values are percent-encoded.
 */
export type Template = string

/** A value that an app, the provider's settings or the visitor fill in. */
export interface RecordSetting {
  /**
   * Name in `SOCIALACCOUNT_PROVIDERS[id]`; an app has it in lower case and takes precedence. Lists are joined by
   * commas. Omitted: the entry's; `null`: no setting.
   */
  readonly setting?: string | null
  /** Another entry, from which to take the value instead of a setting. */
  readonly of?: string
  /** Parameter of the initial request, which wins; kept until the end of the handshake. */
  readonly query?: string
  /** Given values must match it, or are refused. Anchor it at both ends. */
  readonly pattern?: RegExp
  /** Texts by given value; other values are ignored. */
  readonly choices?: Readonly<Record<string, string>>
  /** Added to a given value without a dot. */
  readonly domain?: string
  /** Text made from the given value, `{value}`. */
  readonly as?: Template
  /** Used without a given value. If absent, a value is required. */
  readonly default?: Template
}

/** URLs of a provider. An app or the provider's settings can override them: `endpoints: {authorize_url, …}`. */
export interface OAuth2Endpoints {
  readonly authorize: Template
  readonly token: Template
  /** Omitted if the token reply contains the identity. */
  readonly profile?: Template
  /** Second call for addresses. */
  readonly email?: Template
  /** Keys of ID tokens: a JWK set, or certificates by key ID. */
  readonly jwks?: Template
  /** Issuer of ID tokens, and the `iss` of callbacks. */
  readonly issuer?: Template
}

/** Names of parameters that differ; `null` if it isn't sent. */
export type ParameterNames = Readonly<
  Partial<Record<'client_id' | 'client_secret' | 'redirect_uri' | 'grant_type' | 'code', string | null>>
>

/** How the authorization request differs. */
export interface AuthorizeRequest {
  readonly names?: ParameterNames
  /** Default: `code`. */
  readonly responseType?: 'code id_token'
  readonly responseMode?: 'form_post'
  /** Default parameters; `AUTH_PARAMS` and the request can override them. */
  readonly params?: Readonly<Record<string, Template>>
}

/** How the token request differs from RFC 6749 section 4.1.3. */
export interface TokenRequest {
  readonly method?: 'GET' | 'PUT'
  readonly body?: 'json'
  readonly names?: ParameterNames
  readonly params?: Readonly<Record<string, Template>>
  /** Parameters passed on from the callback. */
  readonly fromCallback?: readonly string[]
  /** Sends a new random `state` (VK). */
  readonly freshState?: true
  /** Fetches a token with the app's ID and secret first, and sends it instead of them (Feishu). */
  readonly appToken?: { readonly url: string; readonly names: ParameterNames; readonly key: string }
}

/** How the token reply differs. */
export interface TokenReply {
  /** The object that has the tokens. */
  readonly root?: ProfilePath
  readonly keys?: Readonly<Partial<Record<'access_token' | 'refresh_token' | 'expires_in', string>>>
}

/** How a call sends the access token. With several members, in all of these ways. */
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

/** A call to the provider's API for the user's profile. */
export interface ProfileCall {
  readonly method?: 'POST'
  /** Default: bearer. */
  readonly token?: TokenTransport | 'nowhere'
  readonly query?: Readonly<Record<string, Template>>
  /** More of the query, not encoded, for a provider that doesn't accept encoding. */
  readonly search?: Template
  readonly headers?: Readonly<Record<string, Template>>
  readonly form?: Readonly<Record<string, Template>>
  readonly json?: JsonObject
  /** A setting with more headers. */
  readonly headersSetting?: string
  /** Path of the profile in the reply. */
  readonly root?: ProfilePath
  /** Marks a successful reply: some providers report errors with status 200. */
  readonly success?: { readonly path: ProfilePath; readonly is: string | number | boolean }
  /** Member of the reply that must be our client ID; otherwise the token is another app's. */
  readonly audience?: ProfilePath
  /** MD5 of the sorted parameters and the secret, in this provider's form. */
  readonly signature?: 'mailru' | 'odnoklassniki'
  /** `appsecret_proof`: HMAC-SHA-256 of the token with the secret (Facebook). */
  readonly appSecretProof?: true
  /**
   * Set if the URL comes from the token reply. It must be https at one of these hosts or their subdomains or, with
   * `profile_url`, at the same origin as that.
   */
  readonly hosts?: readonly string[]
}

/** A further call, after the profile. */
export interface FurtherCall extends ProfileCall {
  /** Absent: `endpoints.email`. */
  readonly url?: Template
  /** When to make the call: if addresses are requested, if the profile lacks a member, or always. */
  readonly when: 'email_wanted' | { readonly without: ProfilePath } | 'always'
  /** Profile member to store the reply in. `*` adds the members of the reply. If absent, it replaces the profile. */
  readonly into?: string
  /** Statuses that mean there is no data; `any` ignores every failure. */
  readonly optional?: readonly number[] | 'any'
}

/** The part of a profile to store, and the members to add. */
export interface StoredProfile {
  /** Path of the object to store. */
  readonly root?: ProfilePath
  readonly only?: readonly string[]
  readonly without?: readonly string[]
  /** Additional names of members, as older releases stored them: name to path. */
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
  /** Sends a `nonce`, which must come back. */
  readonly nonce?: true
  /** Its claims are the profile of redirect logins. Without an ID token, the profile is fetched if there is a URL. */
  readonly isProfile?: true
  /** Names of profile members that differ from the claims: claim to member. */
  readonly names?: Readonly<Record<string, string>>
  /** If the setting is true, the profile is fetched for a member that the claims lack. */
  readonly fetches?: { readonly setting: string; readonly member: string }
}

/** A variant under a condition (values are compared in lower case): the fields of `use` replace the record's. */
export interface RecordVariant {
  readonly when:
    | { readonly setting: string; readonly is: string }
    | { readonly authParam: string; readonly is: string }
    | { readonly scope: string }
    | { readonly withoutScope: string }
  readonly use: Partial<Omit<OAuth2Record, 'id' | 'protocol' | 'variants'>>
}

/**
 * A provider with OAuth 2 (RFC 6749). Defaults follow the RFC and good practice: state, PKCE (RFC 7636), POST
 * of a form, JSON, bearer tokens.
 */
export interface OAuth2Record extends ProviderFacts {
  readonly protocol: 'oauth2'
  readonly endpoints: OAuth2Endpoints
  /** Values for templates, by name. A text is the default. */
  readonly settings?: Readonly<Record<string, RecordSetting | string>>
  /** Token replies conform to RFC 6749 section 5: `oauth4webapi` sends the request and checks the reply. */
  readonly conforms?: true
  readonly scopes?: readonly string[]
  /** Additional scopes if email addresses are requested. */
  readonly emailScopes?: readonly string[]
  /** Additional scopes if tokens are stored. */
  readonly tokenScopes?: readonly string[]
  /** Scopes that are always requested, whatever the settings are. */
  readonly requiredScopes?: readonly string[]
  /** Scopes that are written differently at this provider. */
  readonly scopeNames?: Readonly<Record<string, string>>
  /** Default: a space. */
  readonly scopeDelimiter?: ',' | '|'
  readonly authorize?: AuthorizeRequest
  readonly reauthenticate?: Readonly<Record<string, string>>
  readonly rerequest?: Readonly<Record<string, string>>
  /** The provider refuses requests with PKCE. */
  readonly pkce?: 'off'
  /** Default: in the form. With `apple`, the secret is a token signed with the app's key. */
  readonly clientAuth?: 'basic' | 'apple'
  /** The provider accepts only https callbacks. */
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
  /** At the first consent, the callback has a JSON `user` with the name (Apple). */
  readonly userInCallback?: true
  readonly stored?: StoredProfile
  readonly person: ProfileMapping
  readonly variants?: readonly RecordVariant[]
  /** Kind of token from the provider's SDK that is accepted; checked by `oauth2/given-token.ts`. */
  readonly givenToken?: 'id_token' | 'facebook'
}
