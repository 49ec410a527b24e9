import { isUnavailable } from '@gatepost/sql'
import type { BotHandle } from './bot-handle.ts'
import type { Clock, Log } from './platform-io.ts'

export interface Patience {
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
