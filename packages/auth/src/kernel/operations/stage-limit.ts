import type { Visit } from '../visit.ts'
import { isConflict } from '../http/page-request.ts'
import type { RateResult } from '../limits/rate-limits.ts'
import { takeSlot } from '../limits/take.ts'
import type { User } from '../users/user.ts'

/** The note with the slot. */
const TAKEN = 'stage_limit'

/**
 * Takes a slot of a per-user limit for a pending login. A login without a user counts by its session, so that it has the
 * same limit. @throws {AuthError} `rate_limited`
 */
export async function takeStageSlot(visit: Visit, action: string, user: User | null): Promise<void> {
  const { clientIp: ip, nowMs, session } = visit
  const userId = user?.id ?? `session:${session.id}`
  visit.notes.set(TAKEN, await takeSlot(visit.kernel.limits, action, { ip, userId }, nowMs))
}

/** Runs `work`; releases the slot when the request is retried, since the retry takes it again. */
export async function releaseSlotOnRetry<R>(visit: Visit, work: () => Promise<R>): Promise<R> {
  try {
    return await work()
  } catch (error) {
    const taken = visit.notes.get(TAKEN) as Extract<RateResult, { allowed: true }> | undefined // only set above
    if (isConflict(error)) await taken?.giveBack()
    throw error
  }
}
