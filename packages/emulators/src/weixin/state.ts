import { evictOldest } from '../kit/bounded-log.ts'
import type { EmulatorClock } from '../kit/clock.ts'
import { Faults } from '../kit/faults.ts'
import { ChatStore } from '../kit/chat-store.ts'
import type { WeixinFault } from './faults.ts'
import { InboundQueue } from './inbound-queue.ts'
import { type Granted, type Host, Logins } from './logins.ts'
import { MediaStore } from './media-store.ts'
import { madeUp, MessageIds } from './message-ids.ts'

interface WeixinSettings {
  readonly clock: EmulatorClock
  readonly history: number
  readonly fileBytes: number
  readonly holdMs: number
  readonly qrLifeMs: number
  readonly sendsPerMessage: number
  readonly contextLifeMs: number
  readonly textLimit: number
  readonly typingCounts: boolean
}

/** The bot of the emulator, and the person who owns it. */
export const WEIXIN_BOT = { id: '5e2a7c1f9b30@im.bot', name: 'Gatepost', owner: 'owner@im.wechat' } as const

/** Where the two addresses are; known once their ports are. */
interface Addresses {
  readonly first: string
  readonly second: string
}

interface Session {
  readonly token: string
  readonly host: Host
  readonly ownerId: string
}

/** State of the emulator. */
export interface WeixinState {
  readonly settings: WeixinSettings
  readonly clock: EmulatorClock
  readonly chatStore: ChatStore
  readonly faults: Faults<WeixinFault>
  readonly ids: MessageIds
  readonly inbound: InboundQueue
  readonly contexts: ContextTokens
  readonly media: MediaStore
  readonly logins: Logins
  addresses: Addresses
  /** The newest log-in. */
  session: Session
  revoked: boolean
}

/** Fresh, with one log-in that is valid. */
export function newState(settings: WeixinSettings): WeixinState {
  const { clock, history } = settings
  const ids = new MessageIds(clock)
  const chatStore = new ChatStore(clock, history)
  const state: WeixinState = {
    settings,
    clock,
    chatStore,
    faults: new Faults(),
    ids,
    inbound: new InboundQueue(chatStore, history),
    contexts: new ContextTokens(clock, ids, settings),
    media: new MediaStore(ids, settings.fileBytes),
    logins: new Logins(clock, ids, {
      holdMs: settings.holdMs,
      qrLifeMs: settings.qrLifeMs,
      redirectHost: () => new URL(state.addresses.second).host,
      grant: (userId, host, knownTokens) => grant(state, userId ?? state.session.ownerId, host, knownTokens),
      earlier: () => answerOf(state, { token: newToken(ids), host: 'first', ownerId: WEIXIN_BOT.owner }),
    }),
    addresses: { first: '', second: '' },
    session: { token: newToken(ids), host: 'first', ownerId: WEIXIN_BOT.owner },
    revoked: false,
  }
  return state
}

const newToken = (ids: MessageIds): string => `${WEIXIN_BOT.id}:${madeUp('bot_token', ids.next())}`

function grant(state: WeixinState, ownerId: string, host: Host, knownTokens: readonly string[]): Granted | null {
  const { session } = state
  if (!state.revoked && session.ownerId === ownerId && knownTokens.includes(session.token)) return null
  state.session = { token: newToken(state.ids), host, ownerId }
  state.revoked = false
  // the log-in before has ended, and so have its polls
  state.inbound.release()
  return answerOf(state, state.session)
}

const answerOf = (state: WeixinState, { token, host, ownerId }: Session): Granted => ({
  bot_token: token,
  baseurl: state.addresses[host],
  ilink_bot_id: WEIXIN_BOT.id,
  ilink_user_id: ownerId,
})

/** Whether calls with this token are served at this address. */
export const isAccepted = (state: WeixinState, token: string, host: Host): boolean =>
  !state.revoked && token === state.session.token && host === state.session.host

interface Issued {
  readonly userId: string
  readonly atMs: number
  sends: number
}

interface ContextLimits {
  /** Sends that one inbound message allows. */
  readonly sendsPerMessage: number
  readonly contextLifeMs: number
  /** How many tokens are kept. */
  readonly history: number
}

/** Every message of a person allows a few sends to this person, for a while. */
class ContextTokens {
  readonly #clock: EmulatorClock
  readonly #ids: MessageIds
  readonly #limits: ContextLimits
  readonly #issued = new Map<string, Issued>()

  constructor(clock: EmulatorClock, ids: MessageIds, limits: ContextLimits) {
    this.#clock = clock
    this.#ids = ids
    this.#limits = limits
  }

  issue(userId: string): string {
    const token = `CT${madeUp('context', userId, this.#ids.next())}`
    this.#issued.set(token, { userId, atMs: this.#clock.now(), sends: 0 })
    evictOldest(this.#issued, this.#limits.history)
    return token
  }

  /** Whether the token is this person's and not too old. */
  isLive(token: string, userId: string): boolean {
    const issued = this.#issued.get(token)
    return issued?.userId === userId && this.#clock.now() - issued.atMs < this.#limits.contextLifeMs
  }

  /** Counts one send. @returns `null`, or the text with which it is refused */
  spend(token: string, userId: string): string | null {
    const issued = this.#issued.get(token)
    if (issued?.userId !== userId) return 'unknown error'
    if (!this.isLive(token, userId)) return 'prepare failed'
    if (issued.sends >= this.#limits.sendsPerMessage) return ''
    issued.sends += 1
    return null
  }

  /** Counts one send for the newest message of this person. */
  spendNewest(userId: string): string | null {
    const newest = [...this.#issued].findLast(([, issued]) => issued.userId === userId)
    return newest ? this.spend(newest[0], userId) : 'unknown error'
  }
}
