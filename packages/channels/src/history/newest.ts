/**
 * Merges lists that are newest first each into one; of each no more is read than needed.
 * @param isNewer Whether `a` comes before `b`.
 * @returns at most `limit`.
 */
export async function newest<T>(
  lists: readonly AsyncGenerator<T, void, undefined>[],
  isNewer: (a: T, b: T) => boolean,
  limit: number,
): Promise<readonly T[]> {
  const heads = await Promise.all(lists.map(async (list) => ({ list, head: await list.next() })))
  const out: T[] = []
  while (out.length < limit) {
    let first: (typeof heads)[number] | null = null
    for (const one of heads) {
      if (one.head.done) continue
      if (first === null || first.head.done || isNewer(one.head.value, first.head.value)) first = one
    }
    if (first === null || first.head.done) break
    out.push(first.head.value)
    if (out.length < limit) first.head = await first.list.next()
  }
  return out
}
