import { useRef } from 'react'
import { useEvents } from '../../api/events.ts'

const PATIENCE_MS = 8_000
/** On the way to another state. */
const PASSING: ReadonlySet<string> = new Set(['stopped', 'connecting'])

/**
 * Tells when a channel that was started has come to a state that stays. Ask before the start, so that nothing is
 * missed; whoever hears nothing goes on after some seconds.
 */
export function useSettled(): (platform: string) => Promise<void> {
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
