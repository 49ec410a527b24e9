import { createHash } from 'node:crypto'
import type { EmulatorClock } from '../kit/clock.ts'
import { Faults } from '../kit/faults.ts'
import { ChatWorld } from '../kit/world.ts'
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

/** The bot of the emulator. The token is made up. */
export const DISCORD_BOT = {
  id: '1300000000000000099',
  username: 'gatepost',
  token: `${Buffer.from('1300000000000000099').toString('base64url')}.MadeUp.emulator-made-up-token-AAAAAAAAAAAAAAA`,
} as const

/** Content may be read: the limited form, and the form that was applied for. */
export const CONTENT_LIMITED: number = 1 << 19
const CONTENT: number = 1 << 18

/** Everything that the emulator knows. */
export interface DiscordState {
  readonly settings: DiscordSettings
  readonly clock: EmulatorClock
  readonly world: ChatWorld
  readonly faults: Faults<DiscordFault>
  readonly ids: Snowflakes
  readonly people: People
  readonly messages: Messages
  readonly attachments: Attachments
  readonly gateway: Gateway
  readonly rates: RateWindows
  /** Of the application. */
  flags: number
  revoked: boolean
  identifiesLeft: number
  /** Where it listens; known once its port is. */
  url: string
  wsUrl: string
}

export function newState(settings: DiscordSettings): DiscordState {
  const { clock, history } = settings
  const ids = new Snowflakes(clock)
  const world = new ChatWorld(clock, history)
  const faults = new Faults<DiscordFault>()
  const bot = { id: DISCORD_BOT.id, username: DISCORD_BOT.username, global_name: null, bot: true }
  const attachments = new Attachments(settings.attachmentLifeMs, settings.fileBytes, () => state.url)
  const state: DiscordState = {
    settings,
    clock,
    world,
    faults,
    ids,
    people: new People(ids, bot),
    messages: new Messages(clock, history, attachments),
    attachments,
    gateway: new Gateway({
      clock,
      world,
      faults,
      history,
      heartbeatMs: settings.heartbeatMs,
      resumeMs: settings.resumeMs,
      isToken: (token) => !state.revoked && token === DISCORD_BOT.token,
      allowsContent: () => allowsContent(state),
      countIdentify: () => countIdentify(state),
      newSessionId: () => `session${ids.next()}`,
      ready: ({ id }) => readyFields(state, id),
      greeting: () => [...state.people.guilds.values()].map((guild) => guildCreate(state, guild)),
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

export const allowsContent = ({ flags }: DiscordState): boolean => (flags & (CONTENT | CONTENT_LIMITED)) !== 0

/** The platform resets the token of a bot that begins too many sessions. */
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

export const guildCreate = (state: DiscordState, guild: DiscordGuild): GatewayEvent => ({
  type: 'GUILD_CREATE',
  intent: INTENTS.guilds,
  data: () => guildFields(guild, state.people),
})

/** The nonce comes with the answer to a send and with its event; nobody says that it is kept in the history. */
export const nonceFields = ({ nonce }: DiscordMessage): Readonly<Record<string, unknown>> =>
  nonce === null ? {} : { nonce }

/** An event about a message, emptied for a session that did not ask for the content. */
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

/** A message is gone. */
export const deleteEvent = ({ id, channel }: DiscordMessage): GatewayEvent =>
  channelEvent(channel, 'MESSAGE_DELETE', [INTENTS.guildMessages, INTENTS.directMessages], { id })

/** An event about a channel: for guilds and for direct channels there is an intent each. */
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
  /** `null`: within the limit. */
  readonly retryAfterSeconds: number | null
}

/** One bucket per route and channel: so many calls per window. */
class RateWindows {
  readonly #clock: EmulatorClock
  readonly #rate: { readonly limit: number; readonly perMs: number }
  readonly #windows = new Map<string, { endsAtMs: number; used: number }>()

  constructor(clock: EmulatorClock, rate: { readonly limit: number; readonly perMs: number }) {
    this.#clock = clock
    this.#rate = rate
  }

  /** Counts a call. */
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
