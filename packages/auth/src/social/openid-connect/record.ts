import type { ProfileMapping } from '../profile/profile-mapping.ts'
import type { ProviderFacts } from '../registry/provider-entry.ts'

/** A provider with OpenID Connect. Its URLs are in the metadata at the app's `server_url`. */
export interface OidcRecord extends ProviderFacts {
  readonly protocol: 'oidc'
  readonly scopes: readonly string[]
  /** Mapping of the claims of ID token and user info. */
  readonly person: ProfileMapping
}
