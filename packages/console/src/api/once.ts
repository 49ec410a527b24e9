import { useRef } from 'react'

/** Runs the work, or returns the promise already running for the same input. */
export type RunOnce = <T>(input: unknown, work: () => Promise<T>) => Promise<T>

/** Ignores a second click that arrives before a busy page shows the first one. */
export function useRunOnce(): RunOnce {
  const underWay = useRef(new Map<string, Promise<unknown>>())
  return <T>(input: unknown, work: () => Promise<T>) => {
    const key = JSON.stringify(input) ?? ''
    const found = underWay.current.get(key) as Promise<T> | undefined // stored for the same input
    if (found !== undefined) return found
    const begun = work().finally(() => underWay.current.delete(key))
    underWay.current.set(key, begun)
    return begun
  }
}
