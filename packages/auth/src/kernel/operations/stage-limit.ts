import type { Visit } from '../visit.ts'
import { isConflict } from '../http/session-attempts.ts'
import { takeOrRefuse } from '../limits/take.ts'
import type { RateResult } from '../limits/rate-limits.ts'
import type { User } from '../users/user.ts'

/** Note that holds the slot. */
const TAKEN = 'stage_limit'

/**
 * Takes a slot of a limit per user for a login that waits. One of nobody is counted by its session, so that it is
 * refused when any other would be. @throws {AuthError} `rate_limited`
 */
export async function takeAtStage(visit: Visit, action: string, user: User | null): Promise<void> {
  const { clientIp: ip, nowMs, session } = visit
  const userId = user?.id ?? `session:${session.id}`
  visit.notes.set(TAKEN, await takeOrRefuse(visit.kernel.limits, action, { ip, userId }, nowMs))
}

/** Runs `work`; the slot goes back when the request begins anew, which takes it again. */
export async function unlessRepeated<R>(visit: Visit, work: () => Promise<R>): Promise<R> {
  try {
    return await work()
  } catch (error) {
    const taken = visit.notes.get(TAKEN) as Extract<RateResult, { allowed: true }> | undefined // noted above alone
    if (isConflict(error)) await taken?.giveBack()
    throw error
  }
}
