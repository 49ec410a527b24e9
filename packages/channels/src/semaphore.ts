/** At most `size` at a time; the others wait in order. */
export interface Slots {
  /** `null` when `signal` aborts before the turn of `work` has come. */
  run<R>(work: () => Promise<R>, signal: AbortSignal): Promise<R | null>
}

export function createSlots(size: number): Slots {
  let free = size
  const waiting = new Set<(served: boolean) => void>()

  const inTurn = (signal: AbortSignal): Promise<boolean> =>
    new Promise((resolve) => {
      const leave = (): void => end(false)
      const end = (served: boolean): void => {
        waiting.delete(end)
        signal.removeEventListener('abort', leave)
        resolve(served)
      }
      signal.addEventListener('abort', leave, { once: true })
      waiting.add(end)
    })

  return {
    async run(work, signal) {
      if (signal.aborted) return null
      if (free > 0) free -= 1
      else if (!(await inTurn(signal))) return null
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
