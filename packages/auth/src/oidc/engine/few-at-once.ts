/** Runs work of one key a few at once; the rest waits for its turn. */
export type KeyedLimiter = <R>(key: string, work: () => Promise<R>) => Promise<R>

/** @param most How many of one key run at the same time in this process. */
export function createKeyedLimiter(most: number): KeyedLimiter {
  /** By key: how many run, and who waits. */
  const lines = new Map<string, { running: number; readonly waiting: (() => void)[] }>()
  return async (key, work) => {
    const line = lines.get(key) ?? { running: 0, waiting: [] }
    lines.set(key, line)
    if (line.running < most) line.running++
    else await new Promise<void>((resolve) => line.waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = line.waiting.shift()
      if (next !== undefined) next()
      else if (--line.running === 0) lines.delete(key)
    }
  }
}
