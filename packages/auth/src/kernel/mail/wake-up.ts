import type { Clock } from '../io.ts'

/** A sleep that others can end. */
export interface WakeUp {
  /** Ends the sleep under way, or else the next one. */
  ring(): void
  sleep(ms: number): Promise<void>
}

/** For one sleeper. */
export function wakeUp(clock: Clock): WakeUp {
  let bell = new AbortController()
  return {
    ring: () => bell.abort(),
    async sleep(ms) {
      await clock.sleep(ms, bell.signal)
      bell = new AbortController()
    },
  }
}
