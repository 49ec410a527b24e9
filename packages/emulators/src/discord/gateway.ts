import type { IncomingMessage } from 'node:http'
import type { RawData, WebSocket } from 'ws'
import type { EmulatorClock } from '../kit/clock.ts'
import type { Faults } from '../kit/faults.ts'
import { isRecord, parseJson } from '../kit/http.ts'
import type { ChatWorld } from '../kit/world.ts'
import { type DiscordFault, isAbout } from './faults.ts'

interface GatewayRules {
  readonly clock: EmulatorClock
  readonly world: ChatWorld
  readonly faults: Faults<DiscordFault>
  readonly history: number
  readonly heartbeatMs: number
  /** How long a session without a socket can be resumed. */
  readonly resumeMs: number
  isToken(token: unknown): boolean
  allowsContent(): boolean
  /** An identify is counted. @returns whether it is one too many */
  countIdentify(): boolean
  newSessionId(): string
  ready(session: GatewaySession): Readonly<Record<string, unknown>>
  /** What follows READY. */
  greeting(): readonly GatewayEvent[]
}

/** One socket. */
interface Link {
  readonly socket: WebSocket
  readonly target: string
  readonly headers: IncomingMessage['headers']
  readonly version: string
  session: GatewaySession | null
  /** When its last frames came, ms. */
  readonly frames: number[]
}

type Frame = Readonly<Record<string, unknown>>

/** Longest frame of a client, bytes; most frames in a minute. */
const FRAME_BYTES = 4_096
const FRAMES_PER_MINUTE = 120
/** The session survives a close with these. */
const RESUMABLE_CLOSES: readonly number[] = [4_000, 4_001, 4_002, 4_008]
const NAMES: Readonly<Record<number, string>> = {
  1: 'heartbeat',
  2: 'identify',
  3: 'presence',
  6: 'resume',
  8: 'members',
}

export class Gateway {
  readonly #rules: GatewayRules
  readonly #links = new Set<Link>()
  readonly #sessions = new Map<string, GatewaySession>()

  constructor(rules: GatewayRules) {
    this.#rules = rules
  }

