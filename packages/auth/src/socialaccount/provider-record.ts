import type { OAuth2Record } from './oauth2/record.ts'
import type { ProviderEntry, ProviderFacts, Protocol } from './provider-entry.ts'

/** Records of protocols whose fields are not written down yet. */
interface OtherRecord extends ProviderFacts {
  readonly protocol: Exclude<Protocol, 'oauth2'>
}

/** What `providers/<file>.ts` has of a provider, by protocol. */
export type ProviderData = OAuth2Record | OtherRecord

/** Everything about a provider. */
export type ProviderRecord = ProviderEntry & ProviderData
