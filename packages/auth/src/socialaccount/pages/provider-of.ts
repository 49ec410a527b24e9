import type { Core } from '../../core.ts'
import { AuthError } from '../../errors.ts'
import type { AuthRequest } from '../../request.ts'
import type { Provider } from '../provider.ts'
import type { ProviderEntry } from '../provider-entry.ts'

/** Parts of a path, by their names. */
export type PathParams = Readonly<Record<string, string>>

/** The provider whose page this is, through our app there. @throws {AuthError} `not_found`: there is no such app */
export async function providerOf(
  core: Core,
  request: AuthRequest,
  entry: ProviderEntry,
  params: PathParams,
): Promise<Provider> {
  const { adapter } = core.social
  const slug = params['organization_slug']
  if (slug !== undefined) return core.social.provider(await adapter.getApp(request, entry.id, slug))
  const provider = await adapter.getProvider(request, params['provider_id'] ?? entry.id)
  // A sub-provider may be called like another provider.
  if (provider.record.id !== entry.id) throw new AuthError('not_found')
  return provider
}

/** The same where its absence says only that nothing can be done. */
export async function providerIfAny(
  core: Core,
  request: AuthRequest,
  id: string,
  clientId?: string,
): Promise<Provider | null> {
  try {
    return await core.social.adapter.getProvider(request, id, clientId)
  } catch (error) {
    if (error instanceof AuthError && error.code === 'not_found') return null
    throw error
  }
}
