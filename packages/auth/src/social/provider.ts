import type { Exchange } from './exchange.ts'
import type { ProviderRecord } from './registry/provider-record.ts'
import type { SocialApp } from './apps/social-apps.ts'

/** A provider through one of our apps there. */
export interface Provider {
  /** What links are stored under, and what URLs name: the sub-provider id if there is one, else the id. */
  readonly id: string
  /** For people: name of the app of a sub-provider, else of the provider. */
  readonly name: string
  readonly record: ProviderRecord
  readonly app: SocialApp
  /** Whether a browser can be sent there; needs no app of its own for the test provider alone. */
  readonly supportsRedirect: boolean
  readonly supportsToken: boolean
  /** OpenID Connect: where its configuration is. */
  readonly openidConfigurationUrl: string | null
  /** Paths of ours. */
  readonly loginPath: string
  readonly callbackPath: string
  /** Loaded at its first use. */
  exchange(): Promise<Exchange>
}
