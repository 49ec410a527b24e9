import type { Clock } from '../../kernel/io.ts'

/** A cache whose entries expire by a given clock. */
export interface ClockedCache<V> {
  /** Returns `null` if missing or expired. `atMs` is when it was stored, by the instance's clock. */
  get(clock: Clock, key: string): { readonly value: V; readonly atMs: number } | null
  set(clock: Clock, key: string, value: V, lifeMs: number): void
}

/**
 * Creates a cache for providers' documents and keys. Instances of the package share nothing, because each has its own
 * clock.
 * @param maxEntries Per clock. Beyond it, the oldest are removed.
 */
export function clockedCache<V>(maxEntries: number): ClockedCache<V> {
  interface Entry {
    readonly value: V
    readonly atMs: number
    readonly untilMs: number
  }
  const entriesByClock = new WeakMap<Clock, Map<string, Entry>>()
  return {
    get(clock, key) {
      const entry = entriesByClock.get(clock)?.get(key)
      const nowMs = clock.now()
      return entry === undefined || nowMs >= entry.untilMs || nowMs < entry.atMs ? null : entry
    },
    set(clock, key, value, lifeMs) {
      const entries = entriesByClock.get(clock) ?? new Map<string, Entry>()
      entriesByClock.set(clock, entries)
      entries.delete(key)
      const atMs = clock.now()
      entries.set(key, { value, atMs, untilMs: atMs + lifeMs })
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries) break
        entries.delete(oldest)
      }
    },
  }
}
