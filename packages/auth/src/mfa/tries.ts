import type { Account } from '../account/account.ts'
import { InvalidInput } from '../errors.ts'
import type { Visit } from '../kernel/visit.ts'
import type { UserId } from '../kernel/users/user.ts'

/** One counted try of a second factor. */
export interface MfaTry {
  /** It was right: the user's count begins anew, that of the address loses only this try. */
  succeeded(): Promise<void>
  /** Nothing was tried: something else went wrong. */
  giveBack(): Promise<void>
}

/**
 * Counts a try of a second factor, before it is looked at and outside of a transaction. Users are counted whatever the
 * host is: another name of the server gives nobody more tries.
 * @param counted By what the user is known: who only says whose passkey it is keeps nobody from a second factor.
 * @param param Field of the error.
 * @throws {InvalidInput} `too_many_login_attempts`
 */
export async function takeMfaTry(
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
