import type { EmulatedPerson } from '../shape.ts'

/** What can be wrong with the answers of an identity provider. */
export type SamlFault =
  | 'unsigned'
  | 'bad_signature'
  | 'other_key'
  | 'deprecated_algorithm'
  | 'wrong_audience'
  | 'wrong_recipient'
  | 'wrong_destination'
  | 'expired'
  | 'not_yet_valid'
  | 'wrong_in_response_to'
  | 'no_in_response_to'
  | 'other_issuer'
  | 'wrapped_beside'
  | 'wrapped_inside'
  | 'commented_name'
  | 'no_uid'
  | 'denied'
  | 'malformed'
  | 'status_500'

/** A service provider, as registered. */
export interface SamlServiceProvider {
  readonly entityId: string
  /** Where assertions may be sent; the first is usual. */
  readonly acsUrls: readonly string[]
  /** Where logout messages are sent. */
  readonly slsUrl?: string
  /** PEM: its requests must then be signed. */
  readonly certificate?: string
}

/** How an identity provider is set up. */
export interface SamlOptions {
  readonly entityId: string
  /** Milliseconds since the Unix epoch. */
  now(): number
  random(length: number): Buffer
  /** What is signed. Default the assertion. */
  readonly signs?: 'assertion' | 'response' | 'both'
  /** What the name of the subject is. Default the id. */
  readonly nameId?: 'id' | 'email'
  /** Default: the attribute names most identity providers use. */
  readonly attributes?: (person: EmulatedPerson) => Readonly<Record<string, string>>
}

/** Form fields that a browser posts to a service provider. */
export interface SamlPost {
  readonly SAMLResponse: string
  readonly RelayState: string
}
