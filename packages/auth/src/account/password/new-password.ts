import type { Account } from '../account.ts'
import { type InputError, InvalidInput } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { withFieldErrors } from '../email/field-errors.ts'
import { prepareHash } from './prepared-hash.ts'

/**
 * A new password that keeps the rules.
 * @param param Field of the errors.
 * @throws {InvalidInput} with the codes of the rules
 */
export const cleanNewPassword = (
  account: Account,
  request: Visit,
  user: User,
  given: { readonly password: string; readonly param: string },
): Promise<string> => withFieldErrors(given.param, () => account.adapter.cleanPassword(request, given.password, user))

/** How a new password is stored. */
export interface Replacement {
  readonly user: User
  readonly password: string
  /** Template of the mail that tells the owner. */
  readonly notification: string
  /** Runs first, in the same transaction. @throws whatever refuses */
  readonly before?: () => Promise<void>
}

/**
 * Stores a new password, ends all other sessions of the user and notifies the owner, in one transaction. The caller
 * updates this request's session, which still has the old password.
 */
export async function replacePassword(account: Account, request: Visit, replacement: Replacement): Promise<User> {
  const { user, password } = replacement
  await prepareHash(request, password)
  return request.transaction(async () => {
    await replacement.before?.()
    // Before the password: from then on this session isn't the user's until they sign in again.
    const sessions = await account.kernel.sessions.ofUser(request.db, user.id, request.nowMs)
    const changed = await account.adapter.setPassword(request, user, password)
    const others = sessions.map(({ id }) => id).filter((id) => id !== request.session.id)
    await account.kernel.sessions.end(request.db, user.id, others)
    await account.adapter.sendNotificationMail(request, replacement.notification, changed)
    return changed
  })
}

/** Runs all checks, and throws what they refuse as one. @throws {InvalidInput} */
export async function runChecks(...checks: readonly (() => Promise<void>)[]): Promise<void> {
  const errors: InputError[] = []
  for (const check of checks) {
    try {
      await check()
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error
      errors.push(...error.errors)
    }
  }
  if (errors.length > 0) throw new InvalidInput(errors)
}
