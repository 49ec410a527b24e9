import { BoundedLog } from '../kit/bounded-log.ts'
import type { EmulatorClock } from '../kit/clock.ts'
import { FileStore } from './files.ts'
import { RateLimiter } from './rate-limits.ts'
import { type BotState, type ChatState, emit, messageLog } from './state.ts'
import { UpdateQueue } from './updates.ts'

/** Format of bot tokens; the number is the bot's user id. */
export const TOKEN_PATTERN = /^\d+:[\w-]{30,}$/

/** The bot that every emulator starts with. */
export const DEFAULT_BOT = {
  token: '4242424242:emulator-made-up-token-AAAAAAAAAAAA',
  username: 'gatepost_bot',
  name: 'Gatepost',
} as const

/** Options of a bot. */
export interface BotOptions {
  /** Must match `TOKEN_PATTERN`. Default: a generated one. */
  readonly token?: string
  /** Without '@'. */
  readonly username?: string
  readonly name?: string
  /** Whether privacy mode is off. Default false. */
  readonly can_read_all_group_messages?: boolean
}

/** Settings of all bots of an emulator. */
export interface BotSettings {
  readonly clock: EmulatorClock
  /** Number of requests, messages and confirmed updates to keep per bot. */
  readonly history: number
  /** Total size of files to keep per bot, in bytes. */
  readonly fileBytes: number
  /** Delay of the 409 for a second poller, in ms. */
  readonly conflictDelayMs: number
  /** How long a poll that repeats an offset too soon is held, in ms. */
  readonly repeatHoldMs: number
  /** Lifetime of a draft, in ms. */
  readonly draftLifeMs: number
  /** Message ids are numbered from above this, update ids from above 700,000,000 plus this. */
  readonly idsAbove: number
}

/** Bots of an emulator. */
export class Bots {
  readonly settings: BotSettings
  readonly #byId = new Map<number, BotState>()
  /** Includes revoked tokens, so that their calls are recorded. */
  readonly #byToken = new Map<string, BotState>()
  #created = 0

  constructor(settings: BotSettings) {
    this.settings = settings
  }

  /** All bots, oldest first. */
  get all(): readonly BotState[] {
    return [...this.#byId.values()]
  }

  /** Creates a bot. @throws {RangeError} when the token is malformed or in use */
  create(options: BotOptions): BotState {
    const number = ++this.#created
    const token =
      options.token ?? `${4_300_000_000 + number}:emulator-made-up-token-${String(number).padStart(12, 'B')}`
    if (!TOKEN_PATTERN.test(token))
      throw new RangeError('A token must have the format <digits>:<30 or more of A-Z a-z 0-9 _ ->')
    const id = Number(token.slice(0, token.indexOf(':')))
    if (this.#byId.has(id)) throw new RangeError(`Bot ${id} already exists`)
    const bot = createBotState(id, token, options, this.settings)
    this.#byId.set(id, bot)
    this.#byToken.set(token, bot)
    return bot
  }

  /** Returns a bot. @param id Default: the first bot. @throws {RangeError} when it doesn't exist */
  get(id?: number): BotState {
    const bot = id === undefined ? this.#byId.values().next().value : this.#byId.get(id)
    if (!bot) throw new RangeError(`There is no bot ${id}`)
    return bot
  }

  /** Returns the bot with this token, revoked or not. */
  findByToken(token: string): BotState | undefined {
    return this.#byToken.get(token)
  }

  /** Changes a bot's token and invalidates the old one. @throws {RangeError} when the token is malformed */
  changeToken(bot: BotState, token: string): void {
    if (!TOKEN_PATTERN.test(token) || !token.startsWith(`${bot.user.id}:`)) {
      throw new RangeError(`A token of this bot must start with ${bot.user.id}:`)
    }
    bot.token = token
    bot.revoked = false
    this.#byToken.set(token, bot)
  }
}

function createBotState(id: number, token: string, options: BotOptions, settings: BotSettings): BotState {
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
    received: messageLog(history, chats),
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
