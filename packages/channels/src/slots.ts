/** At most `size` at a time; the others wait in order. */
export interface Slots {
  run<R>(work: () => Promise<R>): Promise<R>
}

export function createSlots(size: number): Slots {
  let free = size
  const waiting: (() => void)[] = []
  return {
    async run(work) {
      if (free > 0) free -= 1
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next) next()
        else free += 1
      }
    },
  }
}
