import type { Clock } from '../io.ts'

/** A sleep that others can end. */
export interface WakeUp {
  /** Ends the sleep under way, or else the next one. */
  wake(): void
  sleep(ms: number): Promise<void>
}

/** For one sleeper. */
export function createWakeUp(clock: Clock): WakeUp {
  let bell = new AbortController()
  return {
    wake: () => bell.abort(),
    async sleep(ms) {
      await clock.sleep(ms, bell.signal)
      bell = new AbortController()
    },
  }
}
