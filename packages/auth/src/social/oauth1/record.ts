import type { ProfileMapping, ProfilePath } from '../profile/profile-mapping.ts'
import type { ProviderFacts } from '../registry/provider-entry.ts'

/** How the profile is fetched once there is an access token. */
export interface OAuth1Profile {
  readonly url: string
  /** Added if email addresses are requested. */
  readonly emailParams?: Readonly<Record<string, string>>
  /** Default: signed. With `key_and_token`, the query has the app's key and the token instead. */
  readonly proof?: 'key_and_token'
  /** A preceding call: its result at `value` becomes the parameter `param` of the profile call. */
  readonly before?: { readonly url: string; readonly value: ProfilePath; readonly param: string }
  /** Path of the profile in the reply; default: all of it. */
  readonly root?: ProfilePath
}

/** A provider with OAuth 1.0a (RFC 5849), as data. In URLs, `{NAME}` is a setting in `hosts`. */
export interface OAuth1Record extends ProviderFacts {
  readonly protocol: 'oauth1'
  readonly requestTokenUrl: string
  readonly authorizeUrl: string
  readonly accessTokenUrl: string
  /** URL that forces a new login. */
  readonly reauthenticateUrl?: string
  /** Hostnames that settings of the provider can replace, by setting. */
  readonly hosts?: Readonly<Record<string, string>>
  readonly scopes?: readonly string[]
  /** Parameters of its page; `{app.name}` is the name of our app. */
  readonly authorizeParams?: Readonly<Record<string, string>>
  /** `token_reply`: the token reply contains it. */
  readonly profile: OAuth1Profile | 'token_reply'
  readonly person: ProfileMapping
  /** Member of the token reply with the token's expiry, in milliseconds since the Unix epoch. */
  readonly expiresAtMsMember?: string
  /** A user who declines comes back with a request token but without a verifier. */
  readonly refusesWithoutVerifier?: true
  /** The steps of OAuth 1.0a with JSON bodies and without signatures, as at Pocket. */
  readonly dialect?: 'pocket'
}
