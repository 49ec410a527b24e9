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
