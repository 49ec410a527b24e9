import type { Social } from '../social-accounts.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { AuthError } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Provider } from '../provider.ts'
import type { ProviderEntry } from '../registry/provider-entry.ts'

/** Parameters of a path, by name. */
export type PathParams = Readonly<Record<string, string>>

/** Returns the provider of a page, with its app. @throws {AuthError} `not_found` without a usable app */
export async function loadPageProvider(
  social: Social,
  request: Visit,
  entry: ProviderEntry,
  params: PathParams,
): Promise<Provider> {
  const slug = params['organization_slug']
  const provider =
    slug === undefined
      ? await providerIfAny(social, request, params['provider_id'] ?? entry.id)
      : await findUsableProvider(social.kernel, () => loadOrganization(social, request, entry, slug))
  // A sub-provider can have the ID of another provider.
  if (provider === null || provider.record.id !== entry.id) throw new AuthError('not_found')
  return provider
}

/**
 * Returns the provider of an organization. Refuses several apps with one ID, as migrated sites may have them: links are
 * stored under the ID, so each organization could sign in the users of the others.
 * @throws {AuthError} `not_found`, `settings_invalid`
 */
async function loadOrganization(social: Social, request: Visit, entry: ProviderEntry, slug: string): Promise<Provider> {
  const provider = await social.provider(await social.adapter.getApp(request, entry.id, slug))
  const apps = await social.adapter.listApps(request, entry.id)
  const sharing = apps.filter(({ providerId }) => (providerId || entry.id) === provider.id)
  if (sharing.length <= 1) return provider
  const message = `Several apps of ${entry.name} are called ${provider.id}: give each its own provider_id.`
  throw new AuthError('settings_invalid', { message })
}

/** Returns a provider, or `null` if it has no usable app. */
export const providerIfAny = (
  social: Social,
  request: Visit,
  id: string,
  clientId?: string,
): Promise<Provider | null> =>
  findUsableProvider(social.kernel, () => social.adapter.getProvider(request, id, clientId))

/** Returns `null` without an app, or with several ambiguous ones, which only the operator can fix. */
async function findUsableProvider(kernel: Kernel, find: () => Promise<Provider>): Promise<Provider | null> {
  try {
    return await find()
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    if (error.code === 'settings_invalid') kernel.log.error('A provider cannot be used', { error })
    else if (error.code !== 'not_found') throw error
    return null
  }
}
