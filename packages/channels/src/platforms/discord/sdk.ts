import type { RESTOptions, ResponseLike, RouteLike } from '@discordjs/rest'
import type { SessionInfo, WebSocketShard } from '@discordjs/ws'
import { integer, object, text } from '../wire/json.ts'
import type { DiscordFailure } from './outcome.ts'

/** One call of the REST interface. */
export interface RestCall {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** With a leading slash, after the version. */
  readonly path: RouteLike
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>>
  readonly file?: { readonly name: string; readonly mime: string; readonly bytes: Uint8Array }
}

/** Performs one request of the library's; what it throws comes out of `Rest.call` as it is. */
export type Perform = (url: string, init: RequestInit) => Promise<Response>

/** Discord's REST API. */
export interface Rest {
  /** @throws what `Perform` throws, and errors of the library: see `readFailure`. */
  call(call: RestCall, signal: AbortSignal): Promise<unknown>
  /** Reads an error of the library; `null` for any other error. */
  readFailure(error: unknown): DiscordFailure | null
}

/** Each call is limited by its own signal: the library's time is only a last resort. */
const LAST_RESORT_MS = 30 * 60_000
const MAX_HANDLERS = 1_000
const LONGEST_WAIT_MS = 86_400_000
const NO_HINT_WAIT_MS = 5_000

/**
 * The library keeps the buckets of the rate limits and never waits for one: it says how long, and the outbox waits.
 * Nothing is repeated here either.
 * @param apiUrl Without a version and a trailing slash.
 */
export async function openRest(token: string, apiUrl: string, perform: Perform): Promise<Rest> {
  const { REST, RateLimitError, DiscordAPIError, HTTPError, makeURLSearchParams } = await import('@discordjs/rest')
  const makeRequest: RESTOptions['makeRequest'] = async (url, init) => {
    const request = init as unknown as RequestInit // undici's own type of the same thing
    const response: ResponseLike = await perform(url, request)
    return response
  }
  const rest = new REST({
    version: '10',
    api: apiUrl,
    makeRequest,
    retries: 0,
    timeout: LAST_RESORT_MS,
    rejectOnRateLimit: () => true,
    // timers that nothing would ever end
    hashSweepInterval: 0,
    handlerSweepInterval: 0,
  }).setToken(token)
  return {
    call({ method, path, query, body, file }, signal) {
      if (rest.handlers.size > MAX_HANDLERS) rest.handlers.sweep((handler) => handler.inactive)
      return rest.request({
        // the library's own names of the same methods
        method: method as Parameters<typeof rest.request>[0]['method'],
        fullRoute: path,
        signal,
        ...(query === undefined ? {} : { query: makeURLSearchParams(query) }),
        ...(body === undefined ? {} : { body }),
        ...(file === undefined
          ? {}
          : { files: [{ name: file.name, data: Buffer.from(file.bytes), contentType: file.mime }] }),
      })
    },
    readFailure(error) {
      if (error instanceof RateLimitError) {
        const hintMs = error.retryAfter > 0 ? error.retryAfter : NO_HINT_WAIT_MS
        const retryAfterMs = Math.ceil(Math.min(hintMs, LONGEST_WAIT_MS))
        const scope = error.global ? 'for the whole bot' : 'for this channel'
        return { kind: 'limited', retryAfterMs, description: `rate limit ${scope}` }
      }
      if (error instanceof DiscordAPIError) {
        const code = typeof error.code === 'number' ? error.code : 0
        return { kind: 'answer', status: error.status, code, description: error.message }
      }
      if (error instanceof HTTPError) {
        return { kind: 'answer', status: error.status, code: 0, description: `HTTP ${error.status}` }
      }
      return null
    },
  }
}

/** What is needed to continue a session of the gateway. */
export interface Session {
  readonly sessionId: string
  readonly resumeUrl: string
}

/** What happens on one socket, in order. No method may throw. */
export interface SocketEvents {
  /** A new session has begun; its first event, READY, follows. */
  began(session: Session): void
  dispatched(type: string, sequence: number, data: unknown): void
  resumed(): void
  heartbeat(): void
  /** The session can no longer be resumed. */
  lost(): void
  /** The end: nothing follows. `networkError`: what the socket said before. */
  closed(code: number, networkError: string | null): void
}

/** Options of `openSocket`. */
export interface SocketOptions {
  readonly token: string
  /** Of the gateway. */
  readonly url: string
  readonly intents: number
  /** To be resumed. */
  readonly session: Session | null
  /** The last event that need not come again: what is stored. */
  readonly sequence: () => number
  /** Resolves when a new session may be begun; rejects when `signal` aborts. */
  readonly waitToIdentify: (signal: AbortSignal) => Promise<void>
  readonly events: SocketEvents
}

/** One socket of the gateway. */
export interface Socket {
  /** Closes it so that the session can be resumed, and resolves when that is done. No event follows. */
  end(): Promise<void>
}

const RESUMABLE = 4200
/** What came could not be read. */
export const UNREADABLE = 4002
/** The socket was not closed by a code. */
const NO_CODE = 0
/** A new one each time: one for all would keep in memory whoever has ever waited for it. */
const pendingForever = (): Promise<never> => new Promise(() => undefined)

