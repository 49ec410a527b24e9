import { toGapReason } from '../../gap-reasons.ts'
import type { Inbox } from '../../connection.ts'
import type { InboundEvent } from '../../message.ts'
import { catchUp } from './catch-up.ts'
import { type Ending, readEnding, WITHOUT_CONTENT } from './outcome.ts'
import { type Position, type StoredSession, writeCursor } from './cursor.ts'
import { decodeMessage, decodeUpdate, mentionsRoles, type Decoded, type Reader, type Bot } from './decode.ts'
import { object } from '../wire/json.ts'
import { readSnowflake } from './snowflake.ts'
import { openSocket, type Session, type Socket, UNREADABLE } from './sdk.ts'
import type { DiscordWorld } from './world.ts'

/** Progress of one run, updated only after it has been stored. */
export interface Progress {
  position: Position
  /** When Discord was last heard with everything before it stored; `null`: never. */
  heardAtMs: number | null
  /** When the session on the present socket was begun or resumed; `null`: not yet. */
  readyAtMs: number | null
}

/** Options of `runSession`. */
export interface SessionOptions {
  readonly world: DiscordWorld
  readonly inbox: Inbox
  readonly progress: Progress
  readonly bot: Bot
  /** Checked. */
  readonly url: string
  readonly resume: Session | null
  readonly intents: number
  readonly hasContent: boolean
  readonly waitToIdentify: (signal: AbortSignal) => Promise<void>
  /** Resolves when a session with more intents could be had; never when `signal` aborts first. */
  readonly waitForMessageContent: (signal: AbortSignal) => Promise<void>
}

type Item =
  | { readonly kind: 'began'; readonly session: Session }
  | { readonly kind: 'event'; readonly type: string; readonly sequence: number; readonly data: unknown }
  | { readonly kind: 'resumed' | 'heartbeat' | 'lost' | 'better' }
  | { readonly kind: 'closed'; readonly code: number; readonly networkError: string | null }

const READY_WITHIN_MS = 90_000
/** A socket whose other side is gone takes long to close. */
const END_WITHIN_MS = 2_000
/** More than this means that the database does not keep up. */
const MAX_WAITING = 10_000
/** Events that hold nothing for the core move the stored position only so often. */
const STORE_EVERY_MS = 30_000
const MAX_CHATS = 200

/**
 * Receives on one socket until it ends or `signal` aborts. Every event is stored before the session's position moves
 * past it: what is not stored comes again when the session is resumed.
 * @throws what `inbox` throws, and {ConnectionError}
 */
export async function runSession(options: SessionOptions, signal: AbortSignal): Promise<Ending | null> {
  const pump = new Pump(options, signal)
  const { world, url, resume, intents, waitToIdentify, waitForMessageContent, hasContent } = options
  const over = new AbortController()
  const stop = (): void => over.abort()
  signal.addEventListener('abort', stop, { once: true })
  let socket: Socket | null = null
  try {
    socket = await openSocket({
      token: world.token,
      url,
      intents,
      session: resume,
      sequence: () => pump.confirmed,
      waitToIdentify,
      events: {
        began: (session) => pump.push({ kind: 'began', session }),
        dispatched: (type, sequence, data) => pump.push({ kind: 'event', type, sequence, data }),
        resumed: () => pump.push({ kind: 'resumed' }),
        heartbeat: () => pump.push({ kind: 'heartbeat' }),
        lost: () => pump.push({ kind: 'lost' }),
        closed: (code, networkError) => pump.push({ kind: 'closed', code, networkError }),
      },
    })
    void world.io.clock.sleep(READY_WITHIN_MS, pump.ready).then(() => {
      if (!pump.ready.aborted) pump.push({ kind: 'closed', code: 0, networkError: "Discord didn't start the session" })
    })
    if (!hasContent)
      void waitForMessageContent(over.signal).then(() => over.signal.aborted || pump.push({ kind: 'better' }))
    return await pump.run()
  } finally {
    signal.removeEventListener('abort', stop)
    over.abort(null)
    pump.close()
    world.health.isReady = false
    if (socket !== null) await closeSocket(socket, world)
  }
}

async function closeSocket(socket: Socket, { io }: DiscordWorld): Promise<void> {
  const timer = new AbortController()
  await Promise.race([socket.end(), io.clock.sleep(END_WITHIN_MS, timer.signal)])
  timer.abort(null)
}

/** Handles the events of the socket in order, one at a time. */
class Pump {
  /** Of the last event that is stored. */
  confirmed: number
  readonly #options: SessionOptions
  readonly #signal: AbortSignal
  readonly #ready = new AbortController()
  #items: Item[] = []
  #wake: () => void = () => undefined
  #position: Position
  #storedAtMs: number
  readonly #events: InboundEvent[] = []
  #malformed = 0

  constructor(options: SessionOptions, signal: AbortSignal) {
    this.#options = options
    this.#signal = signal
    this.#position = options.progress.position
    this.confirmed = options.resume === null ? 0 : this.#position.sequence
    this.#storedAtMs = options.world.io.clock.now()
  }

  /** Aborts when the session has begun or goes on. */
  get ready(): AbortSignal {
    return this.#ready.signal
  }

  push(item: Item): void {
    if (this.#items.length >= MAX_WAITING) {
      this.#items = [{ kind: 'closed', code: 0, networkError: 'messages arrived faster than they could be stored' }]
    } else this.#items.push(item)
    this.#wake()
  }

  close(): void {
    this.#ready.abort(null)
  }

