import type { Clock } from '../platform-io.ts'
import { AssistantError } from './assistant.ts'
import type { AssistantLimits } from './settings.ts'

/** Ends an answer that takes too long, or that nobody wants any more. */
export interface Watch {
  /**
   * Aborts when time is up (its reason is an `AssistantError`), when the caller aborts (the caller's reason), and at
   * `end`.
   */
  readonly signal: AbortSignal
  /** Something came from the assistant, be it only a sign of life. From the first call on, silence counts. */
  heard(): void
  /** A piece of the answer came: the wait for the first one is over. */
  piece(): void
  /** Lets go of everything: timers, listeners, and whoever listens to `signal`. */
  end(): void
}

/** Starts the time of one answer. `outer` is the caller's signal. */
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
    outer.removeEventListener('abort', abandon)
    over.abort(reason)
    alarm.abort()
  }
  const abandon = (): void => end(outer.reason)

  const deadlines = (): [atMs: number, why: string][] => {
    const { firstPieceMs, idleMs, totalMs } = limits
    const all: [number, string][] = [[startMs + totalMs, `The answer was not complete after ${seconds(totalMs)}.`]]
    if (!firstPiece) all.push([startMs + firstPieceMs, `No answer began within ${seconds(firstPieceMs)}.`])
    if (heardAtMs !== null) all.push([heardAtMs + idleMs, `The assistant fell silent for ${seconds(idleMs)}.`])
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

  if (outer.aborted) abandon()
  else outer.addEventListener('abort', abandon, { once: true })
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
