import { withNext } from '../../kernel/http/next.ts'
import type { Account } from '../account.ts'
import { AuthError } from '../../errors.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { ReauthenticationMethod } from '../../kernel/login.ts'

/** Whether a user can confirm by the method `id`, see `getReauthenticationMethods`. */
export async function canReauthenticateBy(account: Account, request: Visit, user: User, id: string): Promise<boolean> {
  return (await account.adapter.getReauthenticationMethods(request, user)).some((method) => method.id === id)
}

/**
 * Runs `work` for a user who can reauthenticate by the method `id`, see `getReauthenticationMethods`; `others` are the
 * user's other methods, with `next`. Redirects everyone else to a method they have.
 */
export async function withReauthenticationMethod(
  account: Account,
  request: Visit,
  id: string,
  work: (user: User, others: readonly ReauthenticationMethod[]) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const { user } = request
  if (user === null) throw new AuthError('login_required')
  const methods = await account.adapter.getReauthenticationMethods(request, user)
  const others = methods
    .filter((method) => method.id !== id)
    .toSorted((a, b) => a.description.localeCompare(b.description, request.language))
    .map((method) => ({ ...method, url: withNext(method.url, request.next) }))
  if (others.length < methods.length) return work(user, others)
  const [first] = methods
  if (first === undefined) throw new AuthError('permission_denied')
  return { kind: 'redirect', to: withNext(first.url, request.next) }
}
