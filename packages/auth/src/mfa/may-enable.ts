import type { Account } from '../account/account.ts'
import { addressesOf } from '../account/email/mirror.ts'
import { InvalidInput } from '../errors.ts'
import type { Visit } from '../kernel/visit.ts'
import type { User } from '../kernel/users/user.ts'

/**
 * Refuses a second factor for a user with an unverified address: whoever signs up with the address of somebody else
 * could keep the owner out with it.
 * @param param Field of the error; absent: of the whole form.
 * @throws {InvalidInput} `unverified_email`
 */
export async function refuseUnverified(account: Account, request: Visit, user: User, param?: string): Promise<void> {
  if (account.kernel.settings.mfa.allowUnverifiedEmail) return
  const addresses = await addressesOf(account, request, user)
  if (addresses.every(({ verified }) => verified)) return
  const field = param === undefined ? {} : { param }
  throw new InvalidInput([account.adapter.validationError('unverified_email', field)])
}
