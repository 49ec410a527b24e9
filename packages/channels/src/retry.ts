import { isUnavailable } from '@gatepost/sql'
import { type ChannelRefusal, ConnectionError, REFUSALS } from './errors.ts'
import type { Clock, Log } from './platform-io.ts'
import type { BotHandle } from './storage/bot-handle.ts'

/**
 * Returns the exponential wait before a retry: `firstMs`, doubled with every further attempt, at most `capMs`.
 * @param attempt 1 for the first retry.
 * @returns Milliseconds.
 */
export const exponentialMs = (attempt: number, firstMs: number, capMs: number): number =>
  Math.min(capMs, firstMs * 2 ** Math.min(30, attempt - 1))

/**
 * Returns the exponential wait with jitter: between half and all of `exponentialMs`, so that clients that failed
 * together do not reconnect together.
 * @param random A number from 0 up to but not including 1.
 * @returns Milliseconds.
 */
export const backoffMs = (attempt: number, firstMs: number, capMs: number, random: () => number): number =>
  Math.round(exponentialMs(attempt, firstMs, capMs) * (0.5 + random() / 2))

/** How long to wait before the database is tried again. */
const DATABASE_RETRY_MS = 2_000

/** How `retryWhileUnavailable` waits and gives up. */
export interface DatabaseRetry {
  readonly clock: Clock
  /** Ends the wait between two attempts. */
  readonly signal: AbortSignal
  /** Called after a failure. True: that failure is final. */
  readonly giveUp: () => boolean
  /** Called before each retry. */
  readonly onRetry: (error: unknown) => void
}

/**
 * Repeats `work` for as long as the database is unavailable. A commit that failed may still have been made, so `work`
 * must be safe to repeat.
 * @throws what `work` throws; `database_unavailable` only when `giveUp` returned true
 */
export async function retryWhileUnavailable<R>(
  work: () => Promise<R>,
  { clock, signal, giveUp, onRetry }: DatabaseRetry,
): Promise<R> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isUnavailable(error) || giveUp()) throw error
      onRetry(error)
      await clock.sleep(DATABASE_RETRY_MS, signal)
    }
  }
}

interface WriteRetry {
  readonly clock: Clock
  readonly log: Log
  /** Once it has aborted, one more attempt is made. */
  readonly signal: AbortSignal
}

/**
 * Writes a result that cannot be obtained a second time (the outcome of a send, the reply of a turn): repeats `work`
 * for as long as the database is unavailable. `work` may have been committed when it runs again.
 * @throws what `BotHandle.write` throws; `database_unavailable` only when `signal` has aborted
 */
export async function writeWithRetry<R>(
  handle: BotHandle,
  work: Parameters<typeof handle.write<R>>[0],
  { clock, log, signal }: WriteRetry,
): Promise<R> {
  let isLast = false
  return retryWhileUnavailable(
    () => {
      isLast = signal.aborted
      return handle.write(work)
    },
    {
      clock,
      signal,
      giveUp: () => isLast,
      onRetry: (error) => log.warn("Couldn't write to the database; retrying", { error }),
    },
  )
}

/** What to do after a connection has ended. */
export type Retry =
  | { readonly state: 'rejected' | 'stopped'; readonly reason: ChannelRefusal; readonly message: string }
  | { readonly state: 'backing_off'; readonly reason: string; readonly message: string; readonly afterMs: number }

const FIRST_MS = 1_000
const CAP_MS = 60_000
const SLOW_FIRST_MS = 5_000
const SLOW_CAP_MS = 30_000

/**
 * Decides whether and when to reconnect: never with rejected credentials, slowly when the operator has to fix something,
 * otherwise soon, but no earlier than the platform asked.
 * @param error    What the connection ended with.
 * @param failures How many connections in a row have ended like this, this one included.
 */
export function retryAfter(error: unknown, failures: number, random: () => number): Retry {
  if (!(error instanceof ConnectionError)) {
    const why = isUnavailable(error)
      ? { reason: 'database_unavailable', message: 'The database is unavailable.' }
      : { reason: 'internal', message: 'The connection failed unexpectedly. See the server log.' }
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
