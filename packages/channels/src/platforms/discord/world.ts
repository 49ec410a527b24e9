import type { PlatformIo } from '../../platform-io.ts'
import { type Json, list, object } from '../wire/json.ts'
import { createPerBotState, putNewest } from '../wire/bounded-map.ts'
import type { DiscordClient } from './client.ts'
import { shortText, findBotRole } from './decode.ts'
import type { SeenMessages } from './find-sent.ts'
import type { RestCall } from './sdk.ts'
import { readSnowflake } from './snowflake.ts'

/** What one connection works with across runs. */
export interface DiscordWorld {
  readonly io: PlatformIo
  readonly client: DiscordClient
  readonly token: string
  readonly botId: string
  readonly seen: SeenMessages
  readonly directory: Directory
  readonly health: SocketHealth
}

/** Known servers and channels. In memory only: a resumed session does not send them again. */
interface Directory {
  /** Takes in an event about servers or channels. */
  learn(type: string, data: unknown): void
  channelTitle(channelId: string): string | undefined
  /** The role that Discord made for the bot in this server; asks once where it is not known. */
  roleIn(guildId: string, signal: AbortSignal): Promise<string | null>
  /** The same of the server that this channel belongs to. */
  roleAt(channelId: string, signal: AbortSignal): Promise<string | null>
}

const MAX_CHANNELS = 20_000
const MAX_GUILDS = 5_000
const ASK_MS = 10_000
const ABOUT_CHANNEL: ReadonlySet<string> = new Set([
  'CHANNEL_CREATE',
  'CHANNEL_UPDATE',
  'THREAD_CREATE',
  'THREAD_UPDATE',
])
/** The role of the bot may be told of only after its server. */
const ABOUT_ROLE: ReadonlySet<string> = new Set(['GUILD_ROLE_CREATE', 'GUILD_ROLE_UPDATE'])

/** Creates an empty directory. */
export function createDirectory(client: DiscordClient, botId: string): Directory {
  const ask: Ask = async (path, signal) => {
    const answer = await client.call({ method: 'GET', path }, { signal, timeoutMs: ASK_MS })
    return answer.ok ? answer.result : null
  }
  const roles = createRoles(ask, botId)
  const guilds = new Map<string, string>()
  const titles = new Map<string, string>()
  const guildByChannel = new Map<string, string>()

  function learnChannel(value: unknown, guildId: string | undefined): void {
    const channel = object(value)
    const id = readSnowflake(channel?.['id'])
    if (id === undefined) return
    if (guildId !== undefined) putNewest(guildByChannel, id, guildId, MAX_CHANNELS)
    const title = shortText(channel?.['name'])
    if (title === undefined) return
    const full = [guilds.get(guildId ?? ''), `#${title}`].filter((part) => part !== undefined).join(' ')
    putNewest(titles, id, full, MAX_CHANNELS)
  }

  function learnGuild(guildId: string, guild: Json): void {
    const title = shortText(guild['name'])
    if (title !== undefined) putNewest(guilds, guildId, title, MAX_GUILDS)
    if (Array.isArray(guild['roles'])) roles.are(guildId, guild['roles'])
    for (const channel of [...list(guild['channels']), ...list(guild['threads'])]) learnChannel(channel, guildId)
  }

  return {
    learn(type, data) {
      const value = object(data)
      if (value === undefined) return
      if (ABOUT_CHANNEL.has(type)) return learnChannel(value, readSnowflake(value['guild_id']))
      if (ABOUT_ROLE.has(type)) return roles.has(readSnowflake(value['guild_id']), value['role'])
      const guildId = readSnowflake(value['id'])
      if (type === 'GUILD_CREATE' && guildId !== undefined) learnGuild(guildId, value)
    },
    channelTitle: (channelId) => titles.get(channelId),
    roleIn: roles.in,
    async roleAt(channelId, signal) {
      const known = guildByChannel.get(channelId)
      const guildId = known ?? readSnowflake(object(await ask(`/channels/${channelId}`, signal))?.['guild_id'])
      return guildId === undefined ? null : roles.in(guildId, signal)
    },
  }
}

/** @returns `null` when nothing was answered. */
type Ask = (path: RestCall['path'], signal: AbortSignal) => Promise<unknown>

interface Roles {
  /** All of a server. */
  are(guildId: string, roles: readonly unknown[]): void
  /** One more of a server. */
  has(guildId: string | undefined, role: unknown): void
  readonly in: Directory['roleIn']
}

function createRoles(ask: Ask, botId: string): Roles {
  const own = new Map<string, string | null>()
  const setRoles: Roles['are'] = (guildId, roles) =>
    putNewest(own, guildId, findBotRole(roles, { id: botId }), MAX_GUILDS)
  return {
    are: setRoles,
    has(guildId, role) {
      if (guildId !== undefined && findBotRole([role], { id: botId }) !== null) setRoles(guildId, [role])
    },
    async in(guildId, signal) {
      const known = own.get(guildId)
      if (known !== undefined) return known
      const answer = await ask(`/guilds/${guildId}/roles`, signal)
      if (Array.isArray(answer)) setRoles(guildId, answer)
      return own.get(guildId) ?? null
    },
  }
}

/** State of a bot's socket in this process. */
interface SocketHealth {
  /** READY or RESUMED has come. */
  isReady: boolean
  /** When anything came last, milliseconds since the Unix epoch. */
  heardAtMs: number
  /** Of the socket before this one. */
  lastClose: number | null
}

/** Of one bot, by its id. In memory only, for the doctor of the same process. */
export const getBotHealth = createPerBotState<SocketHealth>(() => ({ isReady: false, heardAtMs: 0, lastClose: null }))
