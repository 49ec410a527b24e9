/** The one of `candidates` that `word` most likely meant; `null` when none is close. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  let best: { readonly name: string; readonly distance: number } | null = null
  for (const name of candidates) {
    const distance = editDistance(word, name)
    if (best === null || distance < best.distance) best = { name, distance }
  }
  return best !== null && best.distance <= Math.max(2, Math.floor(word.length / 5)) ? best.name : null
}

/** Fewest insertions, deletions and replacements of one character that turn `a` into `b` (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, left] of a.split('').entries()) {
    const next = [i + 1]
    for (const [j, right] of b.split('').entries()) {
      const replaced = (row[j] ?? 0) + (left === right ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
