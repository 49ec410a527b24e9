import type { PlatformIo } from '../../platform-io.ts'

/** Puts an entry behind all others and drops the first ones when there are more than `most`. */
export function putNewest<K, V>(map: Map<K, V>, key: K, value: V, max: number): void {
  map.delete(key)
  map.set(key, value)
  dropOldest(map, max)
}

/** Drops the oldest entries beyond `max`. */
export function dropOldest<K>(kept: Pick<Map<K, unknown>, 'size' | 'keys' | 'delete'>, max: number): void {
  for (const key of kept.keys()) {
    if (kept.size <= max) return
    kept.delete(key)
  }
}

const MAX_BOTS = 10_000

/**
 * Creates a store of per-bot state in this process. The state outlives connections and is available to the doctor, but is
 * lost on a restart.
 * @returns a function that returns a bot's state, creating it on first use
 */
export function createPerBotState<M>(create: () => M): (io: PlatformIo, bot: string) => M {
  const services = new WeakMap<PlatformIo, Map<string, M>>()
  return (io, bot) => {
    const bots = services.get(io) ?? new Map<string, M>()
    services.set(io, bots)
    const known = bots.get(bot)
    if (known !== undefined) return known
    const made = create()
    putNewest(bots, bot, made, MAX_BOTS)
    return made
  }
}

/** A map that drops its oldest entries. */
interface Recent<V> {
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
}

/** @param most Entries that are kept. */
export function createRecentMap<V>(max: number): Recent<V> {
  const entries = new Map<string, V>()
  return {
    get: (key) => entries.get(key),
    set: (key, value) => putNewest(entries, key, value, max),
    delete: (key) => void entries.delete(key),
  }
}
