import type { CustomRecord } from './custom/record.ts'
import type { OAuth1Record } from './oauth1/record.ts'
import type { OAuth2Record } from './oauth2/record.ts'
import type { OidcRecord } from './openid-connect/record.ts'
import type { ProviderEntry, ProviderFacts } from './provider-entry.ts'

/** Records of protocols whose fields are not written down yet. */
interface OtherRecord extends ProviderFacts {
  readonly protocol: 'openid2' | 'saml'
}

/** What `providers/<file>.ts` has of a provider, by protocol. */
export type ProviderData = OAuth2Record | OAuth1Record | OidcRecord | CustomRecord | OtherRecord

/** Everything about a provider. */
export type ProviderRecord = ProviderEntry & ProviderData
