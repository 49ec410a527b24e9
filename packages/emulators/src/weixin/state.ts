import { evictOldest } from '../kit/bounded-log.ts'
import type { EmulatorClock } from '../kit/clock.ts'
import { Faults } from '../kit/faults.ts'
import { ChatStore } from '../kit/chat-store.ts'
import type { WeixinFault } from './faults.ts'
import { InboundQueue } from './inbound-queue.ts'
import { type Granted, type Host, Logins } from './logins.ts'
import { MediaStore } from './media-store.ts'
import { makeToken, MessageIds } from './message-ids.ts'

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

/** The emulator's bot and its owner. */
export const WEIXIN_BOT = { id: '5e2a7c1f9b30@im.bot', name: 'Gatepost', owner: 'owner@im.wechat' } as const

/** The two addresses, known once the servers listen. */
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
  /** The newest login. */
  session: Session
  revoked: boolean
}

/** Creates the state of an emulator, with one valid login. */
export function createState(settings: WeixinSettings): WeixinState {
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
      earlier: () => toGranted(state, { token: newToken(ids), host: 'first', ownerId: WEIXIN_BOT.owner }),
    }),
    addresses: { first: '', second: '' },
    session: { token: newToken(ids), host: 'first', ownerId: WEIXIN_BOT.owner },
    revoked: false,
  }
  return state
}

const newToken = (ids: MessageIds): string => `${WEIXIN_BOT.id}:${makeToken('bot_token', ids.next())}`

function grant(state: WeixinState, ownerId: string, host: Host, knownTokens: readonly string[]): Granted | null {
  const { session } = state
  if (!state.revoked && session.ownerId === ownerId && knownTokens.includes(session.token)) return null
  state.session = { token: newToken(state.ids), host, ownerId }
  state.revoked = false
  // the previous login has ended, and so have its polls
  state.inbound.release()
  return toGranted(state, state.session)
}

const toGranted = (state: WeixinState, { token, host, ownerId }: Session): Granted => ({
  bot_token: token,
  baseurl: state.addresses[host],
  ilink_bot_id: WEIXIN_BOT.id,
  ilink_user_id: ownerId,
})

/** Whether a token is valid at this address. */
export const isAccepted = (state: WeixinState, token: string, host: Host): boolean =>
  !state.revoked && token === state.session.token && host === state.session.host

interface Issued {
  readonly userId: string
  readonly atMs: number
  sends: number
}

interface ContextLimits {
  /** Number of sends that one inbound message allows. */
  readonly sendsPerMessage: number
  readonly contextLifeMs: number
  /** Number of tokens to keep. */
  readonly history: number
}

/** Context tokens: each message of a person allows a few replies, for a limited time. */
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

  /** Issues a token for a person's message. */
  issue(userId: string): string {
    const token = `CT${makeToken('context', userId, this.#ids.next())}`
    this.#issued.set(token, { userId, atMs: this.#clock.now(), sends: 0 })
    evictOldest(this.#issued, this.#limits.history)
    return token
  }

  /** Whether a token belongs to this person and hasn't expired. */
  isLive(token: string, userId: string): boolean {
    const issued = this.#issued.get(token)
    return issued?.userId === userId && this.#clock.now() - issued.atMs < this.#limits.contextLifeMs
  }

  /** Counts a send. Returns `null`, or the error text when it is refused. */
  spend(token: string, userId: string): string | null {
    const issued = this.#issued.get(token)
    if (issued?.userId !== userId) return 'unknown error'
    if (!this.isLive(token, userId)) return 'prepare failed'
    if (issued.sends >= this.#limits.sendsPerMessage) return ''
    issued.sends += 1
    return null
  }

  /** Counts a send for this person's newest message. */
  spendNewest(userId: string): string | null {
    const newest = [...this.#issued].findLast(([, issued]) => issued.userId === userId)
    return newest ? this.spend(newest[0], userId) : 'unknown error'
  }
}
