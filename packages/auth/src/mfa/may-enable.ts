import type { Account } from '../account/account.ts'
import { loadEmailAddresses } from '../account/email/mirror.ts'
import { InvalidInput } from '../errors.ts'
import type { Visit } from '../kernel/visit.ts'
import type { User } from '../kernel/users/user.ts'

/**
 * Rejects a second factor for a user with an unverified address: someone who signs up with another person's address
 * could lock the owner out with it.
 * @param param Field of the error; omitted: of the whole form.
 * @throws {InvalidInput} `unverified_email`
 */
export async function requireVerifiedEmail(
  account: Account,
  request: Visit,
  user: User,
  param?: string,
): Promise<void> {
  if (account.kernel.settings.mfa.allowUnverifiedEmail) return
  const addresses = await loadEmailAddresses(account, request, user)
  if (addresses.every(({ verified }) => verified)) return
  const field = param === undefined ? {} : { param }
  throw new InvalidInput([account.adapter.validationError('unverified_email', field)])
}
