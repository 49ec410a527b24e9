import type { Figure } from '../figures.ts'
import { inRounds } from '../gateway/rounds.ts'
import { costOf, steadyCostOf } from './cost.ts'
import type { Population } from './people.ts'
import type { Server } from './server-process.ts'
import type { Site } from './site.ts'
import { checkVisit, pageVisit } from './visits.ts'

export interface CheckOptions {
  readonly rounds: number
  /** Checks, and pages, of one round. */
  readonly checks: number
  readonly pages: number
  readonly profile: string | null
}

/** Less than any of the servers can answer. */
const CHECKS_PER_SECOND = 4_000

/** Session checks and the floor, in turn, with few sessions and with many; and a page beside them. */
export async function measureChecks(few: Site, many: Site, options: CheckOptions): Promise<readonly Figure[]> {
  const floor = await few.start('floor')
  const auth = await few.start('auth', options.profile)
  const large = await many.start('auth')
  try {
    return await inTurn({ floor, auth, large, few: few.population, many: many.population }, options)
  } finally {
    for (const server of [floor, auth, large]) await server.stop()
  }
}

interface Compared {
  readonly floor: Server
  readonly auth: Server
  readonly large: Server
  readonly few: Population
  readonly many: Population
}

async function inTurn(
  { floor, auth, large, few, many }: Compared,
  { rounds, checks, pages }: CheckOptions,
): Promise<readonly Figure[]> {
  let from = 0
  const cost = async (server: Server, population: Population): Promise<number> => {
    from += checks
    return steadyCostOf(server, checkVisit(population), { from, count: checks }, CHECKS_PER_SECOND)
  }
  const round = async (): Promise<Record<Measured, number>> => {
    const [least, check, grown] = [await cost(floor, few), await cost(auth, few), await cost(large, many)]
    const page = (await costOf(auth, pageVisit, { from, count: pages })).micros
    return { floor: least, check, grown, page, share: least / check, growth: check / grown }
  }
  await round() // everything is compiled and cached
  const all = await inRounds(rounds, round)
  const unit = 'us of processor'
  return [
    { name: 'floor: one select by key', unit, ...all.floor },
    { name: `check, ${few.sessions} sessions`, unit, ...all.check },
    { name: 'floor / check', unit: '', target: { atLeast: 0.6 }, ...all.share },
    { name: `check, ${many.sessions} sessions`, unit, ...all.grown },
    { name: 'few / many sessions', unit: '', target: { atLeast: 0.9 }, ...all.growth },
    { name: 'login page', unit, ...all.page },
  ]
}

type Measured = 'floor' | 'check' | 'grown' | 'page' | 'share' | 'growth'
