import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import type { PlatformIo } from '../../platform-io.ts'
import { filled, integer, type Json, object, parseJson } from '../wire/json.ts'
import { CONTROL, DATA, type Frame, type FrameCodec, openFragments, openFrameCodec } from './frame.ts'

/**
 * By event type. Each is handed the members of an event with those of its header, and resolves when the event may be
 * confirmed; when it rejects, the platform is asked to redeliver it.
 */
export type Handlers = Readonly<Record<string, (event: Json) => Promise<void>>>

interface SocketOptions {
  readonly url: URL
  readonly pingMs: number
  readonly io: Pick<PlatformIo, 'clock' | 'log' | 'lookup'>
  readonly handlers: Handlers
}

/** The long connection, open. */
export interface LongConnection {
  /** As the platform last said. */
  readonly pingMs: number
  /** How many bytes have come in: more than at the last look is a heartbeat. */
  received(): number
  /** Resolves when the platform, the network or `close` ended it, or when a ping stayed unanswered. */
  readonly ended: Promise<void>
  /** What has been handed over to be sent, acknowledgements too, still goes out. */
  close(): void
}

const HANDSHAKE_MS = 15_000
/** Of the ping interval: a line that is silent for so long after a ping is dead. */
const PONG_SHARE = 0.75
/** Far above any frame; a larger one ends the line. */
const FRAME_BYTES = 4 * 1024 * 1024
/** Events that are being stored; those beyond come again later. */
const MAX_AT_ONCE = 200

/** A line could not be opened. */
export class HandshakeFailed extends Error {
  override readonly name = 'HandshakeFailed'
  /** The platform's own code where it gave one. */
  readonly code: number | null
  constructor(code: number | null) {
    super("Couldn't open the long connection.")
    this.code = code
  }
}

/** @throws {HandshakeFailed} also when stopped; the URL, which is as good as a password, stands in no error. */
export async function openSocket(options: SocketOptions, signal: AbortSignal): Promise<LongConnection> {
  const [{ WebSocket }, codec] = await Promise.all([import('ws'), openFrameCodec()]) // loaded only where Feishu is used
  const socket = new WebSocket(options.url, {
    handshakeTimeout: HANDSHAKE_MS,
    maxPayload: FRAME_BYTES,
    perMessageDeflate: false,
    followRedirects: false,
    ...(options.io.lookup && { lookup: options.io.lookup }),
  })
  const opened = Promise.withResolvers<void>()
  let code: number | null = null
  const line = new FrameConnection(socket, codec, options)
  const stop = (): void => socket.terminate()
  socket.once('unexpected-response', (_request, response) => {
    code = readHandshakeCode(response)
    stop() // with this listener nobody else does
  })
  socket.once('open', opened.resolve)
  void line.ended.then(() => opened.reject(new HandshakeFailed(code)))
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    await opened.promise
  } finally {
    signal.removeEventListener('abort', stop)
  }
  void line.beat()
  return line
}

/** Why the platform refused the upgrade: the reason of a failed sign-in before the status of all. */
function readHandshakeCode({ headers }: IncomingMessage): number | null {
  const named = [headers['handshake-autherrcode'], headers['handshake-status']].map(Number)
  return named.find((code) => Number.isSafeInteger(code) && code > 0) ?? null
}

class FrameConnection implements LongConnection {
  readonly ended: Promise<void>
  pingMs: number
  readonly #options: SocketOptions
  readonly #socket: WebSocket
  readonly #closed = new AbortController()
  readonly #codec: FrameCodec
  readonly #fragments = openFragments()
  readonly #service: number
  readonly #handlers: ReadonlyMap<string, Handlers[string]>
  #handled = 0
  #wire: Socket | null = null

