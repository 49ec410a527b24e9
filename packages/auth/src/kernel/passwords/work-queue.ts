import { AuthError } from '../../errors.ts'

/** Dear work, in the order of its coming. */
export interface WorkQueue {
  /** @throws {AuthError} `overloaded` (503, with Retry-After) when too much waits; and what `work` throws */
  run<T>(work: () => Promise<T>): Promise<T>
}

/** @param limits How much runs at once, and how much more may wait. */
export function createWorkQueue(limits: { readonly atOnce: number; readonly waiting: number }): WorkQueue {
  let running = 0
  const waiting: (() => void)[] = []
  const turn = (): Promise<void> => {
    if (running < limits.atOnce) {
      running += 1
      return Promise.resolve()
    }
    if (waiting.length >= limits.waiting) throw new AuthError('overloaded', { headers: { 'Retry-After': '5' } })
    // The place passes from the one that ends to the one that has waited longest: `running` stays as it is.
    return new Promise((resolve) => waiting.push(resolve))
  }
  const leave = (): void => {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
  return {
    async run(work) {
      await turn()
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
