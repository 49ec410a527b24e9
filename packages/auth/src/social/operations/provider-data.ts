import type { Social } from '../social-accounts.ts'
import type { Visit } from '../../kernel/visit.ts'
import { providerIfAny } from '../pages/provider-of.ts'
import type { Provider } from '../provider.ts'
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
