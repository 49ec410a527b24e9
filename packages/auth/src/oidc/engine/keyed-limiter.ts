/** Runs `work`, with limited concurrency per key. */
export type KeyedLimiter = <R>(key: string, work: () => Promise<R>) => Promise<R>

/** Creates a limiter. @param most The maximum concurrency per key in this process. */
export function createKeyedLimiter(most: number): KeyedLimiter {
  /** The running and waiting tasks by key. */
  const queues = new Map<string, { running: number; readonly waiting: (() => void)[] }>()
  return async (key, work) => {
    const queue = queues.get(key) ?? { running: 0, waiting: [] }
    queues.set(key, queue)
    if (queue.running < most) queue.running++
    else await new Promise<void>((resolve) => queue.waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = queue.waiting.shift()
      if (next !== undefined) next()
      else if (--queue.running === 0) queues.delete(key)
    }
  }
}
