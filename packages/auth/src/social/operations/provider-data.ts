import type { ApiFlow } from '../../kernel/operations/operation.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Provider } from '../provider.ts'
import { providerIfAny } from '../pages/provider-of.ts'
import type { Social } from '../social-accounts.ts'
import type { SocialAccount } from '../social-login.ts'

/** A provider as the API shows it (4.2.3 of the reference). */
export function providerData({ id, name, record, app, ...provider }: Provider): object {
  const { supportsRedirect, supportsToken, openidConfigurationUrl } = provider
  const isOfOAuth2 = record.protocol === 'oauth2' || record.protocol === 'oidc'
  return {
    id,
    name,
    flows: [...(supportsRedirect ? ['provider_redirect'] : []), ...(supportsToken ? ['provider_token'] : [])],
    ...(isOfOAuth2 && { client_id: app.clientId }),
    ...(openidConfigurationUrl !== null && { openid_configuration_url: openidConfigurationUrl }),
  }
}

/** An account at a provider. A provider that has no app here any more can only be named. */
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

/** The providers that a client of the API can use: a browser is sent there, an app brings a token. By name. */
export async function supportedProviders(social: Social, request: Visit): Promise<readonly Provider[]> {
  if (!social.kernel.settings.socialaccount.enabled) return []
  const providers = await social.adapter.listProviders(request)
  return providers
    .filter(({ supportsToken, supportsRedirect }) => (request.client === 'app' ? supportsToken : supportsRedirect))
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
}

/** Returns the flows by providers. Only a browser can be sent to one. */
export async function providerFlows(social: Social, visit: Visit): Promise<readonly ApiFlow[]> {
  const providers = await supportedProviders(social, visit)
  const uniqueIds = (list: typeof providers): readonly string[] => [...new Set(list.map(({ id }) => id))]
  const redirect = visit.client === 'app' ? [] : uniqueIds(providers)
  const token = uniqueIds(providers.filter(({ supportsToken }) => supportsToken))
  const pending = await social.pendingSignup(visit)
  const provider = pending === null ? null : providerData(await social.provider(pending.app))
  return [
    ...(redirect.length > 0 ? [{ id: 'provider_redirect', providers: redirect }] : []),
    ...(token.length > 0 ? [{ id: 'provider_token', providers: token }] : []),
    ...(provider === null ? [] : [{ id: 'provider_signup', provider, is_pending: true }]),
  ]
}
