import type { EmulatorClock } from './clock.ts'

/** A clock that stands until it is moved. */
interface ManualClock extends EmulatorClock {
  /** Sleeps that fall due resolve in the order of their time, each at its own time. */
  advance(ms: number): Promise<void>
}

/** @param startMs Milliseconds since the Unix epoch. */
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

/** Lets an emulator of this process work until `isSo`. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve))
}
