import type { ProviderFacts } from '../registry/provider-entry.ts'

/** Fields of ours that attributes of an organisation are mapped to. */
export type SamlField = 'uid' | 'email' | 'email_verified' | 'username' | 'first_name' | 'last_name' | 'name' | 'phone'

/** SAML 2.0: each organisation is an app of its own. */
export interface SamlRecord extends ProviderFacts {
  readonly protocol: 'saml'
  /** Names of attributes for each field; the first that is there counts. An app may have others: `attribute_mapping`. */
  readonly attributes: Readonly<Partial<Record<SamlField, readonly string[]>>>
}
