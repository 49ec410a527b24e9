import type { ProfileMapping, ProfilePath } from '../profile/profile-mapping.ts'
import type { ProviderFacts } from '../registry/provider-entry.ts'

/** How the profile is fetched once there is an access token. */
export interface OAuth1Profile {
  readonly url: string
  /** Added when addresses are asked for. */
  readonly emailParams?: Readonly<Record<string, string>>
  /** Default: signed. `key_and_token`: the key of the app and the token stand in the query instead. */
  readonly proof?: 'key_and_token'
  /** A preceding call: its result at `value` becomes the parameter `param` of the profile call. */
  readonly before?: { readonly url: string; readonly value: ProfilePath; readonly param: string }
  /** Where in the reply the profile is; default: all of it. */
  readonly root?: ProfilePath
}

/** A provider that speaks OAuth 1.0a (RFC 5849), as data. In addresses `{NAME}` is a setting of `hosts`. */
export interface OAuth1Record extends ProviderFacts {
  readonly protocol: 'oauth1'
  readonly requestTokenUrl: string
  readonly authorizeUrl: string
  readonly accessTokenUrl: string
  /** Where a new login is forced. */
  readonly reauthenticateUrl?: string
  /** Host names that settings of the provider may replace, by their names. */
  readonly hosts?: Readonly<Record<string, string>>
  readonly scopes?: readonly string[]
  /** Parameters of its page; `{app.name}` is the name of our app. */
  readonly authorizeParams?: Readonly<Record<string, string>>
  /** `token_reply`: the access token comes with it. */
  readonly profile: OAuth1Profile | 'token_reply'
  readonly person: ProfileMapping
  /** Member of the token reply that tells when the token expires, in milliseconds since the Unix epoch. */
  readonly expiresAtMsMember?: string
  /** Who refuses comes back with a request token, but without a verifier. */
  readonly refusesWithoutVerifier?: true
  /** The steps of OAuth 1.0a with JSON bodies and without signatures, as Pocket has them. */
  readonly dialect?: 'pocket'
}
