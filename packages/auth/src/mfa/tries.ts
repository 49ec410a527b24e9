import type { Account } from '../account/account.ts'
import { InvalidInput } from '../errors.ts'
import type { Visit } from '../kernel/visit.ts'
import type { UserId } from '../kernel/users/user.ts'

/** One counted try of a second factor. */
export interface MfaTry {
  /** Marks the attempt as successful: resets the user's count, and removes this attempt from the IP address's count. */
  succeeded(): Promise<void>
  /** Nothing was tried: something else went wrong. */
  giveBack(): Promise<void>
}

/**
 * Counts a second factor attempt before it is checked, outside of a transaction. Counts per user regardless of the
 * host name, so another host name gives no extra attempts.
 * @param counted How the user was identified: a mere user handle must not lock the user out of the second factor.
 * @param param Field of the error.
 * @throws {InvalidInput} `too_many_login_attempts`
 */
export async function takeMfaSlot(
  account: Account,
  request: Visit,
  counted: { readonly userId: UserId; readonly isKnown: boolean },
  param: string,
): Promise<MfaTry> {
  const key = `${counted.isKnown ? 'mfa-auth-user' : 'passkey-login-user'}-${counted.userId}`
  const taken = await account.kernel.limits.take('login_failed', { ip: request.clientIp, key }, request.nowMs)
  if (!taken.allowed) throw new InvalidInput([account.adapter.validationError('too_many_login_attempts', { param })])
  return {
    async succeeded() {
      await taken.giveBack()
      await account.kernel.limits.clear('login_failed', { key })
    },
    giveBack: () => taken.giveBack(),
  }
}
