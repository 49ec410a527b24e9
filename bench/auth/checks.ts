import type { Metric } from '../metrics.ts'
import { measureRounds } from '../statistics.ts'
import { measureCost, measureSteadyCost } from './cost.ts'
import type { Population } from './people.ts'
import type { Server, Site } from './site.ts'
import { checkVisit, pageVisit } from './visits.ts'

export interface CheckOptions {
  readonly rounds: number
  /** Checks, and pages, per round. */
  readonly checks: number
  readonly pages: number
  readonly profile: string | null
}

/** A rate that all servers can sustain. */
const CHECKS_PER_SECOND = 4_000

/** Measures session checks and the baseline alternately, with few and with many sessions, and a page. */
export async function measureChecks(few: Site, many: Site, options: CheckOptions): Promise<readonly Metric[]> {
  const baseline = await few.start('baseline')
  const auth = await few.start('auth', options.profile)
  const large = await many.start('auth')
  try {
    return await compareServers({ baseline, auth, large, few: few.population, many: many.population }, options)
  } finally {
    for (const server of [baseline, auth, large]) await server.stop()
  }
}

interface Compared {
  readonly baseline: Server
  readonly auth: Server
  readonly large: Server
  readonly few: Population
  readonly many: Population
}

async function compareServers(
  { baseline, auth, large, few, many }: Compared,
  { rounds, checks, pages }: CheckOptions,
): Promise<readonly Metric[]> {
  let from = 0
  const cost = async (server: Server, population: Population): Promise<number> => {
    from += checks
    return measureSteadyCost(server, checkVisit(population), { from, count: checks }, CHECKS_PER_SECOND)
  }
  const round = async (): Promise<Record<Measured, number>> => {
    const [least, check, grown] = [await cost(baseline, few), await cost(auth, few), await cost(large, many)]
    const page = (await measureCost(auth, pageVisit, { from, count: pages })).micros
    return { baseline: least, check, grown, page, share: least / check, growth: check / grown }
  }
  await round() // warm-up: everything is compiled and cached
  const all = await measureRounds(rounds, round)
  const unit = 'µs of CPU time'
  return [
    { name: 'baseline: one SELECT by key', unit, ...all.baseline },
    { name: `session check, ${few.sessions} sessions`, unit, ...all.check },
    { name: 'baseline / session check', unit: '', target: { atLeast: 0.6 }, ...all.share },
    { name: `session check, ${many.sessions} sessions`, unit, ...all.grown },
    { name: 'few / many sessions', unit: '', target: { atLeast: 0.9 }, ...all.growth },
    { name: 'login page', unit, ...all.page },
  ]
}

type Measured = 'baseline' | 'check' | 'grown' | 'page' | 'share' | 'growth'
