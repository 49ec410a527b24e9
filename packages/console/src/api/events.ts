import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import type { Event } from './gateway-api.ts'
import { followStream } from './live-stream.ts'

/** Whether what happens is heard: `broken` while the service cannot be reached. */
export type Line = 'connecting' | 'open' | 'broken'

type Listener = (event: Event) => void

const listeners = new Set<Listener>()
const watchers = new Set<() => void>()
let line: Line = 'connecting'

function become(next: Line): void {
  line = next
  for (const changed of watchers) changed()
}

/**
 * One stream for the whole tab.
 * @param opened Called when it is heard what happens: what was asked for before may be old. `isAgain`: after a while in
 * which anything may have happened, or because the stream is refused.
 */
export function startEvents(opened: (isAgain: boolean) => void): () => void {
  let hasOpened = false
  return followStream('streamEvents', {}, ['state', 'message', 'delivery'], {
    opened() {
      become('open')
      opened(hasOpened)
      hasOpened = true
    },
    broken: () => become('broken'),
    refused() {
      become('connecting')
      opened(true)
    },
    event: tell,
  })
}

function tell(data: string): void {
  const event = JSON.parse(data) as Event // the service writes it by the schema that the type is made from
  for (const listener of listeners) listener(event)
}

/** Calls `listener` for everything that happens on the channels of the account that is looked at. */
export function useEvents(listener: Listener): void {
  const heard = useEffectEvent(listener)
  useEffect(() => {
    const listen = (event: Event): void => heard(event)
    listeners.add(listen)
    return () => void listeners.delete(listen)
  }, [])
}

/** Whether what happens is heard. */
export const useLine = (): Line =>
  useSyncExternalStore(
    (changed) => {
      watchers.add(changed)
      return () => watchers.delete(changed)
    },
    () => line,
  )
