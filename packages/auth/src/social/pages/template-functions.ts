import type { Social } from '../social-accounts.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { providerIfAny } from './provider-of.ts'
import { withParameters } from './url-parameters.ts'
import { loginPath, visibleProviders } from './visible-providers.ts'

/** What the tags of social accounts call: see `templates/README.md`. */
export const providerFunctions = (social: Social, request: Visit): Readonly<Record<string, unknown>> => ({
  get_providers: () => visibleProviders(social, request),
  provider_login_url: (provider: unknown, args: Readonly<Record<string, string>>) =>
    loginUrl(social, request, provider, args),
  // Every button is a form or a link: no provider's script is needed beside them.
  providers_media_js: () => '',
  get_social_accounts: (user: User | null) => (user === null ? {} : accountsOf(social, request, user)),
})

const idOf = (provider: unknown): string =>
  typeof provider === 'object' && provider !== null && 'id' in provider ? String(provider.id) : String(provider)

/** Empty for a provider that has no app here: a template may name one before it is set up. */
async function loginUrl(
  social: Social,
  request: Visit,
  given: unknown,
  args: Readonly<Record<string, string>>,
): Promise<string> {
  const offered = (await visibleProviders(social, request)).find((provider) => provider === given)
  if (offered !== undefined) return withParameters(offered.login_path, args)
  const provider = await providerIfAny(social, request, idOf(given))
  return provider === null ? '' : withParameters(loginPath(social.kernel, provider), args)
}

async function accountsOf(social: Social, request: Visit, user: User): Promise<Readonly<Record<string, unknown>>> {
  const accounts = await social.connections(request, user)
  const shown = accounts.map((account) => ({
    id: account.id,
    provider: account.provider,
    uid: account.uid,
    name: social.display(account),
  }))
  return Object.groupBy(shown, ({ provider }) => provider)
}
