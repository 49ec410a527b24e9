import { BoundedLog } from '../kit/bounded-log.ts'
import type { EmulatorClock } from '../kit/clock.ts'
import { FileStore } from './files.ts'
import { RateLimiter } from './rate-limits.ts'
import { type BotState, type ChatState, emit, messageLog } from './state.ts'
import { UpdateQueue } from './updates.ts'

/** The form of a bot token; the number is the bot's user id. */
export const TOKEN_PATTERN = /^\d+:[\w-]{30,}$/

/** The bot that every emulator begins with. */
export const DEFAULT_BOT = {
  token: '4242424242:emulator-made-up-token-AAAAAAAAAAAA',
  username: 'gatepost_bot',
  name: 'Gatepost',
} as const

export interface BotOptions {
  /** Must match `TOKEN_PATTERN`. Default: a made-up one. */
  readonly token?: string
  /** Without '@'. */
  readonly username?: string
  readonly name?: string
  /** True: privacy mode is off. Default false. */
  readonly can_read_all_group_messages?: boolean
}

export interface WorldSettings {
  readonly clock: EmulatorClock
  /** How many requests, messages and confirmed updates are kept per bot. */
  readonly history: number
  /** How many bytes of files are kept per bot. */
  readonly fileBytes: number
  /** How long a 409 for a second poller is held back, ms. */
  readonly conflictDelayMs: number
  /** How long a poll is held that repeats an offset too soon, ms. */
  readonly repeatHoldMs: number
  /** Life of a draft, ms. */
  readonly draftLifeMs: number
  /** Ids of messages begin above this, ids of updates above 700 000 000 and this. */
  readonly idsAbove: number
}

/** The bots of one emulator. */
export class Bots {
  readonly settings: WorldSettings
  readonly #byId = new Map<number, BotState>()
  /** Also revoked tokens, so that their calls are recorded. */
  readonly #byToken = new Map<string, BotState>()
  #madeUp = 0

  constructor(settings: WorldSettings) {
    this.settings = settings
  }

  get all(): readonly BotState[] {
    return [...this.#byId.values()]
  }

  /** @throws {RangeError} for a token of the wrong form or one that is in use */
  create(options: BotOptions): BotState {
    const number = ++this.#madeUp
    const token =
      options.token ?? `${4_300_000_000 + number}:emulator-made-up-token-${String(number).padStart(12, 'B')}`
    if (!TOKEN_PATTERN.test(token)) throw new RangeError('A token looks like <digits>:<30 or more of A-Z a-z 0-9 _ ->')
    const id = Number(token.slice(0, token.indexOf(':')))
    if (this.#byId.has(id)) throw new RangeError(`There is a bot ${id} already`)
    const bot = newBot(id, token, options, this.settings)
    this.#byId.set(id, bot)
    this.#byToken.set(token, bot)
    return bot
  }

  /** @param id Default: the first bot. @throws {RangeError} when there is no such bot */
  get(id?: number): BotState {
    const bot = id === undefined ? this.#byId.values().next().value : this.#byId.get(id)
    if (!bot) throw new RangeError(`There is no bot ${id}`)
    return bot
  }

  byToken(token: string): BotState | undefined {
    return this.#byToken.get(token)
  }

  /** The old token is refused from now on. */
  changeToken(bot: BotState, token: string): void {
    if (!TOKEN_PATTERN.test(token) || !token.startsWith(`${bot.user.id}:`)) {
      throw new RangeError(`A token of this bot begins with ${bot.user.id}:`)
    }
    bot.token = token
    bot.revoked = false
    this.#byToken.set(token, bot)
  }
}

function newBot(id: number, token: string, options: BotOptions, settings: WorldSettings): BotState {
  const { clock, history } = settings
  const chats = new Map<number, ChatState>()
  const bot: BotState = {
    user: {
      id,
      is_bot: true,
      first_name: options.name ?? DEFAULT_BOT.name,
      username: options.username ?? `emulated_${id}_bot`,
    },
    token,
    revoked: false,
    canReadAllGroupMessages: options.can_read_all_group_messages ?? false,
    oldServer: false,
    webhookUrl: '',
    commands: [],
    lastMessageId: settings.idsAbove,
    idsAbove: settings.idsAbove,
    people: new Map(),
    chats,
    updates: new UpdateQueue(clock, history, 700_000_001 + settings.idsAbove, settings, (confirmedUpTo) => {
      if (bot.listeners.size === 0) return
      if (confirmedUpTo === undefined) emit(bot, { type: 'polling', waiting: bot.updates.isHeld })
      else emit(bot, { type: 'updates_confirmed', upTo: confirmedUpTo })
    }),
    sent: messageLog(history, chats),
    heard: messageLog(history, chats),
    requests: new BoundedLog(history),
    actions: new BoundedLog(history),
    files: new FileStore(id, settings.fileBytes),
    limiter: new RateLimiter(clock),
    faults: [],
    sentWatchers: new Set(),
    listeners: new Set(),
    clock,
    draftLifeMs: settings.draftLifeMs,
  }
  return bot
}
