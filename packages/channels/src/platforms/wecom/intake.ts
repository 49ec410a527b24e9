import { isUnavailable } from '@gatepost/sql'
import type { Inbox } from '../../connection.ts'
import type { InboundEvent } from '../../message.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { retryWhileUnavailable } from '../../retry.ts'

/**
 * Stores the events of a connection in order. WeCom keeps none, so events are held in memory while the database is
 * unavailable.
 */
export interface Intake {
  /** Whether everything received is stored. */
  readonly isStored: boolean
  put(event: InboundEvent): void
  /** Rejects when something could not be stored; else it stays pending until `finish`. */
  readonly failed: Promise<never>
  /** Resolves when everything is stored, which is tried once more. @throws what `inbox.accept` threw */
  finish(): Promise<void>
}

/** Most events of one batch: a statement names only so many keys. */
const BATCH = 500
/** More must not pile up: the connection ends. */
const MAX_WAITING = 10_000

interface IntakeOptions {
  readonly inbox: Pick<Inbox, 'accept'>
  /** Events that an earlier intake couldn't store. Those that this one can't are left here for the next. */
  readonly waiting: InboundEvent[]
  readonly io: Pick<PlatformIo, 'clock' | 'log'>
  /** Called each time everything received is stored. */
  onStored(): void
}

/** Creates the intake of a connection. */
export function createIntake({ inbox, waiting, io: { clock, log }, onStored }: IntakeOptions): Intake {
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => undefined) // `finish` throws it too
  const ending = new AbortController()
  let work: Promise<void> | null = null

  async function store(): Promise<void> {
    while (waiting.length > 0) {
      let batch: readonly InboundEvent[] = []
      try {
        await retryWhileUnavailable(
          () => {
            batch = waiting.slice(0, BATCH)
            return inbox.accept(batch, null)
          },
          {
            clock,
            signal: ending.signal,
            giveUp: () => ending.signal.aborted || waiting.length >= MAX_WAITING,
            onRetry: (error) => log.warn("Couldn't store events of WeCom; retrying", { count: waiting.length, error }),
          },
        )
      } catch (error) {
        if (!isUnavailable(error)) waiting.splice(0, batch.length)
        throw error
      }
      waiting.splice(0, batch.length)
    }
    work = null // in the same step as the last check, so that no event is left behind
    onStored()
  }

  function begin(): void {
    if (work !== null) return
    work = store()
    work.catch(failed.reject)
  }

  if (waiting.length > 0) begin()
  return {
    failed: failed.promise,
    get isStored() {
      return waiting.length === 0
    },
    put(event) {
      waiting.push(event)
      begin()
    },
    async finish() {
      ending.abort()
      await work
    },
  }
}
