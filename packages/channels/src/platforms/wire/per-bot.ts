import type { PlatformIo } from '../../platform-io.ts'

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

/** Puts an entry behind all others and drops the first when there are more than `most`. */
export function putNewest<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= most) return
  const oldest = map.keys().next()
  if (oldest.done !== true) map.delete(oldest.value)
}
