import { type InputError, InvalidInput } from '../../errors.ts'
import type { LoginOutcome } from '../../kernel/login.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'
import { withFieldErrors } from '../email/clean-address.ts'
import { revokeAccess } from '../email/first-proof.ts'
import { failedLoginKey } from '../login/credentials.ts'

/**
 * Returns a new password, cleaned and checked against the password rules.
 * @param given.param Field that errors are reported for.
 * @throws {InvalidInput} with the codes of the rules
 */
export const cleanNewPassword = (
  account: Account,
  request: Visit,
  user: User,
  given: { readonly password: string; readonly param: string },
): Promise<string> => withFieldErrors(given.param, () => account.adapter.cleanPassword(request, given.password, user))

/** Input of `replacePassword`. */
interface Replacement {
  readonly user: User
  readonly password: string
  /** Template of the mail that notifies the owner. */
  readonly notification: string
  /** Runs first, in the same transaction. Throws to stop the replacement. */
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
    // Listed first: once the password has changed, this session isn't the user's until they sign in again.
    const sessions = await account.kernel.sessions.ofUser(request.db, user.id, request.nowMs)
    const changed = await account.adapter.setPassword(request, user, password)
    const others = sessions.map(({ id }) => id).filter((id) => id !== request.session.id)
    await account.kernel.sessions.end(request.db, user.id, others)
    await account.adapter.sendNotificationMail(request, replacement.notification, changed)
    return changed
  })
}

/** Runs all checks and throws their errors together. @throws {InvalidInput} */
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

const NOTE = 'prepared_password_hash'

interface PreparedHash {
  readonly password: string
  readonly encoded: string
}

/**
 * Hashes a new password before the transaction that stores it, which would otherwise block other writers meanwhile. The
 * request's next `takePreparedHash` returns the hash.
 * @throws {AuthError} `overloaded`
 */
export async function prepareHash(request: Visit, password: string): Promise<void> {
  const prepared: PreparedHash = { password, encoded: await request.kernel.passwords.hash(password) }
  request.notes.set(NOTE, prepared)
}

/** Returns the prepared hash of this password, at most once, or computes it. */
export async function takePreparedHash(request: Visit, password: string): Promise<string> {
  const prepared = request.notes.get(NOTE) as PreparedHash | undefined // written only by `prepareHash`
  request.notes.delete(NOTE)
  return prepared?.password === password ? prepared.encoded : request.kernel.passwords.hash(password)
}

/** A reset verified by link or code, with a new password that has passed the rules. */
export interface CompletedReset {
  readonly user: User
  readonly password: string
  /** The address verified by the code; `null` for a link, which doesn't contain it. */
  readonly email: string | null
  /** Where to redirect after the login of `loginOnPasswordReset`. */
  readonly redirectUrl: string
  /** Runs first, in the transaction that stores the password. @throws {InvalidInput} if the link was used meanwhile */
  readonly before?: () => Promise<void>
}

/**
 * Stores the password and ends the user's other sessions. Signs out another user in this browser.
 * @returns the login outcome with `loginOnPasswordReset`; otherwise `null`
 */
export async function completeReset(
  account: Account,
  request: Visit,
  reset: CompletedReset,
): Promise<LoginOutcome | null> {
  const { user, password, email, redirectUrl, before } = reset
  const changed = await replacePassword(account, request, {
    user,
    password,
    notification: 'account/email/password_reset',
    async before() {
      await before?.()
      // Someone who knew the old password may have created tokens and authorized OAuth clients.
      await revokeAccess(account, request.db, user.id)
    },
  })
  await clearFailedLogins(account, request, changed)
  const isSignedIn = request.user?.id === user.id
  if (isSignedIn) await request.session.signIn(changed)
  else if (request.user !== null) await account.login.logout(request)
  await account.adapter.addMessage(request, 'success', 'account/messages/password_changed')
  await account.signals.emit('password_reset', 'User', { request, user: changed })
  if (isSignedIn || !account.kernel.settings.account.loginOnPasswordReset) return null
  await account.login.record(request, { method: 'password_reset', ...(email === null ? {} : { email }) }, changed)
  return account.login.begin(request, { user: changed, email, redirectUrl })
}

/** Clears the failed attempts counted by the user's identifiers, so that other people's guesses don't lock them out. */
async function clearFailedLogins(account: Account, request: Visit, user: User): Promise<void> {
  const rows = await account.emails.ofUser(request.db, user.id)
  const phone = account.kernel.settings.account.loginMethods.includes('phone')
    ? await account.adapter.getPhone(request, user)
    : null
  const identifiers = [...rows.map(({ email }) => email), user.email, user.username, phone?.phone ?? '']
  for (const identifier of new Set(identifiers.filter((text) => text !== ''))) {
    await account.kernel.limits.clear('login_failed', { key: failedLoginKey(request.site, identifier) })
  }
}
