/** A map that forgets what was put in longest ago. */
export interface Recent<V> {
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
}

/** @param most Entries that are kept. */
export function recent<V>(most: number): Recent<V> {
  const entries = new Map<string, V>()
  return {
    get: (key) => entries.get(key),
    set(key, value) {
      entries.delete(key)
      entries.set(key, value)
      for (const oldest of entries.keys()) {
        if (entries.size <= most) return
        entries.delete(oldest)
      }
    },
    delete: (key) => void entries.delete(key),
  }
}
