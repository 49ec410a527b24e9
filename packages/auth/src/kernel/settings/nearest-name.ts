/**
 * Returns the closest known name, or `null` if none is close.
 * @param most Maximum edit distance.
 */
export function nearestName(written: string, known: Iterable<string>, most: number = Infinity): string | null {
  const asked = written.slice(0, 80)
  let nearest: { readonly name: string; readonly distance: number } | null = null
  for (const name of known) {
    const distance = editDistance(asked, name)
    if (distance <= most && distance < (nearest?.distance ?? Math.max(3, name.length / 3))) nearest = { name, distance }
  }
  return nearest?.name ?? null
}

/** Levenshtein distance, row by row. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
