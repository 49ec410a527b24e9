import type { IncomingMessage } from 'node:http'
import type { RawData, WebSocket } from 'ws'
import type { EmulatorClock } from '../kit/clock.ts'
import type { Faults } from '../kit/faults.ts'
import { isRecord, parseJson } from '../kit/http.ts'
import type { ChatStore } from '../kit/chat-store.ts'
import { type DiscordFault, isApplicable } from './faults.ts'

interface GatewayRules {
  readonly clock: EmulatorClock
  readonly chatStore: ChatStore
  readonly faults: Faults<DiscordFault>
  readonly history: number
  readonly heartbeatMs: number
  /** How long a session without a socket can be resumed, in ms. */
  readonly resumeMs: number
  isToken(token: unknown): boolean
  allowsContent(): boolean
  /** Counts an identify. Returns whether the limit is exceeded. */
  countIdentify(): boolean
  newSessionId(): string
  ready(session: GatewaySession): Readonly<Record<string, unknown>>
  /** Events after READY. */
  greeting(): readonly GatewayEvent[]
}

/** A socket of a client. */
interface Link {
  readonly socket: WebSocket
  readonly target: string
  readonly headers: IncomingMessage['headers']
  readonly version: string
  session: GatewaySession | null
  /** Times of its last frames, in ms. */
  readonly frames: number[]
}

type Frame = Readonly<Record<string, unknown>>

/** Maximum frame size, in bytes, and maximum number of frames per minute. */
const FRAME_BYTES = 4_096
const FRAMES_PER_MINUTE = 120
/** Close codes that keep the session. */
const RESUMABLE_CLOSES: readonly number[] = [4_000, 4_001, 4_002, 4_008]
const NAMES: Readonly<Record<number, string>> = {
  1: 'heartbeat',
  2: 'identify',
  3: 'presence',
  6: 'resume',
  8: 'members',
}

/** The gateway: sockets, and the sessions that outlive them. */
export class Gateway {
  readonly #rules: GatewayRules
  readonly #links = new Set<Link>()
  readonly #sessions = new Map<string, GatewaySession>()

  constructor(rules: GatewayRules) {
    this.#rules = rules
  }

