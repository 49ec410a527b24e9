import type { ProfileMapping } from '../profile/profile-mapping.ts'
import type { ProviderFacts } from '../registry/provider-entry.ts'

/** A provider with its own protocol. */
export interface CustomRecord extends ProviderFacts {
  readonly protocol: 'custom'
  readonly speaks: 'telegram' | 'draugiem' | 'dummy'
  /** Its authorization page. If absent, our page at the callback URL. */
  readonly authorizeUrl?: string
  readonly tokenUrl?: string
  readonly person: ProfileMapping
}
