import { AuthError } from '../errors.ts'
import type { User } from '../kernel/users/user.ts'
import type { Visit } from '../kernel/visit.ts'
import type { Account } from './account.ts'

/** Shows the message of an error on the next page. */
export function addErrorMessage(account: Account, request: Visit, code: string): void {
  const { message, values } = account.adapter.validationError(code)
  request.addMessage('error', request.t(message, values))
}

/** Runs `work`. If a rate limit is exceeded, shows the error on the next page and returns `null`. */
export async function showRateLimitError<R>(
  account: Account,
  request: Visit,
  work: () => Promise<R>,
): Promise<R | null> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AuthError) || error.code !== 'rate_limited') throw error
    addErrorMessage(account, request, 'rate_limited')
    return null
  }
}

/** Returns the signed-in user. @throws {AuthError} `login_required` */
export function requireSignedIn({ user }: Visit): User {
  if (user === null) throw new AuthError('login_required')
  return user
}

/** Requires a recent authentication. @throws {AuthError} `reauthentication_required` */
export async function requireRecent(account: Account, visit: Visit): Promise<void> {
  if (!(await account.login.isRecent(visit))) throw new AuthError('reauthentication_required')
}
