import type { ApiFlow } from '../../kernel/operations/operation.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Provider } from '../provider.ts'
import { providerIfAny } from '../pages/provider-of.ts'
import type { Social } from '../social-accounts.ts'
import type { SocialAccount } from '../social-login.ts'

/** Converts a provider to its JSON (4.2.3 of the reference). */
export function providerData({ id, name, record, app, ...provider }: Provider): object {
  const { supportsRedirect, supportsToken, openidConfigurationUrl } = provider
  const hasClientId = record.protocol === 'oauth2' || record.protocol === 'oidc'
  return {
    id,
    name,
    flows: [...(supportsRedirect ? ['provider_redirect'] : []), ...(supportsToken ? ['provider_token'] : [])],
    ...(hasClientId && { client_id: app.clientId }),
    ...(openidConfigurationUrl !== null && { openid_configuration_url: openidConfigurationUrl }),
  }
}

/** Converts an account to its JSON. Its provider has only a name if it no longer has an app. */
export async function providerAccountData(social: Social, request: Visit, account: SocialAccount): Promise<object> {
  return {
    uid: account.uid,
    provider: await toProviderJson(social, request, account),
    display: social.display(account),
  }
}

async function toProviderJson(social: Social, request: Visit, { provider: id }: SocialAccount): Promise<object> {
  const provider = await providerIfAny(social, request, id)
  return provider === null
    ? { id, name: await social.loadProviderName(request.db, id), flows: [] }
    : providerData(provider)
}

/**
 * Returns the providers that a client can use, sorted by name: browsers are redirected to the provider, and apps bring a
 * token.
 */
export async function supportedProviders(social: Social, request: Visit): Promise<readonly Provider[]> {
  if (!social.kernel.settings.socialaccount.enabled) return []
  const providers = await social.adapter.listProviders(request)
  return providers
    .filter(({ supportsToken, supportsRedirect }) => (request.client === 'app' ? supportsToken : supportsRedirect))
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
}

/** Returns the flows that involve providers. Only browsers can be redirected to one. */
export async function providerFlows(social: Social, visit: Visit): Promise<readonly ApiFlow[]> {
  const providers = await supportedProviders(social, visit)
  const listIds = (list: typeof providers): readonly string[] => [...new Set(list.map(({ id }) => id))]
  const redirect = visit.client === 'app' ? [] : listIds(providers)
  const token = listIds(providers.filter(({ supportsToken }) => supportsToken))
  const pending = await social.pendingSignup(visit)
  const provider = pending === null ? null : providerData(await social.provider(pending.app))
  return [
    ...(redirect.length > 0 ? [{ id: 'provider_redirect', providers: redirect }] : []),
    ...(token.length > 0 ? [{ id: 'provider_token', providers: token }] : []),
    ...(provider === null ? [] : [{ id: 'provider_signup', provider, is_pending: true }]),
  ]
}