  get isConnected(): boolean {
    return [...this.#links].some(({ session }) => session !== null)
  }

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
    socket.on('error', () => socket.terminate()) // a broken frame; the close below tells the rest
    socket.once('close', (code) => this.#lost(link, code))
    socket.on('message', (data) => this.#receive(link, data))
    send(link, { op: 10, d: { heartbeat_interval: this.#rules.heartbeatMs, _trace: [] }, s: null, t: null })
  }

  /** Hands an event to every session that asked for it, and keeps it for those that are away. */
  dispatch(event: GatewayEvent): void {
    this.#forget()
    const fault =
      event.messageId === undefined ? null : this.#rules.faults.take('dispatch', undefined, isAbout('dispatch'))
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

  /** A fault that concerns the connections that are open. */
  strike(fault: DiscordFault): void {
    for (const link of this.#links) this.#act(link, fault)
  }

  closeAll(code: number): void {
    for (const link of this.#links) this.#close(link, code)
  }

  #deliver(session: GatewaySession, dispatch: Dispatch): void {
    if (session.socket === null) return
    session.socket.send(dispatch.frame)
    if (dispatch.messageId !== null) this.#rules.world.delivered(dispatch.messageId)
  }

  #receive(link: Link, data: RawData): void {
    const raw = Buffer.isBuffer(data) ? data : Buffer.concat(Array.isArray(data) ? data : [Buffer.from(data)])
    const parsed = parseJson(raw.toString('utf8'))
    const frame = isRecord(parsed) ? parsed : {}
    const op = typeof frame['op'] === 'number' ? frame['op'] : -1
    const { target, headers } = link
    const method = NAMES[op] ?? `op${op}`
    this.#rules.world.request({ method, target, headers, body: raw.toString('utf8') }, 200)
    const now = this.#rules.clock.now()
    link.frames.push(now)
    while ((link.frames[0] ?? now) <= now - 60_000) link.frames.shift()
    if (link.frames.length > FRAMES_PER_MINUTE) return this.#close(link, 4_008)
    if (raw.length > FRAME_BYTES || !isRecord(parsed)) return this.#close(link, 4_002)
    this.#perform(link, op, frame['d'])
  }

  #perform(link: Link, op: number, d: unknown): void {
    if (op === 1) return this.#heartbeat(link)
    if (op === 2) return void this.#shake(link, 'identify', () => this.#identify(link, isRecord(d) ? d : {}))
    if (op === 6) return void this.#shake(link, 'resume', () => this.#resume(link, isRecord(d) ? d : {}))
    if (NAMES[op] === undefined) return this.#close(link, 4_001)
    if (link.session === null) this.#close(link, 4_003)
  }

  #heartbeat(link: Link): void {
    const fault = this.#rules.faults.take('heartbeat', undefined, isAbout('heartbeat'))
    if (fault && this.#act(link, fault)) return
    if (fault?.kind !== 'no_heartbeat_ack') send(link, { op: 11, d: null, s: null, t: null })
  }

  async #shake(link: Link, method: string, run: () => void): Promise<void> {
    if (link.session !== null) return this.#close(link, 4_005)
    const fault = this.#rules.faults.take(method, undefined, isAbout(method))
    if (fault && this.#act(link, fault)) return
    if (fault?.kind === 'hang') return
    if (fault?.kind === 'slow') await this.#rules.clock.sleep(fault.ms)
    if (fault?.kind === 'drop_before' || fault?.kind === 'bad_gateway' || fault?.kind === 'server_error')
      return link.socket.terminate()
    if (!this.#links.has(link)) return
    run()
    if (fault?.kind === 'drop_after') link.socket.terminate()
  }

  /** @returns whether the fault was one of those */
  #act(link: Link, fault: DiscordFault): boolean {
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
    if (!isKnownIntents(intents)) return this.#close(link, 4_013)
    if (asksTooMuch(intents, this.#rules.allowsContent())) return this.#close(link, 4_014)
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
    this.#forget()
    if (!this.#rules.isToken(d['token'])) return this.#close(link, 4_004)
    const session = this.#sessions.get(String(d['session_id']))
    const { seq } = d
    if (!session) return this.#invalidate(link, false)
    if (typeof seq !== 'number' || seq > session.seq) return this.#close(link, 4_007)
    session.socket?.terminate() // the one before is dead, whether it knows or not
    session.socket = link.socket
    link.session = session
    const [missed, seen] = session.split(seq)
    for (const { messageId } of seen) if (messageId !== null) this.#rules.world.confirmed(messageId)
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

  #lost(link: Link, code: number): void {
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

  /** Sessions that nobody has resumed in time. */
  #forget(): void {
    const { clock, resumeMs } = this.#rules
    for (const [id, { socket, lostAtMs }] of this.#sessions) {
      if (socket === null && clock.now() - lostAtMs >= resumeMs) this.#sessions.delete(id)
    }
  }
}

const send = ({ socket }: Link, frame: Frame): void => socket.send(JSON.stringify(frame))

/** Events of the gateway by the bit of the intent that a session must have asked for. */
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
/** Every bit that the platform knows. */
const KNOWN_INTENTS = [...Array(17).keys(), 20, 21, 24, 25].reduce((bits, bit) => bits | (1 << bit), 0)

const isKnownIntents = (intents: unknown): intents is number =>
  typeof intents === 'number' && Number.isInteger(intents) && intents >= 0 && (intents & ~KNOWN_INTENTS) === 0

/** Whether intents are asked for that the application is not allowed. */
const asksTooMuch = (intents: number, allowsContent: boolean): boolean =>
  (intents & (GUILD_MEMBERS | GUILD_PRESENCES)) !== 0 || ((intents & INTENTS.messageContent) !== 0 && !allowsContent)

/** One event, for whoever asked for it. */
export interface GatewayEvent {
  readonly type: string
  /** 0: everybody. */
  readonly intent: number
  data(intents: number): Readonly<Record<string, unknown>>
  /** The message of a person that it brings. */
  readonly messageId?: string
}

interface Dispatch {
  readonly s: number
  readonly frame: string
  readonly messageId: string | null
}

/** A session outlives its sockets for a while; what happened meanwhile is replayed. */
class GatewaySession {
  readonly id: string
  readonly intents: number
  /** The socket that speaks for it now. */
  socket: WebSocket | null
  /** When the last socket was lost. */
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

  /** Numbers an event; `null` when this session did not ask for it. */
  add(event: GatewayEvent): Dispatch | null {
    if (event.intent !== 0 && (this.intents & event.intent) === 0) return null
    const s = ++this.#seq
    const frame = JSON.stringify({ op: 0, d: event.data(this.intents), s, t: event.type })
    const dispatch = { s, frame, messageId: event.messageId ?? null }
    this.#kept.push(dispatch)
    if (this.#kept.length > this.#history) this.#kept.shift()
    return dispatch
  }

  /** @returns those after `seq`, oldest first, and those up to it */
  split(seq: number): readonly [after: readonly Dispatch[], seen: readonly Dispatch[]] {
    return [this.#kept.filter(({ s }) => s > seq), this.#kept.filter(({ s }) => s <= seq)]
  }
}
