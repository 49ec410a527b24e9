import type { Diagnosis } from '../platform.ts'
import type { PlatformIo } from '../platform-io.ts'

/** Platforms refuse what comes from another time; tickets live for a minute and a half. */
const MAX_SKEW_MS = 60_000

/** Watches the `Date` of answers while a platform is asked. @see RFC 9110 section 6.6.1 */
export function watchDates(io: PlatformIo): { readonly io: PlatformIo; check(): readonly Diagnosis[] } {
  let skewMs: number | null = null
  const watched: PlatformIo['fetch'] = async (input, init) => {
    const answer = await io.fetch(input, init)
    const date = Date.parse(answer.headers.get('date') ?? '')
    if (!Number.isNaN(date)) skewMs = Math.abs(io.clock.now() - date)
    return answer
  }
  return {
    io: { ...io, fetch: watched },
    check() {
      if (skewMs === null) return []
      const base = { id: 'clock', title: "The clock agrees with the platform's" }
      const detail = `${Math.round(skewMs / 1_000)} s apart.`
      if (skewMs <= MAX_SKEW_MS) return [{ ...base, status: 'pass', detail }]
      return [{ ...base, status: 'fail', detail, remedy: 'Set the clock by a time server (NTP).' }]
    },
  }
}
