import type { Core } from '../core.ts'
import type { Visit } from '../kernel/visit.ts'
import type { Provider } from '../social/provider.ts'

/** The providers that a client of the API can use: a browser is sent there, an app brings a token. By name. */
export async function supportedProviders(core: Core, request: Visit): Promise<readonly Provider[]> {
  if (!core.settings.socialaccount.enabled) return []
  const providers = await core.social.adapter.listProviders(request)
  return providers
    .filter(({ supportsToken, supportsRedirect }) => (request.client === 'app' ? supportsToken : supportsRedirect))
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
}
