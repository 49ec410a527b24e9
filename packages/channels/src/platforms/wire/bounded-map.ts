import type { PlatformIo } from '../../platform-io.ts'

/** Puts an entry behind all others and drops the first ones when there are more than `most`. */
export function putNewest<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key)
  map.set(key, value)
  dropOldest(map, most)
}

/** Keeps a collection from growing without end. */
export function dropOldest<K>(kept: Pick<Map<K, unknown>, 'size' | 'keys' | 'delete'>, most: number): void {
  for (const key of kept.keys()) {
    if (kept.size <= most) return
    kept.delete(key)
  }
}

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

/** A map that forgets what was put in longest ago. */
interface Recent<V> {
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
}

/** @param most Entries that are kept. */
export function recent<V>(most: number): Recent<V> {
  const entries = new Map<string, V>()
  return {
    get: (key) => entries.get(key),
    set: (key, value) => putNewest(entries, key, value, most),
    delete: (key) => void entries.delete(key),
  }
}
