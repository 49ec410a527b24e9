import type { Account } from '../account.ts'
import { InvalidInput } from '../../errors.ts'
import { takeSlot } from '../../kernel/limits/take.ts'
import type { Visit } from '../../kernel/visit.ts'
import { cleanAddress } from '../email/clean-address.ts'
import { foldText } from '../email/same-text.ts'
import { sendUnknownAccount } from '../login/code-delivery.ts'
import { startResetCode } from './reset-code.ts'
import { mailResetLink } from './reset-link.ts'

/** Maximum number of users who get a mail: anyone can sign up with another person's address, who must not be flooded. */
const MAX_USERS = 10

/**
 * Sends a password reset for an address: a link to each user, or a code to the first. An unknown address gets the same
 * response.
 * @throws {InvalidInput} `required`, `invalid`, `max_length`; `unknown_email` only without `preventEnumeration`
 * @throws {AuthError} `rate_limited`
 */
export async function requestPasswordReset(account: Account, request: Visit, typed: string): Promise<void> {
  const email = await cleanAddress(account, request, typed)
  const settings = account.kernel.settings.account
  const subject = { ip: request.clientIp, key: foldText(email) }
  await takeSlot(account.kernel.limits, 'reset_password', subject, request.nowMs)
  const users = await account.kernel.users.byEmail(request.db, email, { preferVerified: true, activeOnly: true })
  const [first] = users
  if (first === undefined && settings.preventEnumeration === false) {
    throw new InvalidInput([account.adapter.validationError('unknown_email', { param: 'email' })])
  }
  await request.transaction(async () => {
    if (first === undefined) await sendUnknownAccount(account, request, { email, phone: null })
    if (settings.passwordResetByCodeEnabled) return startResetCode(account, request, first ?? null, email)
    for (const user of users.slice(0, MAX_USERS)) await mailResetLink(account, request, user, email)
  })
}
