import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import type { Event } from './gateway-api.ts'
import { followStream } from './live-stream.ts'

/** State of the event stream: `broken` while the service can't be reached. */
export type StreamState = 'connecting' | 'open' | 'broken'

type Listener = (event: Event) => void

const listeners = new Set<Listener>()
const watchers = new Set<() => void>()
let streamState: StreamState = 'connecting'

function setStreamState(next: StreamState): void {
  streamState = next
  for (const changed of watchers) changed()
}

/**
 * Opens the tab's event stream.
 * @param opened Called when the stream opens: earlier responses may be stale. `isAgain` is true after a gap in which anything
 * may have happened, or when the service refuses the stream.
 */
export function startEvents(opened: (isAgain: boolean) => void): () => void {
  let hasOpened = false
  return followStream('streamEvents', {}, ['state', 'message', 'delivery'], {
    opened() {
      setStreamState('open')
      opened(hasOpened)
      hasOpened = true
    },
    broken: () => setStreamState('broken'),
    refused() {
      setStreamState('connecting')
      opened(true)
    },
    event: dispatchEvent,
  })
}

function dispatchEvent(data: string): void {
  const event = JSON.parse(data) as Event // the type is generated from the service's schema
  for (const listener of listeners) listener(event)
}

/** Calls `listener` for every event on the channels of the viewed account. */
export function useEvents(listener: Listener): void {
  const heard = useEffectEvent(listener)
  useEffect(() => {
    const listen = (event: Event): void => heard(event)
    listeners.add(listen)
    return () => void listeners.delete(listen)
  }, [])
}

/** Returns the state of the event stream. */
export const useStreamState = (): StreamState =>
  useSyncExternalStore(
    (changed) => {
      watchers.add(changed)
      return () => watchers.delete(changed)
    },
    () => streamState,
  )
