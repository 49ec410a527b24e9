import type { Account } from '../account.ts'
import { InvalidInput } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { claimAddresses } from '../email/mirror.ts'
import type { LoginOutcome } from '../../kernel/login.ts'
import { type CompletedReset, completeReset } from './complete-reset.ts'
import { userTokenForm } from './forms.ts'
import { splitResetKey } from './reset-link.ts'

/** Returns the user of a reset key, by the form `user_token`, which a host can override; `null` if the key is invalid. */
export async function findUserByResetLink(account: Account, request: Visit, key: string): Promise<User | null> {
  const form = account.kernel.forms.of(userTokenForm(account))
  const [uidb36, token] = splitResetKey(key)
  try {
    return await form.save(request, await form.clean(request, { uidb36, key: token }))
  } catch (error) {
    if (error instanceof InvalidInput) return null
    throw error
  }
}

/**
 * Stores the new password of the owner of a good key.
 * @throws {InvalidInput} `invalid_password_reset`: another request has used it meanwhile
 */
export function resetByLink(
  account: Account,
  request: Visit,
  key: string,
  reset: Pick<CompletedReset, 'user' | 'password' | 'redirectUrl'>,
): Promise<LoginOutcome | null> {
  const check = (): Promise<void> => checkResetKeyUnused(account, request, reset.user, key)
  return completeReset(account, request, { ...reset, email: null, check })
}

/** Of two requests with one key the second one finds it used: whatever makes a key is changed by one at a time. */
async function checkResetKeyUnused(account: Account, request: Visit, user: User, key: string): Promise<void> {
  await claimAddresses(request, user)
  if ((await findUserByResetLink(account, request, key)) !== null) return
  throw new InvalidInput([account.adapter.validationError('invalid_password_reset')])
}