  async run(): Promise<Ending | null> {
    const stop = (): void => this.#wake()
    this.#signal.addEventListener('abort', stop, { once: true })
    try {
      while (!this.#signal.aborted) {
        if (this.#items.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve))
        const ending = await this.#handleAll(this.#items.splice(0))
        if (ending !== null) return ending
      }
      return null
    } finally {
      this.#signal.removeEventListener('abort', stop)
    }
  }

  async #handleAll(items: readonly Item[]): Promise<Ending | null> {
    for (const item of items) {
      if (this.#signal.aborted) return null
      const ending = await this.#handle(item)
      if (ending !== null) return ending
    }
    if (items.length > 0) await this.#heard()
    return null
  }

  async #handle(item: Item): Promise<Ending | null> {
    switch (item.kind) {
      case 'began':
        this.#position = this.#startPosition({ ...item.session, hasContent: this.#options.hasContent })
        return null
      case 'event':
        await this.#event(item)
        return null
      case 'resumed':
        await this.#isReady()
        return null
      case 'heartbeat':
        return null
      case 'lost':
        await this.#forgetSession()
        return null
      case 'better':
        await this.#flush()
        await this.#forgetSession()
        return { next: 'again', isLost: true, why: 'the message content intent was enabled' }
      case 'closed':
        return this.#closed(item.code, item.networkError)
    }
  }

  async #closed(code: number, networkError: string | null): Promise<Ending> {
    const { world, hasContent } = this.#options
    world.health.lastClose = code
    const ending = readEnding(code, hasContent, networkError)
    await this.#flush()
    if (ending.next === 'again' && ending.isLost) await this.#forgetSession()
    if (code === UNREADABLE) world.io.log.warn('Discord sent an unreadable frame', { bot: world.botId })
    return ending
  }

  #startPosition(session: StoredSession | null): Position {
    const { progress } = this.#options
    return { session, sequence: 0, sinceMs: this.#position.sinceMs ?? progress.heardAtMs }
  }

  /** The next session is a new one, also when this process ends now. */
  async #forgetSession(): Promise<void> {
    await this.#flush()
    this.#position = this.#startPosition(null)
    await this.#store([])
  }

  async #event({ type, sequence, data }: Extract<Item, { kind: 'event' }>): Promise<void> {
    if (sequence > this.#position.sequence) this.#position = { ...this.#position, sequence }
    if (type === 'READY') return this.#isReady()
    if (type !== 'MESSAGE_CREATE' && type !== 'MESSAGE_UPDATE') return this.#options.world.directory.learn(type, data)
    const reader = await this.#readerFor(data)
    this.#record(type === 'MESSAGE_CREATE' ? decodeMessage(data, reader) : decodeUpdate(data, reader))
  }

  #record({ event, seen, malformed }: Decoded): void {
    const { world } = this.#options
    if (seen !== undefined) world.seen.see(seen)
    if (event !== undefined) this.#events.push(event)
    if (malformed === undefined) return
    this.#malformed += 1
    if (this.#malformed <= 5) world.io.log.warn('Dropped a malformed Discord message', { at: malformed })
  }

  async #readerFor(data: unknown): Promise<Reader> {
    const { world, bot } = this.#options
    const guildId = readSnowflake(object(data)?.['guild_id'])
    const isAsked = guildId !== undefined && mentionsRoles(data)
    const role = isAsked ? await world.directory.roleIn(guildId, this.#signal) : null
    return { bot, role, channelTitle: (channelId) => world.directory.channelTitle(channelId) }
  }

  /** READY or RESUMED: everything that can be replayed has come. */
  async #isReady(): Promise<void> {
    const { world, inbox, hasContent } = this.#options
    this.#ready.abort(null)
    world.health.isReady = true
    this.#options.progress.readyAtMs ??= world.io.clock.now()
    await this.#store(this.#events.splice(0))
    inbox.alive()
    inbox.degraded(hasContent ? null : { code: 'configuration', message: WITHOUT_CONTENT })
    const { sinceMs } = this.#position
    if (sinceMs !== null) await this.#catchUp(sinceMs)
  }

  async #catchUp(sinceMs: number): Promise<void> {
    const { world, inbox, bot } = this.#options
    const channelTitle = (channelId: string): string | undefined => world.directory.channelTitle(channelId)
    const chats = await inbox.chats(MAX_CHATS)
    const { read, unread } = await catchUp(
      {
        client: world.client,
        clock: world.io.clock,
        chats,
        sinceMs,
        decode: (message, kind, role) => decodeMessage(message, { bot, role, channelTitle, kind }).event ?? null,
        roleAt: (channelId, signal) => world.directory.roleAt(channelId, signal),
        accept: (events) => inbox.accept(events, writeCursor(this.#position)),
      },
      this.#signal,
    )
    if (this.#signal.aborted) return
    inbox.gap(sinceMs, world.io.clock.now(), toGapReason('session_not_resumed', { read, unread }))
    this.#position = { ...this.#position, sinceMs: null }
    await this.#store([])
  }

  async #heard(): Promise<void> {
    const { world, inbox, progress } = this.#options
    await this.#flush()
    const nowMs = world.io.clock.now()
    world.health.heardAtMs = nowMs
    if (!world.health.isReady) return
    progress.heardAtMs = nowMs
    inbox.alive()
  }

  async #flush(): Promise<void> {
    const isDue = this.#options.world.io.clock.now() - this.#storedAtMs >= STORE_EVERY_MS
    const hasMoved = this.#position.sequence > this.confirmed && this.#position.session !== null
    if (this.#events.length > 0 || (hasMoved && isDue)) await this.#store(this.#events.splice(0))
  }

  async #store(events: readonly InboundEvent[]): Promise<void> {
    const { inbox, progress, world } = this.#options
    const position = this.#position
    await inbox.accept(events, writeCursor(position))
    progress.position = position
    this.confirmed = position.sequence
    this.#storedAtMs = world.io.clock.now()
  }
}