  /** Whether a client is identified. */
  get isConnected(): boolean {
    return [...this.#links].some(({ session }) => session !== null)
  }

  /** Accepts a socket and sends HELLO. */
  open(socket: WebSocket, request: IncomingMessage): void {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const link: Link = {
      socket,
      target: `socket ${request.url}`,
      headers: request.headers,
      version: url.searchParams.get('v') ?? '',
      session: null,
      frames: [],
    }
    this.#links.add(link)
    socket.on('error', () => socket.terminate()) // a malformed frame; the close event follows
    socket.once('close', (code) => this.#onClosed(link, code))
    socket.on('message', (data) => this.#receive(link, data))
    send(link, { op: 10, d: { heartbeat_interval: this.#rules.heartbeatMs, _trace: [] }, s: null, t: null })
  }

  /** Sends an event to every session that subscribed to it, and keeps it for sessions without a socket. */
  dispatch(event: GatewayEvent): void {
    this.#expireSessions()
    const fault =
      event.messageId === undefined ? null : this.#rules.faults.take('dispatch', undefined, isApplicable('dispatch'))
    for (const session of this.#sessions.values()) {
      const dispatch = session.add(event)
      if (!dispatch || fault?.kind === 'lost_dispatch') continue
      this.#deliver(session, dispatch)
      const again = fault?.kind === 'duplicate_dispatch' ? session.add(event) : null
      if (again) this.#deliver(session, again)
      const update = fault?.kind === 'embed_update' ? session.add({ ...event, type: 'MESSAGE_UPDATE' }) : null
      if (update) session.socket?.send(update.frame)
    }
  }

  /** Applies a fault to all open connections. */
  applyFault(fault: DiscordFault): void {
    for (const link of this.#links) this.#applyToLink(link, fault)
  }

  /** Closes all sockets with this code. */
  closeAll(code: number): void {
    for (const link of this.#links) this.#close(link, code)
  }

  #deliver(session: GatewaySession, dispatch: Dispatch): void {
    if (session.socket === null) return
    session.socket.send(dispatch.frame)
    if (dispatch.messageId !== null) this.#rules.chatStore.recordDelivery(dispatch.messageId)
  }

  #receive(link: Link, data: RawData): void {
    const raw = Buffer.isBuffer(data) ? data : Buffer.concat(Array.isArray(data) ? data : [Buffer.from(data)])
    const parsed = parseJson(raw.toString('utf8'))
    const frame = isRecord(parsed) ? parsed : {}
    const op = typeof frame['op'] === 'number' ? frame['op'] : -1
    const { target, headers } = link
    const method = NAMES[op] ?? `op${op}`
    this.#rules.chatStore.recordRequest({ method, target, headers, body: raw.toString('utf8') }, 200)
    const now = this.#rules.clock.now()
    link.frames.push(now)
    while ((link.frames[0] ?? now) <= now - 60_000) link.frames.shift()
    if (link.frames.length > FRAMES_PER_MINUTE) return this.#close(link, 4_008)
    if (raw.length > FRAME_BYTES || !isRecord(parsed)) return this.#close(link, 4_002)
    this.#handleOp(link, op, frame['d'])
  }

  #handleOp(link: Link, op: number, d: unknown): void {
    if (op === 1) return this.#heartbeat(link)
    if (op === 2) return void this.#handshake(link, 'identify', () => this.#identify(link, isRecord(d) ? d : {}))
    if (op === 6) return void this.#handshake(link, 'resume', () => this.#resume(link, isRecord(d) ? d : {}))
    if (NAMES[op] === undefined) return this.#close(link, 4_001)
    if (link.session === null) this.#close(link, 4_003)
  }

  #heartbeat(link: Link): void {
    const fault = this.#rules.faults.take('heartbeat', undefined, isApplicable('heartbeat'))
    if (fault && this.#applyToLink(link, fault)) return
    if (fault?.kind !== 'no_heartbeat_ack') send(link, { op: 11, d: null, s: null, t: null })
  }

  async #handshake(link: Link, method: string, run: () => void): Promise<void> {
    if (link.session !== null) return this.#close(link, 4_005)
    const fault = this.#rules.faults.take(method, undefined, isApplicable(method))
    if (fault && this.#applyToLink(link, fault)) return
    if (fault?.kind === 'hang') return
    if (fault?.kind === 'slow') await this.#rules.clock.sleep(fault.ms)
    if (fault?.kind === 'drop_before' || fault?.kind === 'bad_gateway' || fault?.kind === 'server_error')
      return link.socket.terminate()
    if (!this.#links.has(link)) return
    run()
    if (fault?.kind === 'drop_after') link.socket.terminate()
  }

  /** Applies a fault of the gateway. Returns whether it is one. */
  #applyToLink(link: Link, fault: DiscordFault): boolean {
    if (fault.kind === 'close') this.#close(link, fault.code)
    else if (fault.kind === 'reconnect') send(link, { op: 7, d: null, s: null, t: null })
    else if (fault.kind === 'invalid_session') this.#invalidate(link, fault.resumable)
    else return false
    return true
  }

  #invalidate(link: Link, resumable: boolean): void {
    if (!resumable && link.session) this.#sessions.delete(link.session.id)
    this.#detach(link)
    send(link, { op: 9, d: resumable, s: null, t: null })
  }

  #identify(link: Link, d: Frame): void {
    const { intents, shard } = d
    if (link.version !== '10') return this.#close(link, 4_012)
    if (!this.#rules.isToken(d['token']) || this.#rules.countIdentify()) return this.#close(link, 4_004)
    if (shard !== undefined && !(Array.isArray(shard) && shard[0] === 0 && shard[1] === 1))
      return this.#close(link, 4_010)
    if (!areIntentsKnown(intents)) return this.#close(link, 4_013)
    if (exceedsPermissions(intents, this.#rules.allowsContent())) return this.#close(link, 4_014)
    const session = new GatewaySession(this.#rules.newSessionId(), intents, link.socket, this.#rules.history)
    link.session = session
    this.#sessions.set(session.id, session)
    const ready: GatewayEvent = { type: 'READY', intent: 0, data: () => this.#rules.ready(session) }
    for (const event of [ready, ...this.#rules.greeting()]) {
      const dispatch = session.add(event)
      if (dispatch) this.#deliver(session, dispatch)
    }
  }

  #resume(link: Link, d: Frame): void {
    this.#expireSessions()
    if (!this.#rules.isToken(d['token'])) return this.#close(link, 4_004)
    const session = this.#sessions.get(String(d['session_id']))
    const { seq } = d
    if (!session) return this.#invalidate(link, false)
    if (typeof seq !== 'number' || seq > session.seq) return this.#close(link, 4_007)
    session.socket?.terminate() // the previous socket is dead, even if it looks open
    session.socket = link.socket
    link.session = session
    const [missed, seen] = session.split(seq)
    for (const { messageId } of seen) if (messageId !== null) this.#rules.chatStore.recordConfirmation(messageId)
    for (const dispatch of missed) this.#deliver(session, dispatch)
    const resumed = session.add({ type: 'RESUMED', intent: 0, data: () => ({ _trace: [] }) })
    if (resumed) link.socket.send(resumed.frame)
  }

  #close(link: Link, code: number): void {
    const isOver = code >= 4_000 && code < 5_000 && !RESUMABLE_CLOSES.includes(code)
    if (isOver && link.session) this.#sessions.delete(link.session.id)
    this.#detach(link)
    link.socket.close(code)
  }

  #onClosed(link: Link, code: number): void {
    if (link.session && (code === 1_000 || code === 1_001)) this.#sessions.delete(link.session.id)
    this.#detach(link)
    this.#links.delete(link)
  }

  #detach(link: Link): void {
    const { session } = link
    if (session?.socket === link.socket) {
      session.socket = null
      session.lostAtMs = this.#rules.clock.now()
    }
    link.session = null
  }

  /** Drops sessions that weren't resumed in time. */
  #expireSessions(): void {
    const { clock, resumeMs } = this.#rules
    for (const [id, { socket, lostAtMs }] of this.#sessions) {
      if (socket === null && clock.now() - lostAtMs >= resumeMs) this.#sessions.delete(id)
    }
  }
}

const send = ({ socket }: Link, frame: Frame): void => socket.send(JSON.stringify(frame))

/** Intents as bits. */
export const INTENTS = {
  guilds: 1 << 0,
  guildMessages: 1 << 9,
  guildReactions: 1 << 10,
  guildTyping: 1 << 11,
  directMessages: 1 << 12,
  directReactions: 1 << 13,
  directTyping: 1 << 14,
  messageContent: 1 << 15,
} as const
const GUILD_MEMBERS = 1 << 1
const GUILD_PRESENCES = 1 << 8
/** All defined intents. */
const KNOWN_INTENTS = [...Array(17).keys(), 20, 21, 24, 25].reduce((bits, bit) => bits | (1 << bit), 0)

const areIntentsKnown = (intents: unknown): intents is number =>
  typeof intents === 'number' && Number.isInteger(intents) && intents >= 0 && (intents & ~KNOWN_INTENTS) === 0

/** Whether intents include any that the application lacks. */
const exceedsPermissions = (intents: number, allowsContent: boolean): boolean =>
  (intents & (GUILD_MEMBERS | GUILD_PRESENCES)) !== 0 || ((intents & INTENTS.messageContent) !== 0 && !allowsContent)

/** An event of the gateway. */
export interface GatewayEvent {
  readonly type: string
  /** Intent required to get it; 0: none. */
  readonly intent: number
  data(intents: number): Readonly<Record<string, unknown>>
  /** Id of the person's message that it delivers. */
  readonly messageId?: string
}

interface Dispatch {
  readonly s: number
  readonly frame: string
  readonly messageId: string | null
}

/** A session; it outlives its sockets for a while, and missed events are replayed on resume. */
class GatewaySession {
  readonly id: string
  readonly intents: number
  /** Its current socket. */
  socket: WebSocket | null
  /** When its last socket closed. */
  lostAtMs = 0
  readonly #kept: Dispatch[] = []
  readonly #history: number
  #seq = 0

  constructor(id: string, intents: number, socket: WebSocket, history: number) {
    this.id = id
    this.intents = intents
    this.socket = socket
    this.#history = history
  }

  get seq(): number {
    return this.#seq
  }

  /** Numbers an event, or returns `null` when the session isn't subscribed to it. */
  add(event: GatewayEvent): Dispatch | null {
    if (event.intent !== 0 && (this.intents & event.intent) === 0) return null
    const s = ++this.#seq
    const frame = JSON.stringify({ op: 0, d: event.data(this.intents), s, t: event.type })
    const dispatch = { s, frame, messageId: event.messageId ?? null }
    this.#kept.push(dispatch)
    if (this.#kept.length > this.#history) this.#kept.shift()
    return dispatch
  }

  /** Returns the events after `seq`, oldest first, and those up to it. */
  split(seq: number): readonly [after: readonly Dispatch[], seen: readonly Dispatch[]] {
    return [this.#kept.filter(({ s }) => s > seq), this.#kept.filter(({ s }) => s <= seq)]
  }
}
