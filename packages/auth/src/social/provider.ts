import type { Exchange } from './exchange.ts'
import type { ProviderRecord } from './registry/provider-record.ts'
import type { SocialApp } from './apps/social-apps.ts'

/** A provider with one of our apps. */
export interface Provider {
  /** The ID in links and URLs: the sub-provider ID if there is one, otherwise the provider ID. */
  readonly id: string
  /** Name to display: of a sub-provider's app, otherwise of the provider. */
  readonly name: string
  readonly record: ProviderRecord
  readonly app: SocialApp
  /** Whether the JSON API can redirect a browser there. */
  readonly supportsRedirect: boolean
  readonly supportsToken: boolean
  /** URL of the metadata, for OpenID Connect. */
  readonly openidConfigurationUrl: string | null
  /** Paths on this site. */
  readonly loginPath: string
  readonly callbackPath: string
  /** Loads the exchange on first use. */
  exchange(): Promise<Exchange>
}
