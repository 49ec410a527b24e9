import type { ProfileMapping } from '../profile/profile-mapping.ts'
import type { ProviderFacts } from '../registry/provider-entry.ts'

/** OpenID Connect: its addresses are in the document that an app's `server_url` leads to. */
export interface OidcRecord extends ProviderFacts {
  readonly protocol: 'oidc'
  readonly scopes: readonly string[]
  /** Of the claims of id token and user info. */
  readonly person: ProfileMapping
}
