import type { AuthSettings } from '../../kernel/settings/settings.ts'
import { AuthError } from '../../errors.ts'
import type { Exchange } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import type { ProviderEntry } from '../registry/provider-entry.ts'
import type { ProviderRecord } from '../registry/provider-record.ts'
import { providerPaths } from '../registry/provider-paths.ts'
import type { SocialApp } from './social-apps.ts'

/** Source of providers: the registry, or a replacement for tests. */
export interface ProviderSource {
  readonly entries: readonly ProviderEntry[]
  record(id: string): Promise<ProviderRecord>
  exchange(record: ProviderRecord): Promise<Exchange>
}

/** Returns the provider of an app. @throws {AuthError} `not_found` */
export async function createAppProvider(
  settings: AuthSettings,
  source: ProviderSource,
  app: SocialApp,
): Promise<Provider> {
  const entry = source.entries.find(({ id }) => id === app.provider)
  if (entry === undefined) throw new AuthError('not_found')
  const record = await source.record(entry.id)
  return {
    id: app.providerId || app.provider,
    name: providerDisplayName(entry, app),
    record,
    app,
    supportsRedirect: entry.supportsRedirect,
    supportsToken: entry.supportsToken,
    openidConfigurationUrl: configurationUrl(entry, app),
    ...providerPaths(settings, entry, app),
    exchange: () => source.exchange(record),
  }
}

/** Returns the name to display. Sub-providers have the name of their app. */
const providerDisplayName = (entry: ProviderEntry, { name, providerId }: SocialApp): string =>
  entry.protocol === 'oidc' || entry.protocol === 'saml' ? name || providerId || entry.name : entry.name

/** Returns the discovery URL of an OpenID Connect app. @see OpenID Connect Discovery 1.0, section 4 */
function configurationUrl({ protocol }: ProviderEntry, { settings }: SocialApp): string | null {
  const url = settings['server_url']
  if (protocol !== 'oidc' || typeof url !== 'string') return null
  return url.includes('/.well-known/') ? url : `${url.replace(/\/$/, '')}/.well-known/openid-configuration`
}
