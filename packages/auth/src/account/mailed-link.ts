import type { Account } from './account.ts'
import type { Visit } from '../kernel/visit.ts'
import type { FrontendUrls } from '../kernel/settings/groups/headless.ts'

/**
 * Returns the absolute URL of a page to use in a mail: the front end's page if the JSON API is on and the settings
 * configure one (whichever client triggered the mail), otherwise the built-in page.
 * @param name Reverse name of the page.
 * @param key Key in the URL, if the page needs one.
 * @returns an empty string if the page exists nowhere
 */
export function mailedLink(account: Account, request: Visit, name: keyof FrontendUrls, key = ''): string {
  for (const module of account.kernel.modules) {
    const address = module.frontendUrl?.(request, name, { key }) ?? null
    if (address !== null) return address
  }
  return account.kernel.has(name) ? request.absolute(account.kernel.url(name, { key })) : ''
}
