import type { Clock } from '../platform-io.ts'

/** A clock that stands still until a test moves it. */
export interface ManualClock extends Clock {
  /**
   * Moves the time on by `ms`. Sleeps that fall due resolve in the order of their time, each at its own time, and what
   * they wake runs (also to its next sleep, which counts too when it falls due) before the next one resolves.
   */
  advance(ms: number): Promise<void>
  /** How many sleeps have neither come to an end nor been aborted: 0 when nothing leaked. */
  readonly sleeping: number
  /** Resolves once at least `count` sleeps wait: for work that gets to its sleep by way of a socket or a process. */
  untilSleeping(count: number): Promise<void>
}

interface Sleeper {
  readonly dueMs: number
  readonly wake: () => void
}

/** @param startMs Milliseconds since the Unix epoch. */
export function manualClock(startMs: number): ManualClock {
  let nowMs = startMs
  const sleepers = new Set<Sleeper>()
  let watchers: readonly { readonly count: number; readonly resolve: () => void }[] = []

  const add = (sleeper: Sleeper): void => {
    sleepers.add(sleeper)
    const reached = watchers.filter(({ count }) => sleepers.size >= count)
    watchers = watchers.filter(({ count }) => sleepers.size < count)
    for (const { resolve } of reached) resolve()
  }
  const nextDue = (untilMs: number): Sleeper | undefined =>
    [...sleepers].filter(({ dueMs }) => dueMs <= untilMs).toSorted((a, b) => a.dueMs - b.dueMs)[0]

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
        const sleeper: Sleeper = { dueMs: nowMs + Math.max(0, ms), wake }
        signal?.addEventListener('abort', wake, { once: true })
        add(sleeper)
      }),
    async advance(ms) {
      const untilMs = nowMs + ms
      await settle()
      for (let due = nextDue(untilMs); due !== undefined; due = nextDue(untilMs)) {
        nowMs = Math.max(nowMs, due.dueMs)
        due.wake()
        await settle()
      }
      nowMs = untilMs
    },
    get sleeping() {
      return sleepers.size
    },
    untilSleeping: (count) =>
      new Promise((resolve) => {
        if (sleepers.size >= count) resolve()
        else watchers = [...watchers, { count, resolve }]
      }),
  }
}

/** One turn of the event loop: every microtask that is waiting has run. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
