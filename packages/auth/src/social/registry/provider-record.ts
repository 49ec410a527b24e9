import type { CustomRecord } from '../custom/record.ts'
import type { OAuth1Record } from '../oauth1/record.ts'
import type { OAuth2Record } from '../oauth2/record.ts'
import type { OidcRecord } from '../openid-connect/record.ts'
import type { Openid2Record } from '../openid2/record.ts'
import type { ProviderEntry } from './provider-entry.ts'
import type { SamlRecord } from '../saml/record.ts'

/** The record of a provider in `providers/`, by protocol. */
export type ProviderData = OAuth2Record | OAuth1Record | OidcRecord | Openid2Record | SamlRecord | CustomRecord

/** A provider's entry and record. */
export type ProviderRecord = ProviderEntry & ProviderData
