import type { Account } from '../account.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { EmailAddress } from '../email-address.ts'
import type { LoginOutcome } from '../../kernel/login.ts'
import { EMAIL_STAGE } from './code-verification.ts'

/** The result of using a confirmation link. */
export interface LinkConfirmation {
  /** `false` if the address is gone or another user has verified it in the meantime. */
  readonly confirmed: boolean
  /** Outcome of the login that waited for it; `null` if there was none or the settings don't let it continue. */
  readonly outcome: LoginOutcome | null
}

/**
 * Verifies the address of a mailed link. The link alone signs no one in: only the visitor whose login is waiting for
 * it continues, and only if the settings allow it.
 */
export async function confirmByLink(
  account: Account,
  request: Visit,
  address: EmailAddress,
): Promise<LinkConfirmation> {
  const confirmed = await account.adapter.confirmEmail(request, address)
  const login = await account.login.at(request, EMAIL_STAGE)
  const waits = login !== null && login.user?.id === address.userId
  if (confirmed && waits && account.kernel.settings.account.loginOnEmailConfirmation) {
    return { confirmed, outcome: await account.login.resume(request, login) }
  }
  account.login.drop(request)
  return { confirmed, outcome: null }
}
