import { createHash } from 'node:crypto'
import type { EmulatorClock } from '../kit/clock.ts'

export interface RateAnswer {
  readonly headers: Readonly<Record<string, string>>
  /** `null`: within the limit. */
  readonly retryAfterSeconds: number | null
}

/** One bucket per route and channel: so many calls per window. */
export class RateWindows {
  readonly #clock: EmulatorClock
  readonly #rate: { readonly limit: number; readonly perMs: number }
  readonly #windows = new Map<string, { endsAtMs: number; used: number }>()

  constructor(clock: EmulatorClock, rate: { readonly limit: number; readonly perMs: number }) {
    this.#clock = clock
    this.#rate = rate
  }

  /** Counts a call. */
  use(route: string, channelId: string): RateAnswer {
    const key = `${route} ${channelId}`
    const { limit, perMs } = this.#rate
    const now = this.#clock.now()
    const open = this.#windows.get(key)
    const window = open && open.endsAtMs > now ? open : { endsAtMs: now + perMs, used: 0 }
    this.#windows.set(key, window)
    const isOver = window.used >= limit
    if (!isOver) window.used += 1
    const leftSeconds = (window.endsAtMs - now) / 1_000
    return {
      headers: {
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remaining': String(limit - window.used),
        'x-ratelimit-reset': (window.endsAtMs / 1_000).toFixed(3),
        'x-ratelimit-reset-after': leftSeconds.toFixed(3),
        'x-ratelimit-bucket': createHash('md5').update(route).digest('hex'),
      },
      retryAfterSeconds: isOver ? leftSeconds : null,
    }
  }
}