/** Opens one socket of the gateway. The library's own reconnecting is turned off: the caller reconnects. */
export async function openSocket(options: SocketOptions): Promise<Socket> {
  const { DefaultWebSocketManagerOptions: defaults, WebSocketShard: Shard } = await import('@discordjs/ws')
  const socket = new LibrarySocket(options)
  const shard = new Shard(
    {
      options: {
        ...defaults,
        token: options.token,
        intents: options.intents,
        shardCount: 1,
        gatewayInformation: {
          url: options.url,
          shards: 1,
          session_start_limit: { total: 1, remaining: 1, reset_after: 1, max_concurrency: 1 },
        },
      },
      retrieveSessionInfo: () => socket.sessionInfo(),
      updateSessionInfo: (_shard, info) => socket.updated(info),
      waitForIdentify: (_shard, signal) => socket.waitToIdentify(signal),
    },
    0,
  )
  socket.open(shard)
  return socket
}

class LibrarySocket implements Socket {
  readonly #options: SocketOptions
  #session: Session | null
  #shard: WebSocketShard | null = null
  #isOver = false
  #isStopped = false
  #hasConnected = false
  #hasHello = false
  #hasBegun = false
  #networkError: string | null = null

  constructor(options: SocketOptions) {
    this.#options = options
    this.#session = options.session
  }

  get #isDone(): boolean {
    return this.#isOver || this.#isStopped
  }

  open(shard: WebSocketShard): void {
    const { events } = this.#options
    this.#shard = shard
    wrapMethod(shard, 'onMessage', { failed: () => this.#fail(UNREADABLE) })
    wrapMethod(shard, 'internalConnect', {
      called: () => {
        // told to end while it waits for READY, the library connects again and says nothing of the end
        if (this.#hasConnected) this.#over(RESUMABLE)
        this.#hasConnected = true
      },
      failed: () => this.#fail(NO_CODE),
    })
    shard.on('hello', () => {
      this.#hasHello = true
      // not before the library has begun what closing has to end
      if (this.#isStopped) setImmediate(() => void this.#close())
    })
    shard.on('dispatch', (payload: unknown) => {
      const { t: type, s, d } = object(payload) ?? {}
      const sequence = integer(s)
      if (!this.#isDone && sequence !== undefined) events.dispatched(text(type) ?? '', sequence, d)
    })
    shard.on('ready', () => {
      this.#hasBegun = true
    })
    shard.on('resumed', () => {
      this.#hasBegun = true
      if (!this.#isDone) events.resumed()
    })
    shard.on('heartbeat', () => void (this.#isDone || events.heartbeat()))
    shard.on('socketError', (error) => {
      this.#networkError = `the connection failed (${readErrorCode(error)})`
    })
    shard.on('error', () => undefined) // the code of the closing says the same
    shard.on('closed', (code: number) => this.#over(code))
    shard.connect().catch(() => undefined) // fails for what `closed` has told
  }

  /** The library asks before every connection: without an answer there is no next one. */
  sessionInfo(): SessionInfo | null | Promise<never> {
    if (this.#isDone) return pendingForever()
    if (this.#session === null) return null
    const { sessionId, resumeUrl } = this.#session
    return { sessionId, resumeURL: resumeUrl, sequence: this.#options.sequence(), shardId: 0, shardCount: 1 }
  }

  /** The sequence is ours to keep, and at a planned end the session is too. */
  updated(info: SessionInfo | null): void {
    if (this.#isDone) return
    if (info === null) {
      if (!this.#hasHello) return // a gateway that does not even greet says nothing about the session
      this.#session = null
      this.#options.events.lost()
      return
    }
    const { sessionId, resumeURL: resumeUrl }: Readonly<Record<string, unknown>> = { ...info } // as Discord sent it
    if (typeof sessionId !== 'string' || typeof resumeUrl !== 'string') throw new TypeError('READY names no session')
    if (sessionId !== this.#session?.sessionId) {
      this.#session = { sessionId, resumeUrl }
      this.#options.events.began(this.#session)
    }
  }

  waitToIdentify(signal: AbortSignal): Promise<void> {
    return this.#isDone ? pendingForever() : this.#options.waitToIdentify(signal)
  }

  async end(): Promise<void> {
    this.#isStopped = true
    // a connecting socket must not be closed: its error would be unhandled
    if (!this.#hasHello || this.#isOver) return
    const closing = this.#close()
    // before that the library does not learn of the end of what it closes
    if (this.#hasBegun) await closing
  }

  #fail(code: number): void {
    this.#over(code)
    void this.#close()
  }

  async #close(): Promise<void> {
    await this.#shard?.destroy({ code: RESUMABLE })
    this.#over(RESUMABLE)
  }

  #over(code: number): void {
    if (this.#isOver) return
    this.#isOver = true
    if (!this.#isStopped) this.#options.events.closed(code, this.#networkError)
  }
}

const readErrorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no details'

interface Guard {
  readonly called?: () => void
  readonly failed: () => void
}

/** Catches errors of library methods, e.g. for a malformed frame, which would otherwise end the process unhandled. */
function wrapMethod(shard: WebSocketShard, name: 'onMessage' | 'internalConnect', { called, failed }: Guard): void {
  const method: unknown = Reflect.get(shard, name)
  if (typeof method !== 'function') throw new TypeError(`@discordjs/ws has changed: WebSocketShard.${name} is gone`)
  const guarded = async (...given: readonly unknown[]): Promise<void> => {
    called?.()
    try {
      await Reflect.apply(method, shard, given)
    } catch {
      failed()
    }
  }
  Reflect.set(shard, name, guarded)
}
