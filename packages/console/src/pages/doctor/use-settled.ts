import { useRef } from 'react'
import { useEvents } from '../../api/events.ts'

const PATIENCE_MS = 8_000
/** Transient states. */
const PASSING: ReadonlySet<string> = new Set(['stopped', 'connecting'])

/**
 * Returns a function that resolves once a started channel has reached a stable state, or after a timeout. Call it
 * before starting the channel, so that no event is missed.
 */
export function useStableState(): (platform: string) => Promise<void> {
  const waiting = useRef(new Set<(platform: string) => void>())
  useEvents((event) => {
    if (event.type !== 'state' || PASSING.has(event.state)) return
    for (const settle of waiting.current) settle(event.platform)
  })
  return (platform) =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        waiting.current.delete(settle)
        resolve()
      }
      const settle = (of: string): void => {
        if (of === platform) end()
      }
      const timer = setTimeout(end, PATIENCE_MS)
      waiting.current.add(settle)
    })
}
