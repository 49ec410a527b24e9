import type { Core } from '../../core.ts'
import { AuthError } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Provider } from '../provider.ts'
import type { ProviderEntry } from '../registry/provider-entry.ts'

/** Parts of a path, by their names. */
export type PathParams = Readonly<Record<string, string>>

/** The provider whose page this is, through our app there. @throws {AuthError} `not_found`: there is no app to use */
export async function providerOf(
  core: Core,
  request: Visit,
  entry: ProviderEntry,
  params: PathParams,
): Promise<Provider> {
  const slug = params['organization_slug']
  const provider =
    slug === undefined
      ? await providerIfAny(core, request, params['provider_id'] ?? entry.id)
      : await usable(core, () => organisation(core, request, entry, slug))
  // A sub-provider may be called like another provider.
  if (provider === null || provider.record.id !== entry.id) throw new AuthError('not_found')
  return provider
}

/**
 * Links are stored under the id of the organisation: of several without one, as an old site may have them, each could
 * sign in the people of the others.
 * @throws {AuthError} `not_found`, `settings_invalid`
 */
async function organisation(core: Core, request: Visit, entry: ProviderEntry, slug: string): Promise<Provider> {
  const provider = await core.social.provider(await core.social.adapter.getApp(request, entry.id, slug))
  const apps = await core.social.adapter.listApps(request, entry.id)
  const sharing = apps.filter(({ providerId }) => (providerId || entry.id) === provider.id)
  if (sharing.length <= 1) return provider
  const message = `Several apps of ${entry.name} are called ${provider.id}: give each its own provider_id.`
  throw new AuthError('settings_invalid', { message })
}

/** The same where its absence says only that nothing can be done. */
export const providerIfAny = (core: Core, request: Visit, id: string, clientId?: string): Promise<Provider | null> =>
  usable(core, () => core.social.adapter.getProvider(request, id, clientId))

/** `null`: there is no app, or there are several that nothing tells apart, which only the operator can mend. */
async function usable(core: Core, find: () => Promise<Provider>): Promise<Provider | null> {
  try {
    return await find()
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    if (error.code === 'settings_invalid') core.log.error('A provider cannot be used', { error })
    else if (error.code !== 'not_found') throw error
    return null
  }
}
