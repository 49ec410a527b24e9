import { browserClient, type BrowserClient } from '@gatepost/auth/client'
import { address } from './address.ts'

/** Where the JSON API of accounts is. */
export const accountsAddress = (): string => address('_allauth')

/** The JSON API of accounts for this page's visitor: cookies hold the session; its sentences are in the page's language. */
export const accountClient: BrowserClient = browserClient({
  baseUrl: accountsAddress(),
  fetch: (url, init) =>
    fetch(url, {
      ...init,
      headers: [...new Headers(init.headers), ['accept-language', document.documentElement.lang]],
    }),
})
