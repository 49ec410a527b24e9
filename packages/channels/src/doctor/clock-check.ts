import type { ChannelCheck } from '../platform.ts'
import type { PlatformIo } from '../platform-io.ts'

/** Platforms refuse what comes from another time; tickets live for a minute and a half. */
const MAX_SKEW_MS = 60_000

/** Watches the `Date` of what platforms answer. @see RFC 9110 section 6.6.1, RFC 9111 section 5.1 */
export interface ClockWatch {
  readonly fetch: typeof fetch
  /** Nothing, while no platform has said what time it is. */
  check(): readonly ChannelCheck[]
}

/** @param real What really asks. */
export function watchClock(real: typeof fetch, clock: PlatformIo['clock']): ClockWatch {
  let last: { readonly skewMs: number; readonly atMs: number } | null = null
  return {
    async fetch(input, init) {
      const answer = await real(input, init)
      // what a cache has kept bears the time at which it was made
      const isKept = answer.headers.has('age')
      const date = isKept ? Number.NaN : Date.parse(answer.headers.get('date') ?? '')
      const atMs = clock.now()
      if (!Number.isNaN(date)) last = { skewMs: Math.abs(atMs - date), atMs }
      return answer
    },
    check() {
      if (last === null) return []
      const base = { id: 'clock', title: "The clock agrees with the platforms'", at: last.atMs } as const
      const detail = `${Math.round(last.skewMs / 1_000)} s apart.`
      if (last.skewMs <= MAX_SKEW_MS) return [{ ...base, status: 'pass', detail }]
      return [{ ...base, status: 'fail', detail, remedy: 'Set the clock by a time server (NTP).' }]
    },
  }
}
