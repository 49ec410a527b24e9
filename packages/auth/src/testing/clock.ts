import type { Clock } from '../kernel/io.ts'

/** A clock that moves only when the test advances it, which also ends sleeps that are due. */
export interface ManualClock extends Clock {
  advance(ms: number): void
}

/** Noon on an arbitrary day. */
const START_MS = Date.UTC(2026, 0, 15, 12)

export function manualClock(startMs = START_MS): ManualClock {
  let nowMs = startMs
  const sleepers = new Set<{ readonly atMs: number; wake(): void }>()
  return {
    now: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) return resolve()
        const sleeper = {
          atMs: nowMs + ms,
          wake() {
            sleepers.delete(sleeper)
            signal?.removeEventListener('abort', sleeper.wake)
            resolve()
          },
        }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', sleeper.wake, { once: true })
      }),
    advance(ms) {
      nowMs += ms
      for (const sleeper of sleepers) if (sleeper.atMs <= nowMs) sleeper.wake()
    },
  }
}
