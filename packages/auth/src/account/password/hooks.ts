import type { Account } from '../account.ts'
import { AuthError, type InputError, InvalidInput } from '../../errors.ts'
import type { AccountAdapter, ErrorMessages } from '../adapter.ts'
import { ERROR_MESSAGES } from '../../kernel/forms/error-messages.ts'
import { trimPassword } from '../../kernel/passwords/passwords.ts'
import { mailedLink } from '../mailed-link.ts'
import { takePreparedHash } from './new-password.ts'

/** Hooks for passwords. */
export type PasswordHooks = Pick<
  AccountAdapter,
  | 'setPassword'
  | 'cleanPassword'
  | 'getResetPasswordFromKeyUrl'
  | 'getPasswordChangeRedirectUrl'
  | 'sendPasswordResetMail'
>

/** Returns the default password hooks. */
export const passwordHooks = (account: Account): PasswordHooks => ({
  async setPassword(request, user, password) {
    const encoded = await takePreparedHash(request, password)
    if (!(await account.kernel.users.setPassword(request.db, user.id, encoded))) throw new AuthError('not_found')
    const changed = { ...user, hasUsablePassword: trimPassword(password) !== '' }
    if (request.user?.id === user.id) request.setUser(changed)
    return changed
  },
  async cleanPassword(_request, password, about) {
    const problems = await account.kernel.passwords.problems(password, about)
    if (problems.length === 0) return password
    throw new InvalidInput(problems.map((problem) => ({ ...problem, message: resolveErrorMessage(account, problem) })))
  },
  getResetPasswordFromKeyUrl: (request, key) => mailedLink(account, request, 'account_reset_password_from_key', key),
  getPasswordChangeRedirectUrl: () => account.kernel.url('account_change_password'),
  sendPasswordResetMail: (request, _user, email, context) =>
    account.adapter.sendMail(request, 'account/email/password_reset_key', email, context),
})

const BUILT_IN: ErrorMessages = ERROR_MESSAGES

/** Returns the host's text for this error code if it overrides it; one code can have several built-in messages. */
function resolveErrorMessage({ adapter }: Pick<Account, 'adapter'>, { message, ...error }: InputError): string {
  const { code } = error
  const text = adapter.errorMessages[code]
  if (typeof text === 'function') return text(error)
  return text === undefined || text === BUILT_IN[code] ? message : text
}
