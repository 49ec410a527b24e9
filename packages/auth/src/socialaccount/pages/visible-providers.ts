import type { Core } from '../../core.ts'
import type { AuthRequest } from '../../request.ts'
import { type ShownProvider, shownProvider } from './shown-provider.ts'

const NOTE = 'socialaccount.providers'

/** What a page offers to sign in with, by name; looked up once in a request. */
export function visibleProviders(core: Core, request: AuthRequest): Promise<readonly ShownProvider[]> {
  const known = request.notes.get(NOTE) as Promise<readonly ShownProvider[]> | undefined // noted here alone
  if (known !== undefined) return known
  const looked = look(core, request)
  request.notes.set(NOTE, looked)
  return looked
}

async function look(core: Core, request: AuthRequest): Promise<readonly ShownProvider[]> {
  const providers = await core.social.adapter.listProviders(request)
  return providers.map(shownProvider).toSorted((a, b) => a.name.localeCompare(b.name, request.language))
}
