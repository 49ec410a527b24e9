import type { PlatformIo } from '../../platform-io.ts'
import { putNewest } from './newest.ts'

const MOST_BOTS = 10_000

/**
 * Something that is kept for each bot of each service in this process: it outlives connections, and whoever diagnoses
 * the bot finds it. Lost with the process.
 * @returns what there is for this bot, made when there is nothing yet
 */
export function perBot<M>(create: () => M): (io: PlatformIo, bot: string) => M {
  const services = new WeakMap<PlatformIo, Map<string, M>>()
  return (io, bot) => {
    const bots = services.get(io) ?? new Map<string, M>()
    services.set(io, bots)
    const known = bots.get(bot)
    if (known !== undefined) return known
    const made = create()
    putNewest(bots, bot, made, MOST_BOTS)
    return made
  }
}
