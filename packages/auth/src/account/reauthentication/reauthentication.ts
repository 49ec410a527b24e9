import type { ReauthenticationMethod } from '../../kernel/login.ts'
import { withNext } from '../../kernel/http/next.ts'
import type { Account } from '../account.ts'
import { InvalidInput } from '../../errors.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { suspendedPost } from './suspended-post.ts'
import { mayConfirmBy } from './with-method.ts'

/** Id of the method, see `getReauthenticationMethods`. */
export const BY_PASSWORD = 'reauthenticate'
/** Reverse name of the page where the password is asked for again. */
export const REAUTHENTICATION_PAGE = 'account_reauthenticate'

/**
 * Confirms by password who the person is. Where they cannot confirm so no password is right.
 * @throws {InvalidInput} `incorrect_password`, `too_many_login_attempts`
 */
export async function reauthenticateByPassword(
  account: Account,
  request: Visit,
  user: User,
  password: string,
): Promise<void> {
  const isOffered = await mayConfirmBy(account, request, user, BY_PASSWORD)
  if (!isOffered || !(await account.adapter.reauthenticate(request, user, password))) {
    throw new InvalidInput([account.adapter.validationError('incorrect_password', { param: 'password' })])
  }
  await account.login.record(request, { method: 'password', reauthenticated: true }, user)
}

/**
 * Where a person goes who has just confirmed who they are, by whatever method: on to `next`, or by way of a page that
 * sends the POST which had to wait.
 */
export function afterReauthentication(account: Account, request: Visit): PageAnswer {
  const { next } = request
  if (suspendedPost(request) !== null)
    return { kind: 'redirect', to: withNext(account.kernel.url(REAUTHENTICATION_PAGE), next) }
  return { kind: 'redirect', to: next ?? account.adapter.getLoginRedirectUrl(request) }
}

/** Returns the password as a way to prove who a user is, where they have one. */
export function passwordMethod(visit: Visit, user: User): readonly ReauthenticationMethod[] {
  if (!user.hasUsablePassword || visit.kernel.settings.socialaccount.only) return []
  const description = visit.t('Use your password')
  return [{ id: BY_PASSWORD, description, url: visit.kernel.url(REAUTHENTICATION_PAGE) }]
}
