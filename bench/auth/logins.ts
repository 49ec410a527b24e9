import { availableParallelism } from 'node:os'
import { now, pause } from '../machine.ts'
import type { Metric } from '../metrics.ts'
import { measureRounds, percentile } from '../statistics.ts'
import { CONCURRENCY, measureCost } from './cost.ts'
import type { Server, Site } from './site.ts'
import { checkVisit, loginVisit } from './visits.ts'

interface LoginOptions {
  readonly rounds: number
  /** Logins without their password hash, and with it, per round. */
  readonly cheap: number
  readonly whole: number
  readonly profile: string | null
}

/** How many hashes the package computes in parallel. */
const HASH_CONCURRENCY = Math.max(1, availableParallelism() - 1)

/** Measures the CPU time of a login without its password hash, and logins per second. */
export async function measureLogins(site: Site, options: LoginOptions): Promise<readonly Metric[]> {
  const server = await site.start('auth', options.profile)
  try {
    const visit = loginVisit(site.population)
    let from = 0
    const logins = async (count: number): ReturnType<typeof measureCost> => {
      from += count
      return measureCost(server, visit, { from, count })
    }
    const round = async (): Promise<Record<'micros' | 'perSecond' | 'hashes' | 'share', number>> => {
      await server.post('/hashing?on=false', {})
      const { micros } = await logins(options.cheap)
      await server.post('/hashing?on=true', {})
      const hashes = await measureHashRate(server, options.whole * 20)
      const { perSecond } = await logins(options.whole)
      return { micros, hashes, perSecond, share: perSecond / hashes }
    }
    await round()
    const all = await measureRounds(options.rounds, round)
    return [
      { name: 'login, no password hash', unit: 'µs of CPU time', target: { atMost: 600 }, ...all.micros },
      { name: `argon2id only, concurrency ${HASH_CONCURRENCY}`, unit: '/s', ...all.hashes },
      { name: `logins, concurrency ${CONCURRENCY}`, unit: '/s', ...all.perSecond },
      { name: 'logins / argon2id', unit: '', target: { atLeast: 0.9 }, ...all.share },
    ]
  } finally {
    await server.stop()
  }
}

async function measureHashRate(server: Server, ms: number): Promise<number> {
  const { body } = await server.get(`/hashes?ms=${ms}&atOnce=${HASH_CONCURRENCY}`)
  const { perSecond } = JSON.parse(body) as { perSecond: number } // as server.ts writes it
  return perSecond
}

interface ConcurrentOptions {
  readonly rounds: number
  /** Checks per round, at 100 per second. */
  readonly checks: number
}

const LOGINS_IN_FLIGHT = 16
const CHECKS_PER_SECOND = 100

/** Measures the latency of session checks while 16 logins run in parallel. */
export async function measureChecksDuringLogins(
  site: Site,
  { rounds, checks }: ConcurrentOptions,
): Promise<readonly Metric[]> {
  const server = await site.start('auth')
  const stop = keepSigningIn(server, site)
  try {
    let from = 0
    const round = async (): Promise<Record<'p50' | 'p99', number>> => {
      const tookMs = await measureChecksOnSchedule(server, site, from, checks)
      from += checks
      return { p50: percentile(tookMs, 0.5), p99: percentile(tookMs, 0.99) }
    }
    await round()
    const all = await measureRounds(rounds, round)
    return [
      { name: 'session check during logins, p50', unit: 'ms', ...all.p50 },
      { name: 'session check during logins, p99', unit: 'ms', target: { atMost: 10 }, ...all.p99 },
    ]
  } finally {
    await stop()
    await server.stop()
  }
}

/** Signs in with constant concurrency. @returns a function that stops it */
function keepSigningIn(server: Server, { population }: Site): () => Promise<void> {
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

/**
 * Starts each check on schedule, even if earlier ones are pending. Latency counts from the scheduled time, so it
 * includes a late start.
 */
async function measureChecksOnSchedule(
  server: Server,
  site: Site,
  from: number,
  count: number,
): Promise<readonly number[]> {
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
