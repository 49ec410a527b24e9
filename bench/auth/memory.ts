import type { Figure } from '../gateway/figures.ts'
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
  const server = await site.start('auth')
  try {
    const before = await residentMegabytes(server)
    await visitAll(server, mixed, { from: 0, count: requests, atOnce: AT_ONCE })
    return [
      { name: 'resident before the first request', value: before, unit: 'MB' },
      {
        name: `resident after ${requests} requests`,
        value: await residentMegabytes(server),
        unit: 'MB',
        target: { atMost: 120 },
      },
    ]
  } finally {
    await server.stop()
  }
}

const residentMegabytes = async (server: Server): Promise<number> => (await server.usage()).residentBytes / 1e6
