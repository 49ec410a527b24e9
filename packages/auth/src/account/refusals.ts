import type { Account } from './account.ts'
import { AuthError } from '../errors.ts'
import type { Visit } from '../kernel/visit.ts'

/** Shows the text of an error on the next page. */
export function addErrorMessage(account: Account, request: Visit, code: string): void {
  const { message, values } = account.adapter.validationError(code)
  request.addMessage('error', request.t(message, values))
}

/** Runs `work`; over the limit the next page says so, and `null` is answered. */
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
