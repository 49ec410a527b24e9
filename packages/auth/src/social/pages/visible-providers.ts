import type { Social } from '../social-accounts.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Visit } from '../../kernel/visit.ts'
import { openidServers } from '../openid2/servers.ts'
import type { Provider } from '../provider.ts'
import { providerIfAny } from './provider-of.ts'
import { markOf, type ShownProvider, shownProvider } from './shown-provider.ts'

const NOTE = 'socialaccount.providers'

/** A provider that a page offers. */
export interface VisibleProvider extends ShownProvider {
  /** Of the page where a sign-in there begins: of this very app. */
  readonly login_path: string
  /** Of OpenID: those that have a button of their own. */
  readonly brands: readonly (Pick<ShownProvider, 'name' | 'initial' | 'tone'> & { readonly openid_url: string })[]
}

/** What a page offers to sign in with, by name; looked up once in a request. */
export function visibleProviders(social: Social, request: Visit): Promise<readonly VisibleProvider[]> {
  const known = request.notes.get(NOTE) as Promise<readonly VisibleProvider[]> | undefined // noted here alone
  if (known !== undefined) return known
  const looked = look(social, request)
  request.notes.set(NOTE, looked)
  return looked
}

/** Path of the page where a sign-in at a provider begins. */
export const loginPath = (kernel: Kernel, { id, record, app }: Provider): string =>
  kernel.url(`${record.id}_login`, { provider_id: id, organization_slug: app.clientId })

async function look(social: Social, request: Visit): Promise<readonly VisibleProvider[]> {
  const listed = await social.adapter.listProviders(request)
  const byPath = Map.groupBy(listed, (provider) => loginPath(social.kernel, provider))
  const offered = await Promise.all([...byPath.values()].map((sharing) => oneOf(social, request, sharing)))
  return offered
    .flatMap((provider) => (provider === null ? [] : [visible(social.kernel, provider)]))
    .toSorted((a, b) => a.name.localeCompare(b.name, request.language))
}

/** Of several apps that share a page the one that it would use; `null`: nothing tells them apart. */
async function oneOf(social: Social, request: Visit, sharing: readonly Provider[]): Promise<Provider | null> {
  const [provider, another] = sharing
  if (provider === undefined || another === undefined) return provider ?? null
  return providerIfAny(social, request, provider.id)
}

const visible = (kernel: Kernel, provider: Provider): VisibleProvider => ({
  ...shownProvider(provider),
  login_path: loginPath(kernel, provider),
  brands: openidServers(provider.app).map(({ name, url }) => ({ name, openid_url: url, ...markOf(url, name) })),
})
