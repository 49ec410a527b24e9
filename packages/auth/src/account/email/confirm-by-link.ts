import type { Core } from '../../core.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { EmailAddress } from '../email-address.ts'
import type { LoginOutcome } from '../login.ts'
import { EMAIL_STAGE } from './code-verification.ts'

/** What became of an address whose link was used. */
export interface LinkConfirmed {
  /** `false`: somebody else has verified the address meanwhile. */
  readonly confirmed: boolean
  /** Where the login that waited for it has got; `null`: none did, or the settings do not let it go on. */
  readonly outcome: LoginOutcome | null
}

/**
 * Verifies the address of a mailed link, which never signs in by itself: only the visitor whose login waits for it goes
 * on, and only if the settings say so.
 */
export async function confirmByLink(core: Core, request: Visit, address: EmailAddress): Promise<LinkConfirmed> {
  const confirmed = await core.adapter.confirmEmail(request, address)
  const login = await core.login.at(request, EMAIL_STAGE)
  const waits = login !== null && login.user?.id === address.userId
  if (confirmed && waits && core.settings.account.loginOnEmailConfirmation) {
    return { confirmed, outcome: await core.login.resume(request, login) }
  }
  core.login.drop(request)
  return { confirmed, outcome: null }
}
