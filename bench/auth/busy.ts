import { now, pause } from '../gateway/clock.ts'
import type { Figure } from '../figures.ts'
import { inRounds } from '../gateway/rounds.ts'
import { percentile } from '../gateway/statistics.ts'
import type { Server } from './server-process.ts'
import type { Site } from './site.ts'
import { checkVisit, loginVisit } from './visits.ts'

export interface BusyOptions {
  readonly rounds: number
  /** Checks of one round, at 100 a second. */
  readonly checks: number
}

const LOGINS_IN_FLIGHT = 16
const CHECKS_PER_SECOND = 100

/** How long session checks take while 16 people at a time sign in. */
export async function measureBusy(site: Site, { rounds, checks }: BusyOptions): Promise<readonly Figure[]> {
  const server = await site.start('auth')
  const stop = signInAlways(server, site)
  try {
    let from = 0
    const round = async (): Promise<Record<'p50' | 'p99', number>> => {
      const tookMs = await checksInTime(server, site, from, checks)
      from += checks
      return { p50: percentile(tookMs, 0.5), p99: percentile(tookMs, 0.99) }
    }
    await round()
    const all = await inRounds(rounds, round)
    return [
      { name: 'check among logins, p50', unit: 'ms', ...all.p50 },
      { name: 'check among logins, p99', unit: 'ms', target: { atMost: 10 }, ...all.p99 },
    ]
  } finally {
    await stop()
    await server.stop()
  }
}

/** @returns ends it. */
function signInAlways(server: Server, { population }: Site): () => Promise<void> {
  const login = loginVisit(population)
  let at = 0
  let isOver = false
  const lane = async (): Promise<void> => {
    while (!isOver) await login(server, at++)
  }
  const lanes = Promise.all(Array.from({ length: LOGINS_IN_FLIGHT }, lane))
  return async () => {
    isOver = true
    await lanes
  }
}

/** Each begins at its time, whether or not those before are answered; one that begins late counts from its time. */
async function checksInTime(server: Server, site: Site, from: number, count: number): Promise<readonly number[]> {
  const check = checkVisit(site.population)
  const startedAtMs = now()
  const running = Array.from({ length: count }, async (_, at) => {
    const dueAtMs = startedAtMs + (at * 1000) / CHECKS_PER_SECOND
    await pause(Math.max(0, dueAtMs - now()))
    const beganAtMs = Math.min(dueAtMs, now()) // timers may be early
    await check(server, from + at)
    return now() - beganAtMs
  })
  return Promise.all(running)
}
