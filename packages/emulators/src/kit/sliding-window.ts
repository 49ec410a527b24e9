import type { EmulatorClock } from './clock.ts'

/** Counts what happened lately, by key. */
export class SlidingWindow {
  readonly #clock: EmulatorClock
  readonly #longestMs: number
  readonly #times = new Map<string, number[]>()

  /** @param longestMs What is older is forgotten. */
  constructor(clock: EmulatorClock, longestMs: number) {
    this.#clock = clock
    this.#longestMs = longestMs
  }

  add(key: string): void {
    const now = this.#clock.now()
    const times = (this.#times.get(key) ?? []).filter((at) => at > now - this.#longestMs)
    times.push(now)
    this.#times.set(key, times)
  }

  /** How often in the last `ms`. */
  count(key: string, ms: number): number {
    const since = this.#clock.now() - ms
    return (this.#times.get(key) ?? []).filter((at) => at > since).length
  }
}
