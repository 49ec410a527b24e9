/** Keeps a map from growing without end: what was put in first goes first. */
export function forgetOldest<K>(map: Map<K, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return
    map.delete(key)
  }
}
