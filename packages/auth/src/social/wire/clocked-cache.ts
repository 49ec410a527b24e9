import type { Clock } from '../../kernel/io.ts'

/** Values by key, for a while. */
export interface ClockedCache<V> {
  /** `null`: not there, or too old. `atMs` tells when it was put there, by the clock of the instance. */
  get(clock: Clock, key: string): { readonly value: V; readonly atMs: number } | null
  set(clock: Clock, key: string, value: V, lifeMs: number): void
}

/**
 * What is fetched rarely: documents and keys of providers. Instances of the package share nothing: each has its clock.
 * @param most Beyond this many, the oldest go.
 */
export function clockedCache<V>(most: number): ClockedCache<V> {
  interface Entry {
    readonly value: V
    readonly atMs: number
    readonly untilMs: number
  }
  const ofClocks = new WeakMap<Clock, Map<string, Entry>>()
  return {
    get(clock, key) {
      const entry = ofClocks.get(clock)?.get(key)
      const nowMs = clock.now()
      return entry === undefined || nowMs >= entry.untilMs || nowMs < entry.atMs ? null : entry
    },
    set(clock, key, value, lifeMs) {
      const entries = ofClocks.get(clock) ?? new Map<string, Entry>()
      ofClocks.set(clock, entries)
      entries.delete(key)
      const atMs = clock.now()
      entries.set(key, { value, atMs, untilMs: atMs + lifeMs })
      for (const oldest of entries.keys()) {
        if (entries.size <= most) break
        entries.delete(oldest)
      }
    },
  }
}
