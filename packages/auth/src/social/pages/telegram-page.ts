import type { Social } from '../social-accounts.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { ProviderEntry } from '../registry/provider-entry.ts'
import { askAgain, finishAtProvider } from './finish.ts'
import { providerOf } from './provider-of.ts'
import { shownProvider } from './shown-provider.ts'
import { givenParams } from './start.ts'

/**
 * Telegram answers in the fragment of the address, which no server sees: a script of ours posts it to the same page.
 * @see Telegram, "Telegram Login Widget"
 */
export const telegramPage = (social: Social, entry: ProviderEntry): Pick<PageRoute, 'GET' | 'POST'> => ({
  async GET(request, params) {
    const provider = await providerOf(social, request, entry, params)
    const again = askAgain(request, provider)
    if (again !== null) return again
    return { kind: 'page', template: 'telegram/callback', context: { provider: shownProvider(provider) } }
  },
  async POST(request, params) {
    const provider = await providerOf(social, request, entry, params)
    return finishAtProvider(social, request, provider, givenParams(request))
  },
})
