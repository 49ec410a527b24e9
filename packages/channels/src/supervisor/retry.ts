import { isUnavailable } from '@gatepost/sql'
import { backoffMs } from '../backoff.ts'
import { type ChannelRefusal, ConnectionError, REFUSALS } from '../errors.ts'

/** What the supervisor does after a connection has ended. */
export type Retry =
  | { readonly state: 'rejected' | 'stopped'; readonly reason: ChannelRefusal; readonly message: string }
  | { readonly state: 'backing_off'; readonly reason: string; readonly message: string; readonly afterMs: number }

const FIRST_MS = 1_000
const CAP_MS = 60_000
const SLOW_FIRST_MS = 5_000
const SLOW_CAP_MS = 30_000

/**
 * Decides whether a connection that ended is tried again, and when: never with credentials that the platform rejected,
 * slowly where only its owner can mend it, else soon, and no sooner than the platform asked for.
 * @param error    What the connection ended with.
 * @param failures How many connections in a row have ended like this, this one included.
 */
export function retryAfter(error: unknown, failures: number, random: () => number): Retry {
  if (!(error instanceof ConnectionError)) {
    const why = isUnavailable(error)
      ? { reason: 'database_unavailable', message: 'The database cannot be used at the moment.' }
      : { reason: 'internal', message: 'The connection ended for an unforeseen reason; the log says more.' }
    return { state: 'backing_off', ...why, afterMs: backoffMs(failures, FIRST_MS, CAP_MS, random) }
  }
  const how = REFUSALS[error.code].connection
  if (error.final) return { state: 'stopped', reason: error.code, message: error.message }
  if (how === 'stop') return { state: 'rejected', reason: error.code, message: error.message }
  const slow = how === 'slow' || how === 'degrade'
  const own = slow
    ? backoffMs(failures, SLOW_FIRST_MS, SLOW_CAP_MS, random)
    : backoffMs(failures, FIRST_MS, CAP_MS, random)
  return {
    state: 'backing_off',
    reason: error.code,
    message: error.message,
    afterMs: Math.max(own, error.retryAfterMs ?? 0),
  }
}
