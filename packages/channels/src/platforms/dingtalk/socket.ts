import type { WebSocket } from 'ws'
import { ConnectionError } from '../../errors.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { describeNetworkError } from '../wire/call.ts'
import { filled, type Json, object, parseJson, text } from '../wire/json.ts'

/** What a socket needs from its owner. */
export interface SocketHooks {
  readonly io: Pick<PlatformIo, 'clock' | 'log'>
  /** Stores a message. Only when it has resolved is the message confirmed. */
  readonly take: (data: string) => Promise<void>
  readonly alive: () => void
  /** A message could not be stored: nothing more can be received. */
  readonly failed: (error: unknown) => void
}

/** One stream, open until it ends on its own or by `retire`. */
export interface StreamSocket {
  readonly openedAtMs: number
  /** Resolves when the server is about to close it: a new one is to be opened. */
  readonly renew: Promise<void>
  /** Why it ended, in words. */
  readonly ended: Promise<string>
  /** Confirms what is being stored, then closes. */
  retire(): Promise<void>
}

const HANDSHAKE_MS = 10_000
const PING_MS = 25_000
const UNANSWERED_PINGS = 2
/** How long to wait for the peer to answer the close. */
const CLOSING_MS = 1_000
/** Far above any message; a larger frame ends the socket. */
const FRAME_BYTES = 4 * 1024 * 1024
/** Messages waiting to be stored; DingTalk redelivers those beyond. */
const MAX_WAITING = 200

/** @throws {ConnectionError} `network`; the URL, which holds the ticket, is in no message. */
export async function openSocket(url: URL, hooks: SocketHooks, signal: AbortSignal): Promise<StreamSocket> {
  const { WebSocket } = await import('ws') // only a service that uses DingTalk pays for it
  const opened = Promise.withResolvers<void>()
  const socket = new WebSocket(url, {
    handshakeTimeout: HANDSHAKE_MS,
    maxPayload: FRAME_BYTES,
    perMessageDeflate: false,
    followRedirects: false,
  })
  const stop = (): void => socket.terminate()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const stream = new Stream(socket, hooks)
  socket.once('open', opened.resolve)
  void stream.ended.then((why) => opened.reject(new ConnectionError('network', `Couldn't open the stream: ${why}.`)))
  try {
    await opened.promise
  } finally {
    signal.removeEventListener('abort', stop)
  }
  stream.start()
  return stream
}

class Stream implements StreamSocket {
  readonly renew: Promise<void>
  readonly ended: Promise<string>
  openedAtMs = 0
  readonly #socket: WebSocket
  readonly #hooks: SocketHooks
  readonly #closed = new AbortController()
  readonly #requestRenewal: () => void
  #why: string | null = null
  #unanswered = 0
  #waiting = 0
  #hasFailed = false
  #stored: Promise<void> = Promise.resolve()

