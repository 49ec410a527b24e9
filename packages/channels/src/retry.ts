import { isUnavailable } from '@gatepost/sql'
import type { BotHandle } from './storage/bot-handle.ts'
import { type ChannelRefusal, ConnectionError, REFUSALS } from './errors.ts'
import type { Clock, Log } from './platform-io.ts'

/**
 * How long to wait before try number `attempt` (1 is the first retry): doubling from `firstMs` up to `capMs`, between
 * half and all of it by chance, so that many that failed together do not come back together.
 * @param random A number from 0 up to but not including 1.
 * @returns Milliseconds.
 */
export function backoffMs(attempt: number, firstMs: number, capMs: number, random: () => number): number {
  const full = Math.min(capMs, firstMs * 2 ** Math.min(30, attempt - 1))
  return Math.round(full * (0.5 + random() / 2))
}

interface Patience {
  readonly clock: Clock
  readonly log: Log
  /** After it the next failure is final. */
  readonly signal: AbortSignal
}

const AGAIN_MS = 2_000

/**
 * Writes what cannot be had a second time (what the platform said of a send, the answer of a turn): tries again for as
 * long as the database cannot be used. `work` may have been done when it is run again, so it must bear that.
 * @throws what `BotHandle.write` throws; `database_unavailable` only when `signal` has aborted
 */
export async function writePatiently<R>(
  handle: BotHandle,
  work: Parameters<typeof handle.write<R>>[0],
  { clock, log, signal }: Patience,
): Promise<R> {
  for (;;) {
    const last = signal.aborted
    try {
      return await handle.write(work)
    } catch (error) {
      if (last || !isUnavailable(error)) throw error
      log.warn('The database cannot be written to; it is tried again', { error })
      await clock.sleep(AGAIN_MS, signal)
    }
  }
}

/** What the supervisor does after a connection has ended. */
type Retry =
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
