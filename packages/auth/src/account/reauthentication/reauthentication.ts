import type { Core } from '../../core.ts'
import { InvalidInput } from '../../errors.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { withNext } from '../page-context.ts'
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
  core: Core,
  request: Visit,
  user: User,
  password: string,
): Promise<void> {
  const isOffered = await mayConfirmBy(core, request, user, BY_PASSWORD)
  if (!isOffered || !(await core.adapter.reauthenticate(request, user, password))) {
    throw new InvalidInput([core.adapter.validationError('incorrect_password', { param: 'password' })])
  }
  await core.login.record(request, { method: 'password', reauthenticated: true }, user)
}

/**
 * Where a person goes who has just confirmed who they are, by whatever method: on to `next`, or by way of a page that
 * sends the POST which had to wait.
 */
export function afterReauthentication(core: Core, request: Visit): PageAnswer {
  const { next } = request
  if (suspendedPost(request) !== null) return { kind: 'redirect', to: withNext(core.url(REAUTHENTICATION_PAGE), next) }
  return { kind: 'redirect', to: next ?? core.adapter.getLoginRedirectUrl(request) }
}
