import { putNewest } from '../wire/newest.ts'

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
    set: (key, value) => putNewest(entries, key, value, most),
    delete: (key) => void entries.delete(key),
  }
}
