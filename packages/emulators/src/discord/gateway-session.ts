import type { WebSocket } from 'ws'

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

export const isKnownIntents = (intents: unknown): intents is number =>
  typeof intents === 'number' && Number.isInteger(intents) && intents >= 0 && (intents & ~KNOWN_INTENTS) === 0

/** Whether intents are asked for that the application is not allowed. */
export const asksTooMuch = (intents: number, allowsContent: boolean): boolean =>
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

export interface Dispatch {
  readonly s: number
  readonly frame: string
  readonly messageId: string | null
}

/** A session outlives its sockets for a while; what happened meanwhile is replayed. */
export class GatewaySession {
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
