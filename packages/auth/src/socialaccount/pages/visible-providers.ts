import type { Core } from '../../core.ts'
import type { AuthRequest } from '../../request.ts'
import type { Provider } from '../provider.ts'
import { type ShownProvider, shownProvider } from './shown-provider.ts'

const NOTE = 'socialaccount.providers'

/** A provider that a page offers. */
export interface VisibleProvider extends ShownProvider {
  /** Of the page where a sign-in there begins: of this very app. */
  readonly login_path: string
}

/** What a page offers to sign in with, by name; looked up once in a request. */
export function visibleProviders(core: Core, request: AuthRequest): Promise<readonly VisibleProvider[]> {
  const known = request.notes.get(NOTE) as Promise<readonly VisibleProvider[]> | undefined // noted here alone
  if (known !== undefined) return known
  const looked = look(core, request)
  request.notes.set(NOTE, looked)
  return looked
}

/** Path of the page where a sign-in at a provider begins. */
export const loginPath = (core: Core, { id, record, app }: Provider): string =>
  core.url(`${record.id}_login`, { provider_id: id, organization_slug: app.clientId })

/** Of several apps that nothing tells apart none is offered: the others are no reason to show no page at all. */
async function look(core: Core, request: AuthRequest): Promise<readonly VisibleProvider[]> {
  const found = await core.social.adapter.listProviders(request)
  const providers = found.map((provider) => ({ ...shownProvider(provider), login_path: loginPath(core, provider) }))
  const byPath = Map.groupBy(providers, ({ login_path }) => login_path)
  for (const [path, { length }] of byPath) {
    if (length > 1) core.log.error('Several apps of a provider can be seen: all but one must be hidden', { path })
  }
  return [...byPath.values()]
    .flatMap((sharing) => (sharing.length === 1 ? sharing : []))
    .toSorted((a, b) => a.name.localeCompare(b.name, request.language))
}
