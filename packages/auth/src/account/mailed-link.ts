import type { Core } from '../core.ts'
import type { Visit } from '../kernel/visit.ts'
import type { FrontendUrls } from '../kernel/settings/headless.ts'

/**
 * Absolute address of a page for a mail: the front end's where the JSON API is on and the settings name one, whoever
 * has caused the mail, else ours.
 * @param name Reverse name of the page.
 * @param key What the page needs, if anything.
 * @returns empty when nobody has such a page
 */
export function mailedLink(core: Core, request: Visit, name: keyof FrontendUrls, key = ''): string {
  const { enabled, only } = core.settings.headless
  const elsewhere = enabled || only ? core.headless.adapter.getFrontendUrl(request, name, { key }) : null
  if (elsewhere !== null) return elsewhere
  return core.has(name) ? request.absolute(core.url(name, { key })) : ''
}
