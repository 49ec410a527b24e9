import type { Account } from './account.ts'
import type { Visit } from '../kernel/visit.ts'
import type { FrontendUrls } from '../kernel/settings/headless.ts'

/**
 * Absolute address of a page for a mail: the front end's where the JSON API is on and the settings name one, whoever
 * has caused the mail, else ours.
 * @param name Reverse name of the page.
 * @param key What the page needs, if anything.
 * @returns empty when nobody has such a page
 */
export function mailedLink(account: Account, request: Visit, name: keyof FrontendUrls, key = ''): string {
  for (const module of account.kernel.modules) {
    const address = module.frontendUrl?.(request, name, { key }) ?? null
    if (address !== null) return address
  }
  return account.kernel.has(name) ? request.absolute(account.kernel.url(name, { key })) : ''
}
