import { isConflict } from '../kernel/http/session-attempts.ts'
import { takeOrRefuse } from '../kernel/limits/take.ts'
import type { RateResult } from '../kernel/limits/rate-limits.ts'
import type { User } from '../kernel/users/user.ts'
import type { ApiCall } from './endpoint.ts'

/** Note that holds the slot. */
const TAKEN = 'stage_limit'

/**
 * Takes a slot of a limit per user for a login that waits. One of nobody is counted by its session, so that it is
 * refused when any other would be. @throws {AuthError} `rate_limited`
 */
export async function takeAtStage({ core, request }: ApiCall, action: string, user: User | null): Promise<void> {
  const { clientIp: ip, nowMs, session } = request
  const userId = user?.id ?? `session:${session.id}`
  request.notes.set(TAKEN, await takeOrRefuse(core.limits, action, { ip, userId }, nowMs))
}

/** Runs `work`; the slot goes back when the request begins anew, which takes it again. */
export async function unlessRepeated<R>({ request }: ApiCall, work: () => Promise<R>): Promise<R> {
  try {
    return await work()
  } catch (error) {
    const taken = request.notes.get(TAKEN) as Extract<RateResult, { allowed: true }> | undefined // noted above alone
    if (isConflict(error)) await taken?.giveBack()
    throw error
  }
}
