/** Values on their way to a page. */
export interface Batches<T> {
  add(value: T): void
  /** Drops what has not been passed on. */
  stop(): void
}

/**
 * Passes values on in batches, `waitMs` after the first of each. Holds them outside of React's state: an update of the
 * state that a pending render has not seen yet would be lost with the next one.
 */
export function createBatches<T>(waitMs: number, passOn: (values: readonly T[]) => void): Batches<T> {
  let values: T[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const handOver = (): void => {
    const batch = values
    values = []
    timer = undefined
    passOn(batch)
  }
  return {
    add(value) {
      values.push(value)
      timer ??= setTimeout(handOver, waitMs)
    },
    stop() {
      clearTimeout(timer)
      timer = undefined
      values = []
    },
  }
}
