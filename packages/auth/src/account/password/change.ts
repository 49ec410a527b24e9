import type { Account } from '../account.ts'
import { AuthError, InvalidInput } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { claimAddresses } from '../email/mirror.ts'
import { runChecks, cleanNewPassword, replacePassword } from './new-password.ts'

/** Key of the request note that holds the hash the current password was checked against. */
const CHECKED = 'checked_password_hash'

/** Input for a password change by a signed-in user. */
export interface PasswordChange {
  readonly oldPassword: string
  readonly password: string
}

/** Names of the fields that errors are reported for. */
export interface ChangeParams {
  readonly oldPassword: string
  readonly password: string
}

/**
 * Checks a password change without making it.
 * @returns the new password, cleaned
 * @throws {InvalidInput} with all errors: `enter_current_password` and the codes of the password rules
 */
export async function checkPasswordChange(
  account: Account,
  request: Visit,
  user: User,
  given: PasswordChange & { readonly params: ChangeParams },
): Promise<string> {
  let password = given.password
  await runChecks(
    async () => {
      if (await verifyCurrentPassword(request, user, given.oldPassword)) return
      throw new InvalidInput([
        account.adapter.validationError('enter_current_password', { param: given.params.oldPassword }),
      ])
    },
    async () => {
      password = await cleanNewPassword(account, request, user, {
        password: given.password,
        param: given.params.password,
      })
    },
  )
  return password
}

/**
 * Stores a checked password: the user's first one or a new one. Ends all other sessions and gives this one a new token;
 * with `logoutOnPasswordChange`, ends this one too.
 * @throws {AuthError} `session_conflict` if another request has replaced the password since the check
 */
export async function storeOwnPassword(account: Account, request: Visit, user: User, password: string): Promise<void> {
  const news = user.hasUsablePassword ? 'password_changed' : 'password_set'
  const changed = await replacePassword(account, request, {
    user,
    password,
    notification: `account/email/${news}`,
    before: () => checkPasswordUnchanged(request, user),
  })
  if (account.kernel.settings.account.logoutOnPasswordChange) await account.login.logout(request)
  else await request.session.signIn(changed)
  await account.signals.emit(news, 'User', { request, user: changed })
  await account.adapter.addMessage(request, 'success', `account/messages/${news}`)
}

/** Makes sure that of two concurrent requests with the same password, only one replaces it. */
async function checkPasswordUnchanged(request: Visit, user: User): Promise<void> {
  await claimAddresses(request, user)
  const present = (await request.kernel.users.loadPasswordHash(request.db, user.id)) ?? ''
  const checked = request.notes.get(CHECKED) ?? present
  if (present !== checked || request.kernel.passwords.isUsable(present) !== user.hasUsablePassword) {
    throw new AuthError('session_conflict')
  }
}

async function verifyCurrentPassword(request: Visit, user: User, password: string): Promise<boolean> {
  const encoded = await request.kernel.users.loadPasswordHash(request.db, user.id)
  request.notes.set(CHECKED, encoded)
  return encoded !== null && (await request.kernel.passwords.verify(password, encoded)).ok
}
