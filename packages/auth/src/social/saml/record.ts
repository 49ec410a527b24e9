import type { ProviderFacts } from '../registry/provider-entry.ts'

/** Our fields, to which an organization's attributes are mapped. */
export type SamlField = 'uid' | 'email' | 'email_verified' | 'username' | 'first_name' | 'last_name' | 'name' | 'phone'

/** A provider with SAML 2.0. Each organization has its own app. */
export interface SamlRecord extends ProviderFacts {
  readonly protocol: 'saml'
  /** Attribute names of each field; the first present one counts. An app can override them with `attribute_mapping`. */
  readonly attributes: Readonly<Partial<Record<SamlField, readonly string[]>>>
}
