import { useRef } from 'react'

/** Does what it is given, or hands out what is under way of the same input. */
export type Once = <T>(input: unknown, work: () => Promise<T>) => Promise<T>

/** Lets a second press, which a busy page hears before it can show the first one, begin nothing. */
export function useOnce(): Once {
  const underWay = useRef(new Map<string, Promise<unknown>>())
  return <T>(input: unknown, work: () => Promise<T>) => {
    const key = JSON.stringify(input) ?? ''
    const found = underWay.current.get(key) as Promise<T> | undefined // of the same input
    if (found !== undefined) return found
    const begun = work().finally(() => underWay.current.delete(key))
    underWay.current.set(key, begun)
    return begun
  }
}
