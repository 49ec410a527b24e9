import type { Server } from './site.ts'
import { type Visit, visitAll, visitSteadily } from './visits.ts'

/** How much is asked of a server for one value. */
interface Amount {
  /** Number of the first visit: no two visits of one server share one. */
  readonly from: number
  readonly count: number
}

export const CONCURRENCY = 16

/** Processor time of the server per visit, microseconds, and visits per second. */
export async function measureCost(
  server: Server,
  visit: Visit,
  amount: Amount,
): Promise<{ readonly micros: number; readonly perSecond: number }> {
  const before = await server.usage()
  const tookMs = await visitAll(server, visit, { ...amount, atOnce: CONCURRENCY })
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
export async function measureSteadyCost(
  server: Server,
  visit: Visit,
  amount: Amount,
  perSecond: number,
): Promise<number> {
  const before = await server.usage()
  await visitSteadily(server, visit, { ...amount, perSecond })
  const after = await server.usage()
  return (after.cpuMicros - before.cpuMicros) / amount.count
}

/** Of one turn. */
const TURN = 100

/** Processor time of each, in microseconds, of all threads; they take turns, so that the machine is the same for both. */
export async function compareCosts(
  count: number,
  first: () => Promise<unknown>,
  second: () => Promise<unknown>,
): Promise<readonly [first: number, second: number]> {
  const turns = Math.ceil(count / TURN)
  const sums: [number, number] = [0, 0]
  for (let turn = 0; turn < turns; turn += 1) {
    sums[0] += await measureTurn(first)
    sums[1] += await measureTurn(second)
  }
  return [sums[0] / turns, sums[1] / turns]
}

async function measureTurn(check: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  for (let at = 0; at < TURN; at += 1) await check()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / TURN
}
