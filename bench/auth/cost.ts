import type { Server } from './server-process.ts'
import { type Visit, visitAll } from './visits.ts'

/** How much is asked of a server for one value. */
export interface Amount {
  /** Number of the first visit: no two visits of one server share one. */
  readonly from: number
  readonly count: number
}

export const AT_ONCE = 16

/** Processor time of the server per visit, microseconds, and visits per second. */
export async function costOf(
  server: Server,
  visit: Visit,
  amount: Amount,
): Promise<{ readonly micros: number; readonly perSecond: number }> {
  const before = await server.usage()
  const tookMs = await visitAll(server, visit, { ...amount, atOnce: AT_ONCE })
  const after = await server.usage()
  return {
    micros: (after.cpuMicros - before.cpuMicros) / amount.count,
    perSecond: (amount.count * 1000) / tookMs,
  }
}
