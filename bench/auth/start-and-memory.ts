import { now } from '../machine.ts'
import type { Metric } from '../metrics.ts'
import { measureRounds } from '../statistics.ts'
import { CONCURRENCY } from './cost.ts'
import type { Server, Site } from './site.ts'
import { checkVisit, loginVisit, pageVisit, type Visit, visitAll } from './visits.ts'

/** Measures the time from spawning the process to its first response, with an existing database and a warm compile cache. */
export async function measureStartUp(site: Site, rounds: number): Promise<readonly Metric[]> {
  const first = async (kind: 'baseline' | 'auth', visit: (server: Server) => Promise<void>): Promise<number> => {
    const server = await site.start(kind)
    await visit(server)
    const tookMs = now() - server.spawnedAtMs
    await server.stop()
    return tookMs
  }
  const check = (server: Server): Promise<void> => checkVisit(site.population)(server, 0)
  const page = (server: Server): Promise<void> => pageVisit(server, 0)
  const round = async (): Promise<Record<'baseline' | 'check' | 'page', number>> => ({
    baseline: await first('baseline', check),
    check: await first('auth', check),
    page: await first('auth', page),
  })
  await round()
  const all = await measureRounds(rounds, round)
  const unit = 'ms'
  return [
    { name: 'first session check', unit, target: { atMost: 300 }, ...all.check },
    { name: 'first login page', unit, target: { atMost: 300 }, ...all.page },
    { name: 'baseline: first response', unit, ...all.baseline },
  ]
}

/** The mix per hundred requests: one login with its password hash, 29 pages, and 70 session checks. */
const ROUND = 100

/** Measures resident memory before the first request and after `requests` requests. */
export async function measureMemory(site: Site, requests: number): Promise<readonly Metric[]> {
  const login = loginVisit(site.population)
  const check = checkVisit(site.population)
  const mixed: Visit = (client, at) => {
    const turn = at % ROUND
    return turn === 0 ? login(client, at) : turn < 30 ? pageVisit(client, at) : check(client, at)
  }
  const auth = await measureGrowth(site, 'auth', mixed, requests)
  const baseline = await measureGrowth(site, 'baseline', check, requests)
  const unit = 'MB'
  return [
    { name: 'RSS before the first request', unit, value: auth.before },
    { name: `RSS after ${requests} requests`, unit, value: auth.after, target: { atMost: 120 } },
    { name: 'baseline: RSS before the first request', unit, value: baseline.before },
    { name: `baseline: RSS after ${requests} requests`, unit, value: baseline.after },
  ]
}

async function measureGrowth(
  site: Site,
  kind: 'baseline' | 'auth',
  visit: Visit,
  count: number,
): Promise<{ readonly before: number; readonly after: number }> {
  const server = await site.start(kind)
  try {
    const before = await readResidentMegabytes(server)
    await visitAll(server, visit, { from: 0, count, atOnce: CONCURRENCY })
    return { before, after: await readResidentMegabytes(server) }
  } finally {
    await server.stop()
  }
}

const readResidentMegabytes = async (server: Server): Promise<number> => (await server.usage()).residentBytes / 1e6
