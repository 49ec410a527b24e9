import type { Social } from '../social-accounts.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { AuthError } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Provider } from '../provider.ts'
import type { ProviderEntry } from '../registry/provider-entry.ts'

/** Parts of a path, by their names. */
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
      : await findUsableProvider(social.kernel, () => organisation(social, request, entry, slug))
  // A sub-provider may be called like another provider.
  if (provider === null || provider.record.id !== entry.id) throw new AuthError('not_found')
  return provider
}

/**
 * Links are stored under the id of the organisation: of several without one, as an old site may have them, each could
 * sign in the people of the others.
 * @throws {AuthError} `not_found`, `settings_invalid`
 */
async function organisation(social: Social, request: Visit, entry: ProviderEntry, slug: string): Promise<Provider> {
  const provider = await social.provider(await social.adapter.getApp(request, entry.id, slug))
  const apps = await social.adapter.listApps(request, entry.id)
  const sharing = apps.filter(({ providerId }) => (providerId || entry.id) === provider.id)
  if (sharing.length <= 1) return provider
  const message = `Several apps of ${entry.name} are called ${provider.id}: give each its own provider_id.`
  throw new AuthError('settings_invalid', { message })
}

/** The same where its absence says only that nothing can be done. */
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
