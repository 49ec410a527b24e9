import type { Figure } from '../figures.ts'
import { AT_ONCE } from './cost.ts'
import type { Server } from './server-process.ts'
import type { Site } from './site.ts'
import { checkVisit, loginVisit, pageVisit, type Visit, visitAll } from './visits.ts'

/** Of a hundred requests: one login with its hash, 29 pages, 70 checks. */
const ROUND = 100

/** Resident memory after `requests` requests, and what of it the server needs before the first one. */
export async function measureMemory(site: Site, requests: number): Promise<readonly Figure[]> {
  const login = loginVisit(site.population)
  const check = checkVisit(site.population)
  const mixed: Visit = (client, at) => {
    const turn = at % ROUND
    return turn === 0 ? login(client, at) : turn < 30 ? pageVisit(client, at) : check(client, at)
  }
  const auth = await grown(site, 'auth', mixed, requests)
  const floor = await grown(site, 'floor', check, requests)
  const unit = 'MB'
  return [
    { name: 'resident before the first request', unit, value: auth.before },
    { name: `resident after ${requests} requests`, unit, value: auth.after, target: { atMost: 120 } },
    { name: 'peer: the floor, before', unit, value: floor.before },
    { name: `peer: the floor, after ${requests} requests`, unit, value: floor.after },
  ]
}

async function grown(
  site: Site,
  kind: 'floor' | 'auth',
  visit: Visit,
  count: number,
): Promise<{ readonly before: number; readonly after: number }> {
  const server = await site.start(kind)
  try {
    const before = await residentMegabytes(server)
    await visitAll(server, visit, { from: 0, count, atOnce: AT_ONCE })
    return { before, after: await residentMegabytes(server) }
  } finally {
    await server.stop()
  }
}

const residentMegabytes = async (server: Server): Promise<number> => (await server.usage()).residentBytes / 1e6
