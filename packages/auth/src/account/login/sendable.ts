import type { Account } from '../account.ts'
import type { Visit } from '../../kernel/visit.ts'
import { sayWhenLimited } from '../refusals.ts'

/**
 * Takes the slot of a code that a stage sends. Whoever has just come from a provider cannot send that request again,
 * and has an account by now: they get to the page of the stage, which says that nothing was sent, and offers to.
 * @returns `false`: over the limit
 * @throws {AuthError} `rate_limited` for everybody else
 */
export async function isSendable(account: Account, request: Visit, take: () => Promise<object>): Promise<boolean> {
  const newest = account.login.records(request).at(-1)
  const isBack = newest?.method === 'socialaccount' && newest.at === request.nowMs / 1000
  return (isBack ? await sayWhenLimited(account, request, take) : await take()) !== null
}
