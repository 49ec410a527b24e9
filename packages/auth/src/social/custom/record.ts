import type { ProfileMapping } from '../profile/profile-mapping.ts'
import type { ProviderFacts } from '../registry/provider-entry.ts'

/** A provider with a protocol of its own. */
export interface CustomRecord extends ProviderFacts {
  readonly protocol: 'custom'
  readonly speaks: 'telegram' | 'draugiem' | 'dummy'
  /** Its page; absent: a page of ours, at the callback. */
  readonly authorizeUrl?: string
  readonly tokenUrl?: string
  readonly person: ProfileMapping
}