  constructor(socket: WebSocket, codec: FrameCodec, options: SocketOptions) {
    this.#codec = codec
    const ended = Promise.withResolvers<void>()
    this.ended = ended.promise
    this.pingMs = options.pingMs
    this.#options = options
    this.#socket = socket
    this.#handlers = new Map(Object.entries(options.handlers))
    this.#service = Number(/^\d{1,9}$/.exec(options.url.searchParams.get('service_id') ?? '')?.[0] ?? 0)
    socket.once('upgrade', (response) => {
      this.#wire = response.socket
    })
    // it is closed after that; the words of such errors can hold the URL
    socket.on('error', () => undefined)
    socket.once('close', () => {
      this.#closed.abort(null)
      ended.resolve()
    })
    socket.on('message', (data: Buffer) => this.#onFrame(data))
  }

  received(): number {
    return this.#wire?.bytesRead ?? 0
  }

  close(): void {
    this.#closed.abort(null) // without a reason, it would create an error with a stack
    if (this.#socket.readyState === this.#socket.CONNECTING) return this.#socket.terminate()
    this.#socket.close(1000)
    this.#wire?.destroySoon() // a peer that is gone never answers the closing
  }

  /** Pings until the line has ended, and ends it when nothing comes after one. */
  async beat(): Promise<void> {
    const { clock } = this.#options.io
    const over = this.#closed.signal
    for (;;) {
      const before = this.received()
      this.#send({ ...EMPTY, service: this.#service, method: CONTROL, headers: new Map([['type', 'ping']]) })
      const { pingMs } = this
      await clock.sleep(pingMs * PONG_SHARE, over)
      if (over.aborted) return
      if (this.received() === before) return this.#socket.terminate()
      await clock.sleep(pingMs * (1 - PONG_SHARE), over)
      if (over.aborted) return
    }
  }

  #onFrame(data: Buffer): void {
    const frame = this.#codec.read(data)
    if (frame === null) return this.#drop('a malformed frame')
    const type = frame.headers.get('type')
    if (frame.method === CONTROL && type === 'pong') return this.#onPong(frame)
    if (frame.method !== DATA) return
    // callbacks of cards are not subscribed to, and who does not answer them in time must not confirm them
    if (type !== 'event') return this.#drop('a frame of another kind')
    const payload = this.#fragments.join(frame, this.#options.io.clock.now())
    if (payload === null) return
    if (this.#handled >= MAX_AT_ONCE) return this.#confirm(frame, 500, 0)
    void this.#onEvent(frame, payload)
  }

  /** It may bring new settings. */
  #onPong({ payload }: Frame): void {
    if (payload !== undefined) this.pingMs = readPingMs(parseJson(decode(payload))) ?? this.pingMs
  }

  async #onEvent(frame: Frame, payload: Uint8Array): Promise<void> {
    const { clock, log } = this.#options.io
    const beganAtMs = clock.now()
    let code: 200 | 500 = 200
    this.#handled += 1
    try {
      await this.#handle(object(parseJson(decode(payload))))
    } catch (error) {
      code = 500
      log.debug('Asking Feishu to redeliver an event', { why: error instanceof Error ? error.name : 'unknown' })
    } finally {
      this.#handled -= 1
    }
    this.#confirm(frame, code, Math.max(0, clock.now() - beganAtMs))
  }

  /** The same frame goes back. @param code With 500 the event comes again. */
  #confirm(frame: Frame, code: 200 | 500, tookMs: number): void {
    const headers = new Map([...frame.headers, ['biz_rt', String(tookMs)]])
    this.#send({ ...frame, headers, payload: Buffer.from(JSON.stringify({ code })) })
  }

  /** Unhandled events are confirmed too: they would be redelivered for hours. */
  async #handle(whole: Json | undefined): Promise<void> {
    const header = object(whole?.['header'])
    const event = object(whole?.['event'])
    const type = filled(header?.['event_type'])
    if (event === undefined || type === undefined) return this.#drop('a malformed event')
    await this.#handlers.get(type)?.({ ...header, ...event })
  }

  #drop(what: string): void {
    this.#options.io.log.warn('Dropped data from Feishu', { what })
  }

  #send(frame: Frame): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(this.#codec.write(frame))
  }
}

const EMPTY = { seqId: 0n, logId: 0n } as const

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const LONGEST_SECONDS = 600

/** The interval that a client configuration of the platform asks for, ms; `null` when it asks for none that makes sense. */
export function readPingMs(configuration: unknown): number | null {
  const seconds = integer(object(configuration)?.['PingInterval'])
  return seconds !== undefined && seconds >= 1 && seconds <= LONGEST_SECONDS ? seconds * 1_000 : null
}
