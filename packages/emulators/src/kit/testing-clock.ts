import type { EmulatorClock } from './clock.ts'

/** A clock that only `advance` moves. */
interface ManualClock extends EmulatorClock {
  /** Moves the clock. Sleeps that become due resolve in order, each at its own time. */
  advance(ms: number): Promise<void>
}

/** Creates a manual clock. @param startMs Milliseconds since the Unix epoch. */
export function manualClock(startMs: number = 1_763_700_000_000): ManualClock {
  let nowMs = startMs
  const sleepers = new Set<{ readonly dueMs: number; readonly wake: () => void }>()
  return {
    now: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) return resolve()
        const wake = (): void => {
          sleepers.delete(sleeper)
          signal?.removeEventListener('abort', wake)
          resolve()
        }
        const sleeper = { dueMs: nowMs + ms, wake }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', wake, { once: true })
      }),
    async advance(ms) {
      const untilMs = nowMs + ms
      const nextDue = () =>
        [...sleepers].filter(({ dueMs }) => dueMs <= untilMs).toSorted((a, b) => a.dueMs - b.dueMs)[0]
      await new Promise((resolve) => setImmediate(resolve))
      for (let due = nextDue(); due !== undefined; due = nextDue()) {
        nowMs = Math.max(nowMs, due.dueMs)
        due.wake()
        await new Promise((resolve) => setImmediate(resolve))
      }
      nowMs = untilMs
    },
  }
}

/** Yields to the event loop until `condition` holds. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve))
}
