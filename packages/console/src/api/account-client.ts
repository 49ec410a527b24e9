import { browserClient, type BrowserClient } from '@gatepost/auth/client'
import { address } from './address.ts'

/** The JSON API of accounts for this page's visitor: cookies hold the session. */
export const accountClient: BrowserClient = browserClient({ baseUrl: address('_allauth') })
