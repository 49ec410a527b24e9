import type { Clock, Log } from '@gatepost/channels'

/** Server-sent events from a source to one client. */
export interface EventStreamOptions {
  readonly events: (signal: AbortSignal) => Promise<AsyncIterable<{ readonly type: string }>>
  /** Asked again and again: the stream ends when it is not any more. */
  readonly isStillAllowed: () => Promise<boolean>
  /** Ends the stream in good order: the server stops. */
  readonly stopping: AbortSignal
  readonly clock: Clock
  readonly log: Log
  /** Cuts the connection of a client that does not read. */
  readonly drop: () => void
}

const HEARTBEAT_MS = 15_000
/** What may wait for a slow client, in bytes, besides the buffers of the operating system. */
const BACKLOG_BYTES = 256 * 1024

/**
 * A body of server-sent events with a comment every 15 s. It ends when the source ends, the client goes, is not allowed any more, or `stopping`
 * aborts; a client that falls behind is dropped, for its backlog would grow without end.
 */
export function eventStream(options: EventStreamOptions): ReadableStream<Uint8Array> {
  const gone = new AbortController()
  const signal = AbortSignal.any([gone.signal, options.stopping])
  let ended = false
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        const end = (): void => {
          if (ended) return
          ended = true
          controller.close()
        }
        const write = (text: string): void => {
          if (ended) return
          if ((controller.desiredSize ?? 0) > 0) return controller.enqueue(ENCODER.encode(text))
          options.log.warn('A client of an event stream read too slowly and was dropped')
          end()
          gone.abort()
          options.drop()
        }
        signal.addEventListener('abort', end, { once: true })
        if (signal.aborted) return end()
        write(': connected\nretry: 3000\n\n')
        void heartbeat(write, options, signal)
          .then(end, end)
          .finally(() => gone.abort())
        void pump(write, options, signal).finally(() => gone.abort())
      },
      cancel: () => {
        ended = true
        gone.abort()
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: BACKLOG_BYTES }),
  )
}

type Write = (text: string) => void
const ENCODER = new TextEncoder()

async function heartbeat(write: Write, options: EventStreamOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await options.clock.sleep(HEARTBEAT_MS, signal)
    if (signal.aborted) return
    if (!(await isAllowed(options))) return
    write(': still here\n\n')
  }
}

/** A database that is away is no reason to send everybody away. */
async function isAllowed({ isStillAllowed, log }: EventStreamOptions): Promise<boolean> {
  try {
    return await isStillAllowed()
  } catch (error) {
    log.warn('Whether a client may still read events is not known', { error })
    return true
  }
}

async function pump(write: Write, options: EventStreamOptions, signal: AbortSignal): Promise<void> {
  try {
    for await (const event of await options.events(signal)) {
      if (signal.aborted) return
      write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    }
  } catch (error) {
    if (!signal.aborted) options.log.error('The event stream failed', { error })
  }
}
