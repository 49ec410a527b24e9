import type { Account } from '../account.ts'
import type { Visit } from '../../kernel/visit.ts'
import { showRateLimitError } from '../refusals.ts'

/**
 * Takes the rate limit slot for a code that a stage sends. A visitor returning from a provider can't repeat that
 * request and already has an account, so they get the stage page, which reports that nothing was sent and offers to
 * resend.
 * @returns `false` if over the limit
 * @throws {AuthError} `rate_limited` for everyone else
 */
export async function takeSendSlot(account: Account, request: Visit, take: () => Promise<object>): Promise<boolean> {
  const newest = account.login.records(request).at(-1)
  const isBack = newest?.method === 'socialaccount' && newest.at === request.nowMs / 1000
  return (isBack ? await showRateLimitError(account, request, take) : await take()) !== null
}
