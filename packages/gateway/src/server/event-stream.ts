import type { Clock, Log } from '@gatepost/channels'

/** Options of an event stream. */
export interface EventStreamOptions {
  readonly events: (signal: AbortSignal) => Promise<AsyncIterable<{ readonly type: string }>>
  /** Checked regularly; the stream ends once it returns `false`. */
  readonly isStillAllowed: () => Promise<boolean>
  /** Ends the stream when the server stops. */
  readonly stopping: AbortSignal
  readonly clock: Clock
  readonly log: Log
  /** Closes the connection of a client that doesn't read. */
  readonly drop: () => void
}

const HEARTBEAT_MS = 15_000
/** Maximum number of bytes buffered for a slow client. */
const BACKLOG_BYTES = 256 * 1024

/**
 * Returns a body of server-sent events with a heartbeat comment every 15 s. It ends with the source, when the client
 * disconnects or loses permission, or when `stopping` aborts. Applies backpressure and drops clients that don't read.
 */
export function eventStream(options: EventStreamOptions): ReadableStream<Uint8Array> {
  const gone = new AbortController()
  const signal = AbortSignal.any([gone.signal, options.stopping])
  let ended = false
  let taken = false
  let wake: () => void = () => undefined
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        const end = (): void => {
          if (!ended) controller.close()
          ended = true
          wake()
        }
        const hasRoom = (): boolean => ended || (controller.desiredSize ?? 0) > 0
        const client: Client = {
          write: (text) => {
            if (!ended) controller.enqueue(ENCODER.encode(text))
          },
          async room() {
            while (!hasRoom()) await new Promise<void>((resolve) => (wake = resolve))
          },
          isStuck() {
            const isStuck = !hasRoom() && !taken
            taken = false
            return isStuck
          },
        }
        signal.addEventListener('abort', end, { once: true })
        if (signal.aborted) return end()
        client.write(': connected\nretry: 3000\n\n')
        for (const work of [heartbeat, pump]) void work(client, options, signal).finally(() => gone.abort())
      },
      pull: () => {
        taken = true
        wake()
      },
      cancel: () => {
        ended = true
        gone.abort()
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: BACKLOG_BYTES }),
  )
}

/** The reading client. */
interface Client {
  write(text: string): void
  /** Resolves when the buffer has drained enough, or the client is gone. */
  room(): Promise<void>
  /** Whether the client has read nothing since the last call, with much data waiting. */
  isStuck(): boolean
}
const ENCODER = new TextEncoder()

async function heartbeat(client: Client, options: EventStreamOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await options.clock.sleep(HEARTBEAT_MS, signal)
    if (signal.aborted || !(await isAllowed(options))) return
    if (client.isStuck()) {
      options.log.warn('Dropped a client that reads its event stream too slowly')
      return options.drop()
    }
    client.write(': still here\n\n')
  }
}

/** Keeps streams open while the database is unavailable. */
async function isAllowed({ isStillAllowed, log }: EventStreamOptions): Promise<boolean> {
  try {
    return await isStillAllowed()
  } catch (error) {
    log.warn("Couldn't check whether a client may still read events", { error })
    return true
  }
}

async function pump(client: Client, options: EventStreamOptions, signal: AbortSignal): Promise<void> {
  try {
    for await (const event of await options.events(signal)) {
      await client.room()
      if (signal.aborted) return
      client.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    }
  } catch (error) {
    if (!signal.aborted) options.log.error('The event stream failed', { error })
  }
}
