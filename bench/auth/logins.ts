import { availableParallelism } from 'node:os'
import type { Figure } from '../figures.ts'
import { inRounds } from '../gateway/rounds.ts'
import { AT_ONCE, costOf } from './cost.ts'
import type { Server } from './server-process.ts'
import type { Site } from './site.ts'
import { loginVisit } from './visits.ts'

export interface LoginOptions {
  readonly rounds: number
  /** Logins without their hash, and with it, of one round. */
  readonly cheap: number
  readonly whole: number
  readonly profile: string | null
}

/** As many hashes as the package computes at once. */
const HASHES_AT_ONCE = Math.max(1, availableParallelism() - 1)

/** What a login costs besides its hash, and how many there are in a second. */
export async function measureLogins(site: Site, options: LoginOptions): Promise<readonly Figure[]> {
  const server = await site.start('auth', options.profile)
  try {
    const visit = loginVisit(site.population)
    let from = 0
    const logins = async (count: number): ReturnType<typeof costOf> => {
      from += count
      return costOf(server, visit, { from, count })
    }
    const round = async (): Promise<Record<'micros' | 'perSecond' | 'hashes' | 'share', number>> => {
      await server.post('/hashing?on=false', {})
      const { micros } = await logins(options.cheap)
      await server.post('/hashing?on=true', {})
      const hashes = await hashesPerSecond(server, options.whole * 20)
      const { perSecond } = await logins(options.whole)
      return { micros, hashes, perSecond, share: perSecond / hashes }
    }
    await round()
    const all = await inRounds(options.rounds, round)
    return [
      { name: 'login without its hash', unit: 'us of processor', target: { atMost: 600 }, ...all.micros },
      { name: `argon2id alone, ${HASHES_AT_ONCE} at once`, unit: '/s', ...all.hashes },
      { name: `logins, ${AT_ONCE} at once`, unit: '/s', ...all.perSecond },
      { name: 'logins / argon2id', unit: '', target: { atLeast: 0.9 }, ...all.share },
    ]
  } finally {
    await server.stop()
  }
}

async function hashesPerSecond(server: Server, ms: number): Promise<number> {
  const { body } = await server.get(`/hashes?ms=${ms}&atOnce=${HASHES_AT_ONCE}`)
  const { perSecond } = JSON.parse(body) as { perSecond: number } // as server.ts writes it
  return perSecond
}
