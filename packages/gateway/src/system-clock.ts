import type { Clock } from '@gatepost/channels'

/** Maximum delay of a timer; longer ones would fire at once. */
const TIMER_MAX_MS = 2_147_483_647

/** The clock of this machine. A sleep keeps the process alive until it ends or is aborted. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve()
      const end = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, Math.min(Math.max(0, ms), TIMER_MAX_MS))
      signal?.addEventListener('abort', end, { once: true })
    }),
}
