import { createHash } from 'node:crypto'
import type { EmulatorClock } from '../kit/clock.ts'
import { Faults } from '../kit/faults.ts'
import { ChatStore } from '../kit/chat-store.ts'
import type { DiscordFault } from './faults.ts'
import { INTENTS, Gateway, type GatewayEvent } from './gateway.ts'
import { Attachments, type DiscordMessage, Messages } from './messages.ts'
import { type DiscordChannel, type DiscordGuild, guildFields, People, userFields } from './people.ts'
import { Snowflakes } from './snowflakes.ts'

interface DiscordSettings {
  readonly clock: EmulatorClock
  readonly history: number
  readonly fileBytes: number
  readonly heartbeatMs: number
  readonly resumeMs: number
  readonly nonceMs: number
  readonly attachmentLifeMs: number
  readonly identifies: number
  readonly messageRate: { readonly limit: number; readonly perMs: number }
  readonly messageContent: boolean
}

/** The emulator's bot. Its token works here only. */
export const DISCORD_BOT = {
  id: '1300000000000000099',
  username: 'gatepost',
  token: `${Buffer.from('1300000000000000099').toString('base64url')}.MadeUp.emulator-made-up-token-AAAAAAAAAAAAAAA`,
} as const

/** Flags of the Message Content intent: the limited one, and the approved one. */
export const CONTENT_LIMITED: number = 1 << 19
const CONTENT: number = 1 << 18

/** State of the emulator. */
export interface DiscordState {
  readonly settings: DiscordSettings
  readonly clock: EmulatorClock
  readonly chatStore: ChatStore
  readonly faults: Faults<DiscordFault>
  readonly ids: Snowflakes
  readonly people: People
  readonly messages: Messages
  readonly attachments: Attachments
  readonly gateway: Gateway
  readonly rates: RateWindows
  /** Flags of the application. */
  flags: number
  revoked: boolean
  identifiesLeft: number
  /** Base address, known once the server listens. */
  url: string
  wsUrl: string
}

/** Creates the state of an emulator. */
export function createState(settings: DiscordSettings): DiscordState {
  const { clock, history } = settings
  const ids = new Snowflakes(clock)
  const chatStore = new ChatStore(clock, history)
  const faults = new Faults<DiscordFault>()
  const bot = { id: DISCORD_BOT.id, username: DISCORD_BOT.username, global_name: null, bot: true }
  const attachments = new Attachments(settings.attachmentLifeMs, settings.fileBytes, () => state.url)
  const state: DiscordState = {
    settings,
    clock,
    chatStore,
    faults,
    ids,
    people: new People(ids, bot),
    messages: new Messages(clock, history, attachments),
    attachments,
    gateway: new Gateway({
      clock,
      chatStore,
      faults,
      history,
      heartbeatMs: settings.heartbeatMs,
      resumeMs: settings.resumeMs,
      isToken: (token) => !state.revoked && token === DISCORD_BOT.token,
      allowsContent: () => allowsContent(state),
      countIdentify: () => countIdentify(state),
      newSessionId: () => `session${ids.next()}`,
      ready: ({ id }) => readyFields(state, id),
      greeting: () => [...state.people.guilds.values()].map((guild) => guildCreateEvent(state, guild)),
    }),
    rates: new RateWindows(clock, settings.messageRate),
    flags: settings.messageContent ? CONTENT_LIMITED : 0,
    revoked: false,
    identifiesLeft: settings.identifies,
    url: '',
    wsUrl: '',
  }
  return state
}

/** Whether the application has the Message Content intent. */
export const allowsContent = ({ flags }: DiscordState): boolean => (flags & (CONTENT | CONTENT_LIMITED)) !== 0

/** The platform resets the token of a bot that starts too many sessions. */
function countIdentify(state: DiscordState): boolean {
  state.identifiesLeft -= 1
  if (state.identifiesLeft < 0) state.revoked = true
  return state.revoked
}

