import { ApiError } from './api-error.ts'
import { callAddress, type CallInput, send, type StreamName } from './call.ts'

/** What is heard of a stream. */
export interface StreamListener {
  /** From now on nothing is missed. */
  opened(): void
  /** It is tried again until it is open. */
  broken(): void
  /** The service does not give it; it is asked for again when somebody comes back to the page. */
  refused?(): void
  event(data: string): void
}

const FIRST_MS = 1_000
const LONGEST_MS = 30_000

/**
 * Follows a stream while somebody looks at the page: a browser has few connections for one service. It comes back by
 * itself whatever has ended it; a browser tries again only where nobody answered.
 * @param types The events that are heard.
 * @returns Ends it.
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
    const stream = new EventSource(callAddress(name, input))
    source = stream
    stream.addEventListener('open', () => {
      pauseMs = FIRST_MS
      listener.opened()
    })
    stream.addEventListener('error', () => {
      if (stream.readyState !== EventSource.CLOSED) return listener.broken()
      void isRefusal(name, input).then((isFinal) => {
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
  const look = (): void => {
    if (document.hidden) return close()
    if (source !== null && source.readyState !== EventSource.CLOSED) return
    close()
    open()
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

/** Whether the service itself says no, and not something on the way to it. */
async function isRefusal<N extends StreamName>(name: N, input: CallInput<N>): Promise<boolean> {
  try {
    const { body } = await send(name, input, { headers: { accept: 'text/event-stream' } })
    await body?.cancel()
    return false
  } catch (error) {
    return error instanceof ApiError && error.code !== 'unreadable' && error.status >= 400 && error.status < 500
  }
}
