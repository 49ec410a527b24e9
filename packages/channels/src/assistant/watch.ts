import type { Clock } from '../platform-io.ts'
import { AssistantError } from './assistant.ts'
import type { AssistantLimits } from './settings.ts'

/** Aborts a reply that takes too long or is no longer needed. */
export interface Watch {
  /**
   * Aborts when time is up (its reason is an `AssistantError`), when the caller aborts (the caller's reason), and at
   * `end`.
   */
  readonly signal: AbortSignal
  /** Call for everything the assistant sends, heartbeats included. The idle timeout starts with the first call. */
  heard(): void
  /** Call for each piece of the reply: ends the timeout for the first one. */
  piece(): void
  /** Ends timers and listeners, and aborts `signal`. */
  end(): void
}

/** Starts the timeouts of one reply. `outer` is the caller's signal. */
export function startWatch(
  clock: Clock,
  limits: Pick<AssistantLimits, 'firstPieceMs' | 'idleMs' | 'totalMs'>,
  outer: AbortSignal,
): Watch {
  const over = new AbortController()
  const startMs = clock.now()
  let firstPiece = false
  let heardAtMs: number | null = null
  let alarm = new AbortController()

  const end = (reason: unknown): void => {
    outer.removeEventListener('abort', onOuterAbort)
    over.abort(reason)
    alarm.abort()
  }
  const onOuterAbort = (): void => end(outer.reason)

  const deadlines = (): [atMs: number, why: string][] => {
    const { firstPieceMs, idleMs, totalMs } = limits
    const all: [number, string][] = [[startMs + totalMs, `The reply wasn't complete after ${seconds(totalMs)}.`]]
    if (!firstPiece) all.push([startMs + firstPieceMs, `No reply started within ${seconds(firstPieceMs)}.`])
    if (heardAtMs !== null) all.push([heardAtMs + idleMs, `The assistant sent nothing for ${seconds(idleMs)}.`])
    return all.toSorted(([a], [b]) => a - b)
  }
  const run = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const [next] = deadlines()
      if (next === undefined) return
      const [atMs, why] = next
      if (clock.now() >= atMs) return end(new AssistantError('timeout', why))
      alarm = new AbortController()
      await clock.sleep(atMs - clock.now(), alarm.signal)
    }
  }

  if (outer.aborted) onOuterAbort()
  else outer.addEventListener('abort', onOuterAbort, { once: true })
  void run()
  return {
    signal: over.signal,
    heard() {
      const wasSilent = heardAtMs === null
      heardAtMs = clock.now()
      if (wasSilent) alarm.abort()
    },
    piece() {
      firstPiece = true
    },
    end: () => end(undefined),
  }
}

const seconds = (ms: number): string => `${ms / 1_000} s`
