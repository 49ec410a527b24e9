import { browserClient, type BrowserClient } from '@gatepost/auth/client'
import { serviceUrl } from './address.ts'

/** Returns the URL of the JSON API of accounts. */
export const accountsUrl = (): string => serviceUrl('_allauth')

/** The client of the JSON API of accounts. Cookies carry the session; messages come in the page's language. */
export const accountClient: BrowserClient = browserClient({
  baseUrl: accountsUrl(),
  fetch: (url, init) =>
    fetch(url, {
      ...init,
      headers: [...new Headers(init.headers), ['accept-language', document.documentElement.lang]],
    }),
})
