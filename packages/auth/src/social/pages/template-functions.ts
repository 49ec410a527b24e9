import type { Kernel } from '../../kernel/kernel.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import { openidServers } from '../openid2/record.ts'
import type { Provider } from '../provider.ts'
import type { Social } from '../social-accounts.ts'
import { providerIfAny } from './provider-of.ts'
import { buildProviderMark, shownProvider, addQueryParams, type ShownProvider } from './answers.ts'

/** Returns the functions behind the social account tags, see `templates/README.md`. */
export const providerFunctions = (social: Social, request: Visit): Readonly<Record<string, unknown>> => ({
  get_providers: () => visibleProviders(social, request),
  provider_login_url: (provider: unknown, args: Readonly<Record<string, string>>) =>
    loginUrl(social, request, provider, args),
  // Every button is a form or a link, so no provider scripts are needed.
  providers_media_js: () => '',
  get_social_accounts: (user: User | null) => (user === null ? {} : loadAccountsByProvider(social, request, user)),
})

const toProviderId = (provider: unknown): string =>
  typeof provider === 'object' && provider !== null && 'id' in provider ? String(provider.id) : String(provider)

/** Returns an empty text for a provider without an app, because a template may name one before it's set up. */
async function loginUrl(
  social: Social,
  request: Visit,
  given: unknown,
  args: Readonly<Record<string, string>>,
): Promise<string> {
  const offered = (await visibleProviders(social, request)).find((provider) => provider === given)
  if (offered !== undefined) return addQueryParams(offered.login_path, args)
  const provider = await providerIfAny(social, request, toProviderId(given))
  return provider === null ? '' : addQueryParams(loginPath(social.kernel, provider), args)
}

async function loadAccountsByProvider(
  social: Social,
  request: Visit,
  user: User,
): Promise<Readonly<Record<string, unknown>>> {
  const accounts = await social.connections(request, user)
  const shown = accounts.map((account) => ({
    id: account.id,
    provider: account.provider,
    uid: account.uid,
    name: social.display(account),
  }))
  return Object.groupBy(shown, ({ provider }) => provider)
}

const NOTE = 'socialaccount.providers'

/** A provider that pages offer. */
interface VisibleProvider extends ShownProvider {
  /** Path of the page where a sign-in with this app starts. */
  readonly login_path: string
  /** For OpenID: the providers with their own button. */
  readonly brands: readonly (Pick<ShownProvider, 'name' | 'initial' | 'tone'> & { readonly openid_url: string })[]
}

/** Returns the providers that pages offer, sorted by name. Loads them once per request. */
function visibleProviders(social: Social, request: Visit): Promise<readonly VisibleProvider[]> {
  const known = request.notes.get(NOTE) as Promise<readonly VisibleProvider[]> | undefined // written only here
  if (known !== undefined) return known
  const looked = loadVisibleProviders(social, request)
  request.notes.set(NOTE, looked)
  return looked
}

/** Returns the path of the page where a sign-in at a provider starts. */
const loginPath = (kernel: Kernel, { id, record, app }: Provider): string =>
  kernel.url(`${record.id}_login`, { provider_id: id, organization_slug: app.clientId })

async function loadVisibleProviders(social: Social, request: Visit): Promise<readonly VisibleProvider[]> {
  const listed = await social.adapter.listProviders(request)
  const byPath = Map.groupBy(listed, (provider) => loginPath(social.kernel, provider))
  const offered = await Promise.all(
    [...byPath.values()].map((sharing) => chooseSharedProvider(social, request, sharing)),
  )
  return offered
    .flatMap((provider) => (provider === null ? [] : [toVisibleProvider(social.kernel, provider)]))
    .toSorted((a, b) => a.name.localeCompare(b.name, request.language))
}

/** Returns the app to use of several that share a page, or `null` if it is ambiguous. */
async function chooseSharedProvider(
  social: Social,
  request: Visit,
  sharing: readonly Provider[],
): Promise<Provider | null> {
  const [provider, another] = sharing
  if (provider === undefined || another === undefined) return provider ?? null
  return providerIfAny(social, request, provider.id)
}

const toVisibleProvider = (kernel: Kernel, provider: Provider): VisibleProvider => ({
  ...shownProvider(provider),
  login_path: loginPath(kernel, provider),
  brands: openidServers(provider.app).map(({ name, url }) => ({
    name,
    openid_url: url,
    ...buildProviderMark(url, name),
  })),
})
