/** Runs at most a fixed number of tasks at a time; the others wait in order. */
export interface Semaphore {
  /** Resolves to `null` when `signal` aborts before `work` could start. */
  run<R>(work: () => Promise<R>, signal: AbortSignal): Promise<R | null>
}

/** Creates a semaphore. Unlike p-limit, waiting ends when the caller's signal aborts. */
export function createSemaphore(size: number): Semaphore {
  let free = size
  const waiting = new Set<(admitted: boolean) => void>()

  const wait = (signal: AbortSignal): Promise<boolean> =>
    new Promise((resolve) => {
      const onAbort = (): void => end(false)
      const end = (admitted: boolean): void => {
        waiting.delete(end)
        signal.removeEventListener('abort', onAbort)
        resolve(admitted)
      }
      signal.addEventListener('abort', onAbort, { once: true })
      waiting.add(end)
    })

  return {
    async run(work, signal) {
      if (signal.aborted) return null
      if (free > 0) free -= 1
      else if (!(await wait(signal))) return null
      try {
        return signal.aborted ? null : await work()
      } finally {
        const [next] = waiting
        if (next) next(true)
        else free += 1
      }
    },
  }
}

/** Runs the tasks of one key one after another, in order; tasks of different keys run at the same time. */
export interface KeyedLimiter {
  /** Settles with `work`. A failed task does not keep the next one from running. */
  run(key: string, work: () => Promise<void>): Promise<void>
  /** Resolves when every task started so far has settled. */
  whenIdle(): Promise<void>
}

/** Creates a limiter that remembers a key only while it has tasks. */
export function createKeyedLimiter(): KeyedLimiter {
  const tails = new Map<string, Promise<void>>()
  return {
    run(key, work) {
      const run = (tails.get(key) ?? Promise.resolve()).then(work, work)
      const tail = run.finally(() => {
        if (tails.get(key) === tail) tails.delete(key)
      })
      tail.catch(() => undefined) // the caller of `run` sees it
      tails.set(key, tail)
      return run
    },
    async whenIdle() {
      await Promise.allSettled(tails.values())
    },
  }
}