const readyFields = (state: DiscordState, sessionId: string): Readonly<Record<string, unknown>> => ({
  v: 10,
  user: userFields(state.people.bot),
  guilds: [...state.people.guilds.keys()].map((id) => ({ id, unavailable: true })),
  session_id: sessionId,
  resume_gateway_url: `${state.wsUrl}/resume`,
  session_type: 'normal',
  private_channels: [],
  application: { id: state.people.bot.id, flags: state.flags },
})

/** Returns the event for a guild the bot is in. */
export const guildCreateEvent = (state: DiscordState, guild: DiscordGuild): GatewayEvent => ({
  type: 'GUILD_CREATE',
  intent: INTENTS.guilds,
  data: () => guildFields(guild, state.people),
})

/** Returns the nonce field of a message, present in the response to a send and in its event. */
export const nonceFields = ({ nonce }: DiscordMessage): Readonly<Record<string, unknown>> =>
  nonce === null ? {} : { nonce }

/** Returns an event about a message; sessions without the Message Content intent get it without content. */
export function messageEvent(
  state: DiscordState,
  type: 'MESSAGE_CREATE' | 'MESSAGE_UPDATE',
  message: DiscordMessage,
): GatewayEvent {
  const { channel, author } = message
  const { bot } = state.people
  return {
    type,
    intent: channel.guildId === null ? INTENTS.directMessages : INTENTS.guildMessages,
    data: (intents) => ({
      ...state.messages.fields(message, bot, (intents & INTENTS.messageContent) !== 0),
      channel_type: channel.type,
      ...nonceFields(message),
      ...(channel.guildId !== null && {
        guild_id: channel.guildId,
        member: { nick: null, roles: [], joined_at: new Date(0).toISOString(), deaf: false, mute: false, flags: 0 },
      }),
    }),
    ...(type === 'MESSAGE_CREATE' && author.id !== bot.id && { messageId: message.id }),
  }
}

/** Returns the event for a deleted message. */
export const deleteEvent = ({ id, channel }: DiscordMessage): GatewayEvent =>
  channelEvent(channel, 'MESSAGE_DELETE', [INTENTS.guildMessages, INTENTS.directMessages], { id })

/** Returns an event about a channel. Guild and direct channels need different intents. */
export const channelEvent = (
  channel: DiscordChannel,
  type: string,
  [guildIntent, directIntent]: readonly [number, number],
  fields: Readonly<Record<string, unknown>>,
): GatewayEvent => ({
  type,
  intent: channel.guildId === null ? directIntent : guildIntent,
  data: () => ({ ...fields, channel_id: channel.id, ...(channel.guildId !== null && { guild_id: channel.guildId }) }),
})

interface RateAnswer {
  readonly headers: Readonly<Record<string, string>>
  /** `null` within the limit. */
  readonly retryAfterSeconds: number | null
}

/** Rate limits with one bucket per route and channel. */
class RateWindows {
  readonly #clock: EmulatorClock
  readonly #rate: { readonly limit: number; readonly perMs: number }
  readonly #windows = new Map<string, { endsAtMs: number; used: number }>()

  constructor(clock: EmulatorClock, rate: { readonly limit: number; readonly perMs: number }) {
    this.#clock = clock
    this.#rate = rate
  }

  /** Counts a call and returns the rate limit headers. */
  use(route: string, channelId: string): RateAnswer {
    const key = `${route} ${channelId}`
    const { limit, perMs } = this.#rate
    const now = this.#clock.now()
    const open = this.#windows.get(key)
    const window = open && open.endsAtMs > now ? open : { endsAtMs: now + perMs, used: 0 }
    this.#windows.set(key, window)
    const isOver = window.used >= limit
    if (!isOver) window.used += 1
    const leftSeconds = (window.endsAtMs - now) / 1_000
    return {
      headers: {
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remaining': String(limit - window.used),
        'x-ratelimit-reset': (window.endsAtMs / 1_000).toFixed(3),
        'x-ratelimit-reset-after': leftSeconds.toFixed(3),
        'x-ratelimit-bucket': createHash('md5').update(route).digest('hex'),
      },
      retryAfterSeconds: isOver ? leftSeconds : null,
    }
  }
}
