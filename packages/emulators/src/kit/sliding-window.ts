import type { EmulatorClock } from './clock.ts'

/** Counts recent events by key. */
export class SlidingWindow {
  readonly #clock: EmulatorClock
  readonly #longestMs: number
  readonly #times = new Map<string, number[]>()

  /** @param longestMs Age beyond which events are dropped. */
  constructor(clock: EmulatorClock, longestMs: number) {
    this.#clock = clock
    this.#longestMs = longestMs
  }

  /** Records an event now. */
  add(key: string): void {
    const now = this.#clock.now()
    const times = (this.#times.get(key) ?? []).filter((at) => at > now - this.#longestMs)
    times.push(now)
    this.#times.set(key, times)
  }

  /** Returns the number of events in the last `ms`. */
  count(key: string, ms: number): number {
    const since = this.#clock.now() - ms
    return (this.#times.get(key) ?? []).filter((at) => at > since).length
  }
}
