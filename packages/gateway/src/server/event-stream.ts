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
 * A body of server-sent events with a comment every 15 s. It ends when the source ends, the client goes, is not allowed
 * any more, or `stopping` aborts. The source waits for a client that is slower; one that takes nothing is dropped.
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

/** Who reads. */
interface Client {
  write(text: string): void
  /** Resolves when they have taken enough of what waits for them, or are gone. */
  room(): Promise<void>
  /** Whether they have taken nothing since this was asked last, though much waits. */
  isStuck(): boolean
}
const ENCODER = new TextEncoder()

async function heartbeat(client: Client, options: EventStreamOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await options.clock.sleep(HEARTBEAT_MS, signal)
    if (signal.aborted || !(await isAllowed(options))) return
    if (client.isStuck()) {
      options.log.warn('A client of an event stream read too slowly and was dropped')
      return options.drop()
    }
    client.write(': still here\n\n')
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
