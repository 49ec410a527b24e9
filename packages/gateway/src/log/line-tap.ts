import type { LineSink } from './log.ts'

/** A sink that keeps nothing and tells who listens that there is a line. */
export interface LineTap extends LineSink {
  /** @returns Ends it. */
  onLine(wake: () => void): () => void
}

export function lineTap(): LineTap {
  const listeners = new Set<() => void>()
  return {
    write: () => listeners.forEach((wake) => wake()),
    flush: () => undefined,
    close: () => undefined,
    onLine(wake) {
      const listener = (): void => wake()
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
