import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import { callAddress } from './call.ts'
import type { Event } from './gateway-api.ts'

/** Whether what happens is heard: `broken` while the service cannot be reached. */
export type Line = 'connecting' | 'open' | 'broken'

type Listener = (event: Event) => void

const listeners = new Set<Listener>()
const watchers = new Set<() => void>()
let source: EventSource | null = null
let line: Line = 'connecting'

/**
 * One stream for the whole tab, and none while nobody looks at it: a browser has few connections for one service.
 * @param opened Called when it is heard what happens: what was asked for before may be old. `isAgain`: after a while in
 * which anything may have happened, or because the stream is refused.
 */
export function startEvents(opened: (isAgain: boolean) => void): () => void {
  let hasOpened = false
  const become = (next: Line): void => {
    line = next
    for (const changed of watchers) changed()
  }
  const open = (): void => {
    const stream = new EventSource(callAddress('streamEvents', { query: {} }))
    source = stream
    stream.addEventListener('open', () => {
      become('open')
      opened(hasOpened)
      hasOpened = true
    })
    stream.addEventListener('error', () => {
      become('broken')
      // the browser tries again by itself, unless the answer was a refusal
      if (stream.readyState === EventSource.CLOSED) opened(true)
    })
    for (const type of ['state', 'message', 'delivery'] as const) stream.addEventListener(type, tell)
  }
  const close = (): void => {
    source?.close()
    source = null
  }
  const look = (): void => {
    if (document.hidden) close()
    else if (source === null || source.readyState === EventSource.CLOSED) open()
  }
  document.addEventListener('visibilitychange', look)
  window.addEventListener('online', look)
  look()
  return () => {
    document.removeEventListener('visibilitychange', look)
    window.removeEventListener('online', look)
    close()
  }
}

function tell({ data }: MessageEvent<string>): void {
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
