import type { Server } from './site.ts'
import { type Visit, visitAll, visitSteadily } from './visits.ts'

/** The visits for one value. */
interface Amount {
  /** Number of the first visit. Every visit of a server has a different one. */
  readonly from: number
  readonly count: number
}

export const CONCURRENCY = 16

/** Measures the server's CPU time per visit in microseconds, and visits per second. */
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
 * Measures the server's CPU time per visit in microseconds at a steady rate, to compare two servers. Under full load, a
 * server wakes up for many requests at once, which takes half the time per request, so only equal rates are comparable.
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

/** Repetitions in one turn. */
const TURN = 100

/**
 * Measures the CPU time of each function in microseconds, in all threads. They take turns, so that changes in the
 * machine's load affect all of them.
 */
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
