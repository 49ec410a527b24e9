import { redirectToProvider } from '@gatepost/auth/client'
import { accountClient, accountsAddress } from '../../../api/account-client.ts'
import { address } from '../../../api/address.ts'

/** Leaves for a provider; the visitor comes back to this part of the page. */
export async function beginToConnect(provider: string): Promise<void> {
  redirectToProvider({
    baseUrl: accountsAddress(),
    provider,
    callbackUrl: address('console/account?section=connections'),
    process: 'connect',
    csrfToken: await accountClient.csrfToken(),
  })
}
