import { redirectToProvider } from '@gatepost/auth/client'
import { accountClient, accountsUrl } from '../../../api/account-client.ts'
import { serviceUrl } from '../../../api/address.ts'

/** Redirects to a provider, which returns to this section. */
export async function startConnecting(provider: string): Promise<void> {
  redirectToProvider({
    baseUrl: accountsUrl(),
    provider,
    callbackUrl: serviceUrl('console/account?section=connections'),
    process: 'connect',
    csrfToken: await accountClient.csrfToken(),
  })
}
