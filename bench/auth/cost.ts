import type { Server } from './server-process.ts'
import { type Visit, visitAll, visitSteadily } from './visits.ts'

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

/**
 * Processor time of the server per visit, microseconds, at a steady rate. Two servers are compared so: one that is kept
 * waiting is woken for each request, and one that is not for many at a time, which costs it half as much.
 */
export async function steadyCostOf(server: Server, visit: Visit, amount: Amount, perSecond: number): Promise<number> {
  const before = await server.usage()
  await visitSteadily(server, visit, { ...amount, perSecond })
  const after = await server.usage()
  return (after.cpuMicros - before.cpuMicros) / amount.count
}
