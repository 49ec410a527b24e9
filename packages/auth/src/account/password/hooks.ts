import type { Core } from '../../core.ts'
import { AuthError, InvalidInput } from '../../errors.ts'
import type { AuthRequest } from '../../request.ts'
import type { AccountAdapter } from '../adapter.ts'
import { hashOf } from './prepared-hash.ts'

/** The hooks about passwords. */
export type PasswordHooks = Pick<
  AccountAdapter,
  | 'setPassword'
  | 'cleanPassword'
  | 'getResetPasswordFromKeyUrl'
  | 'getPasswordChangeRedirectUrl'
  | 'sendPasswordResetMail'
>

/** What the hooks about passwords do unless the host gives others. */
export const passwordHooks = (core: () => Core): PasswordHooks => ({
  async setPassword(request, user, password) {
    const encoded = await hashOf(core(), request, password)
    if (!(await core().users.setPassword(request.db, user.id, encoded))) throw new AuthError('not_found')
    const changed = { ...user, hasUsablePassword: true }
    if (request.user?.id === user.id) request.setUser(changed)
    return changed
  },
  async cleanPassword(_request, password, about) {
    const problems = await core().passwords.problems(password, about)
    if (problems.length === 0) return password
    const texts = core().adapter.errorMessages
    throw new InvalidInput(problems.map((problem) => ({ ...problem, message: texts[problem.code] ?? problem.message })))
  },
  getResetPasswordFromKeyUrl: (request, key) => request.absolute(pathOfKey(core(), request, key)),
  getPasswordChangeRedirectUrl: () => core().url('account_change_password'),
  sendPasswordResetMail: (request, _user, email, context) =>
    core().adapter.sendMail(request, 'account/email/password_reset_key', email, context),
})

/** The front end's page for clients of the JSON API, and where there are no pages of ours. */
function pathOfKey(core: Core, { client }: AuthRequest, key: string): string {
  const { only, frontendUrls } = core.settings.headless
  const elsewhere = frontendUrls.account_reset_password_from_key
  if (elsewhere !== undefined && (only || client === 'browser' || client === 'app')) {
    return elsewhere.replaceAll('{key}', encodeURIComponent(key))
  }
  return core.url('account_reset_password_from_key', { key })
}
