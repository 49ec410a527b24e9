import { AuthError } from '../../errors.ts'
import type { Visit } from '../visit.ts'
import type { RateLimits, RateResult, RateSubject } from './rate-limits.ts'

/**
 * Takes one slot of an action, or refuses the request.
 * @throws {AuthError} `rate_limited` (429) with `Retry-After` in whole seconds (RFC 9110 section 10.2.3)
 */
export async function takeSlot(
  limits: RateLimits,
  action: string,
  subject: RateSubject,
  nowMs: number,
): Promise<Extract<RateResult, { allowed: true }>> {
  return requireSlot(await limits.take(action, subject, nowMs))
}

/** Takes one slot of an action for the visitor's IP address and user. @throws {AuthError} as `takeSlot` */
export async function takeVisitorSlot(
  limits: RateLimits,
  action: string,
  { clientIp: ip, user, nowMs }: Pick<Visit, 'clientIp' | 'user' | 'nowMs'>,
): Promise<void> {
  await takeSlot(limits, action, { ip, ...(user !== null && { userId: user.id }) }, nowMs)
}

/** Returns the slot if the attempt was allowed. @throws {AuthError} `rate_limited`, as `takeSlot` */
export function requireSlot(result: RateResult): Extract<RateResult, { allowed: true }> {
  if (result.allowed) return result
  const seconds = Math.max(1, Math.ceil(result.retryAfterMs / 1000))
  throw new AuthError('rate_limited', { headers: { 'retry-after': String(seconds) } })
}