  constructor(socket: WebSocket, hooks: SocketHooks) {
    const renew = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<string>()
    this.renew = renew.promise
    this.ended = ended.promise
    this.#requestRenewal = renew.resolve
    this.#socket = socket
    this.#hooks = hooks
    socket.on('error', (error) => {
      // of its words only these are known to hold no URL
      const recordRefusal = /^Unexpected server response: \d{3}$|^Max payload size exceeded$/.exec(error.message)?.[0]
      this.#why ??= recordRefusal ?? describeNetworkError(error)
    })
    socket.once('close', (code) => {
      this.#closed.abort(null) // without a reason, it would create an error with a stack
      ended.resolve(this.#why ?? `closed with code ${code}`)
    })
    socket.on('message', (data: Buffer) => this.#onFrame(data.toString('utf8')))
    socket.on('pong', () => this.#heard())
  }

  start(): void {
    this.openedAtMs = this.#hooks.io.clock.now()
    this.#heard()
    void this.#beat()
  }

  async retire(): Promise<void> {
    await this.#stored
    this.#socket.close(1000)
    await this.#hooks.io.clock.sleep(CLOSING_MS, this.#closed.signal)
    this.#socket.terminate()
    await this.ended
    await this.#stored // what came while it was being closed
  }

  /** The server's pings do not show whether our direction of the connection works. */
  async #beat(): Promise<void> {
    const { clock } = this.#hooks.io
    for (;;) {
      await clock.sleep(PING_MS, this.#closed.signal)
      if (this.#closed.signal.aborted) return
      if (this.#unanswered >= UNANSWERED_PINGS) {
        this.#why = `${UNANSWERED_PINGS} pings went unanswered`
        return this.#socket.terminate()
      }
      this.#unanswered++
      if (this.#isOpen()) this.#socket.ping()
    }
  }

  #heard(): void {
    this.#unanswered = 0
    this.#hooks.alive()
  }

  #onFrame(raw: string): void {
    this.#heard()
    const frame = readFrame(raw)
    if (frame === null) return this.#hooks.io.log.warn('Dropped a malformed DingTalk frame')
    if (frame.type === 'CALLBACK' && frame.topic === BOT_MESSAGES) return this.#onMessage(frame)
    if (frame.type === 'SYSTEM' && frame.topic === 'disconnect') return this.#requestRenewal()
    const answer = answerTo(frame)
    if (answer !== null) this.#answer(answer)
  }

  #onMessage(frame: Frame): void {
    if (this.#hasFailed) return
    if (this.#waiting >= MAX_WAITING) return this.#answer(answerFrame(frame, 500, {}))
    this.#waiting++
    this.#stored = this.#stored.then(() => this.#store(frame))
  }

  async #store(frame: Frame): Promise<void> {
    try {
      if (this.#hasFailed) return
      await this.#hooks.take(frame.data)
      this.#answer(answerFrame(frame, 200, { response: null }))
    } catch (error) {
      this.#hasFailed = true
      this.#answer(answerFrame(frame, 500, {}))
      this.#hooks.failed(error)
    } finally {
      this.#waiting--
    }
  }

  #answer(frame: string): void {
    if (this.#isOpen()) this.#socket.send(frame)
  }

  #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN
  }
}

/** A frame of the stream, as the server sends it. */
interface Frame {
  readonly type: string
  readonly topic: string
  /** Of the frame, not of a message in it: a repetition has a new one. */
  readonly messageId: string
  /** JSON text. */
  readonly data: string
}

/** Topic of messages to the bot. */
export const BOT_MESSAGES = '/v1.0/im/bot/messages/get'
/** Topic of card actions. */
export const CARD_ACTIONS = '/v1.0/card/instances/callback'

/** Parses a frame; `null` when it is malformed. */
function readFrame(raw: string): Frame | null {
  const frame = object(parseJson(raw))
  const headers = object(frame?.['headers'])
  const type = filled(frame?.['type'])
  if (frame === undefined || type === undefined || headers === undefined) return null
  return {
    type,
    topic: text(headers['topic']) ?? '',
    messageId: text(headers['messageId']) ?? '',
    data: text(frame['data']) ?? '',
  }
}

/** Returns the response to a frame, or `null`. Messages are not acknowledged here: they are stored first. */
function answerTo(frame: Frame): string | null {
  if (frame.type === 'SYSTEM') {
    return frame.topic === 'ping' ? answerFrame(frame, 200, object(parseJson(frame.data)) ?? {}) : null
  }
  if (frame.type === 'EVENT') return answerFrame(frame, 200, { status: 'SUCCESS' })
  if (frame.type !== 'CALLBACK') return null
  return frame.topic === CARD_ACTIONS ? answerFrame(frame, 200, { response: {} }) : answerFrame(frame, 404, {})
}

const WORDS = { 200: 'OK', 404: 'not found', 500: 'not stored' } as const

const answerFrame = ({ messageId }: Frame, code: keyof typeof WORDS, data: Json): string =>
  JSON.stringify({
    code,
    message: WORDS[code],
    headers: { messageId, contentType: 'application/json' },
    data: JSON.stringify(data),
  })
