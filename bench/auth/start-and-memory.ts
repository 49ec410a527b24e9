import { now } from '../gateway/clock.ts'
import type { Figure } from '../figures.ts'
import { inRounds } from '../gateway/rounds.ts'
import type { Server } from './server-process.ts'
import type { Site } from './site.ts'
import { checkVisit, pageVisit } from './visits.ts'

/** From the start of the process to its first answer, with an existing database and a warm compile cache. */
export async function measureStartUp(site: Site, rounds: number): Promise<readonly Figure[]> {
  const first = async (kind: 'floor' | 'auth', visit: (server: Server) => Promise<void>): Promise<number> => {
    const server = await site.start(kind)
    await visit(server)
    const tookMs = now() - server.spawnedAtMs
    await server.stop()
    return tookMs
  }
  const check = (server: Server): Promise<void> => checkVisit(site.population)(server, 0)
  const page = (server: Server): Promise<void> => pageVisit(server, 0)
  const round = async (): Promise<Record<'floor' | 'check' | 'page', number>> => ({
    floor: await first('floor', check),
    check: await first('auth', check),
    page: await first('auth', page),
  })
  await round()
  const all = await inRounds(rounds, round)
  const unit = 'ms'
  return [
    { name: 'first check', unit, target: { atMost: 300 }, ...all.check },
    { name: 'first login page', unit, target: { atMost: 300 }, ...all.page },
    { name: 'peer: first answer of the floor', unit, ...all.floor },
  ]
}
