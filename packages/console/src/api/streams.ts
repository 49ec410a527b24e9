import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import { ApiError, callUrl, type CallInput, sendRequest, type StreamName } from './client.ts'
import type { Event, LogLine } from './gateway-api.ts'

/** Callbacks of a stream. */
interface StreamListener {
  /** Called when the stream opens. No event is missed from here on. */
  opened(): void
  /** Called when the connection is lost. It is retried until it opens. */
  broken(): void
  /** Called when the service rejects the stream. It is requested again when the page becomes visible. */
  refused?(): void
  event(data: string): void
}

const FIRST_MS = 1_000
const LONGEST_MS = 30_000

/**
 * Follows a stream while the page is visible, since a browser allows few connections per host. Reconnects after any
 * failure; the browser alone reconnects only after network errors.
 * @param types Event types to listen for.
 * @returns A function that ends it.
 */
export function followStream<N extends StreamName>(
  name: N,
  input: CallInput<N>,
  types: readonly string[],
  listener: StreamListener,
): () => void {
  let source: EventSource | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let pauseMs = FIRST_MS
  const open = (): void => {
    const stream = new EventSource(callUrl(name, input))
    source = stream
    stream.addEventListener('open', () => {
      pauseMs = FIRST_MS
      listener.opened()
    })
    stream.addEventListener('error', () => {
      if (stream.readyState !== EventSource.CLOSED) return listener.broken()
      void isRejection(name, input).then((isFinal) => {
        if (source !== stream) return
        if (isFinal) return listener.refused?.()
        listener.broken()
        timer = setTimeout(open, pauseMs)
        pauseMs = Math.min(pauseMs * 2, LONGEST_MS)
      })
    })
    for (const type of types) stream.addEventListener(type, ({ data }: MessageEvent<string>) => listener.event(data))
  }
  const close = (): void => {
    clearTimeout(timer)
    source?.close()
    source = null
  }
  const syncWithPage = (): void => {
    if (document.hidden) return close()
    if (source !== null && source.readyState !== EventSource.CLOSED) return
    close()
    open()
  }
  document.addEventListener('visibilitychange', syncWithPage)
  window.addEventListener('online', syncWithPage)
  syncWithPage()
  return () => {
    document.removeEventListener('visibilitychange', syncWithPage)
    window.removeEventListener('online', syncWithPage)
    close()
  }
}

/** Reports whether the service itself rejects the stream, rather than a proxy. */
async function isRejection<N extends StreamName>(name: N, input: CallInput<N>): Promise<boolean> {
  try {
    const { body } = await sendRequest(name, input, { headers: { accept: 'text/event-stream' } })
    await body?.cancel()
    return false
  } catch (error) {
    return error instanceof ApiError && error.code !== 'unreadable' && error.status >= 400 && error.status < 500
  }
}

/** State of the event stream: `broken` while the service can't be reached. */
type StreamState = 'connecting' | 'open' | 'broken'

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
 * @param opened Called when the stream opens, since earlier responses may be stale. `isReconnect` is true after a gap, or
 * when the service rejects the stream.
 */
export function startEvents(opened: (isReconnect: boolean) => void): () => void {
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
  const onEvent = useEffectEvent(listener)
  useEffect(() => {
    const listen = (event: Event): void => onEvent(event)
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

/** Callbacks of the live log. */
interface LogListener {
  /** Called when the stream opens. No line is missed from here on; earlier ones have to be fetched. */
  opened(): void
  line(line: LogLine): void
  broken(): void
}

/** Follows the log while `on` and while the page is visible. */
export function useLiveLog(on: boolean, listener: LogListener): void {
  const opened = useEffectEvent(() => listener.opened())
  const broken = useEffectEvent(() => listener.broken())
  const onLine = useEffectEvent((data: string) => {
    const { line } = JSON.parse(data) as { line: LogLine } // the type is generated from the service's schema
    listener.line(line)
  })
  useEffect(() => {
    if (!on) return
    return followStream('streamLogs', {}, ['line'], {
      opened: () => opened(),
      broken: () => broken(),
      event: (data) => onLine(data),
    })
  }, [on])
}
