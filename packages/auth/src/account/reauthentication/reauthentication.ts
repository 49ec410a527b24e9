import type { ReauthenticationMethod } from '../../kernel/login.ts'
import { withNext } from '../../kernel/http/next.ts'
import type { Account } from '../account.ts'
import { InvalidInput } from '../../errors.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { readSuspendedPost } from './suspended-post.ts'
import { canReauthenticateBy } from './with-method.ts'

/** Id of the method, see `getReauthenticationMethods`. */
export const BY_PASSWORD = 'reauthenticate'
/** Reverse name of the page that asks for the password again. */
export const REAUTHENTICATION_PAGE = 'account_reauthenticate'

/**
 * Reauthenticates by password. If the user can't use this method, every password is wrong.
 * @throws {InvalidInput} `incorrect_password`, `too_many_login_attempts`
 */
export async function reauthenticateByPassword(
  account: Account,
  request: Visit,
  user: User,
  password: string,
): Promise<void> {
  const isOffered = await canReauthenticateBy(account, request, user, BY_PASSWORD)
  if (!isOffered || !(await account.adapter.reauthenticate(request, user, password))) {
    throw new InvalidInput([account.adapter.validationError('incorrect_password', { param: 'password' })])
  }
  await account.login.record(request, { method: 'password', reauthenticated: true }, user)
}

/** Continues after reauthentication by any method: redirects to `next`, or to a page that resends the suspended POST. */
export function resumeAfterReauthentication(account: Account, request: Visit): PageAnswer {
  const { next } = request
  if (readSuspendedPost(request) !== null)
    return { kind: 'redirect', to: withNext(account.kernel.url(REAUTHENTICATION_PAGE), next) }
  return { kind: 'redirect', to: next ?? account.adapter.getLoginRedirectUrl(request) }
}

/** Returns the password as a way to prove who a user is, where they have one. */
export function passwordMethod(visit: Visit, user: User): readonly ReauthenticationMethod[] {
  if (!user.hasUsablePassword || visit.kernel.settings.socialaccount.only) return []
  const description = visit.t('Use your password')
  return [{ id: BY_PASSWORD, description, url: visit.kernel.url(REAUTHENTICATION_PAGE) }]
}
