import { ApiError } from './api-error.ts'
import { callAddress, type CallInput, sendRequest, type StreamName } from './call.ts'

/** Callbacks of a stream. */
export interface StreamListener {
  /** No event is missed from here on. */
  opened(): void
  /** The connection was lost; it is retried until it opens. */
  broken(): void
  /** The service refuses the stream. It is requested again when the page becomes visible. */
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

/** Reports whether the service itself refuses the stream, rather than something in between. */
async function isRefusal<N extends StreamName>(name: N, input: CallInput<N>): Promise<boolean> {
  try {
    const { body } = await sendRequest(name, input, { headers: { accept: 'text/event-stream' } })
    await body?.cancel()
    return false
  } catch (error) {
    return error instanceof ApiError && error.code !== 'unreadable' && error.status >= 400 && error.status < 500
  }
}
