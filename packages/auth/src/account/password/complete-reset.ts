import type { Account } from '../account.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { LoginOutcome } from '../../kernel/login.ts'
import { failedLoginKey } from '../login/failed-logins.ts'
import { replacePassword } from './new-password.ts'

/** A reset that was proved by link or code, and the new password, which keeps the rules. */
export interface CompletedReset {
  readonly user: User
  readonly password: string
  /** Address that was proved; `null`: by a link, which does not name it. */
  readonly email: string | null
  /** Where a login with `loginOnPasswordReset` leads. */
  readonly redirectUrl: string
  /** Runs first, in the transaction that stores the password. @throws {InvalidInput} when the proof is used up */
  readonly check?: () => Promise<void>
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
  const { user, password, email, redirectUrl, check } = reset
  const changed = await replacePassword(account, request, {
    user,
    password,
    notification: 'account/email/password_reset',
    async before() {
      await check?.()
      // Whoever knew the old password may have let programs in.
      for (const module of account.kernel.modules) await module.revokeAccess?.(request.db, user.id)
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

/** Whoever resets the password is no guesser: the tries of others, counted by this user's identifiers, are forgotten. */
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
