import type { DiscordClient } from './client.ts'
import { botRoleIn } from './decode.ts'
import { shortText } from './decode-text.ts'
import { isObject, list, object } from '../wire/json.ts'
import { putNewest } from '../wire/newest.ts'
import { idOf } from './snowflake.ts'

/** What is known about servers and their channels. In memory: a session that is resumed does not tell it again. */
export interface Directory {
  /** Takes in an event about servers or channels. */
  learn(type: string, data: unknown): void
  titleOf(channelId: string): string | undefined
  /** The role that Discord made for the bot in this server; asks once where it is not known. */
  roleIn(guildId: string, signal: AbortSignal): Promise<string | null>
}

const MOST_TITLES = 20_000
const ASK_MS = 10_000
const ABOUT_CHANNEL: ReadonlySet<string> = new Set([
  'CHANNEL_CREATE',
  'CHANNEL_UPDATE',
  'THREAD_CREATE',
  'THREAD_UPDATE',
])

export function createDirectory(client: DiscordClient, botId: string): Directory {
  const guilds = new Map<string, string>()
  const roles = new Map<string, string | null>()
  const titles = new Map<string, string>()

  function name(value: unknown, guildId: string | undefined): void {
    const channel = object(value)
    const id = idOf(channel?.['id'])
    const title = shortText(channel?.['name'])
    if (id === undefined || title === undefined) return
    const full = [guilds.get(guildId ?? ''), `#${title}`].filter((part) => part !== undefined).join(' ')
    putNewest(titles, id, full, MOST_TITLES)
  }

  return {
    learn(type, data) {
      const value = object(data)
      if (value === undefined) return
      if (ABOUT_CHANNEL.has(type)) return name(value, idOf(value['guild_id']))
      const guildId = idOf(value['id'])
      if (type !== 'GUILD_CREATE' || guildId === undefined) return
      const title = shortText(value['name'])
      if (title !== undefined) guilds.set(guildId, title)
      if (Array.isArray(value['roles'])) roles.set(guildId, botRoleIn(value['roles'], { id: botId }))
      for (const channel of [...list(value['channels']), ...list(value['threads'])]) name(channel, guildId)
    },
    titleOf: (channelId) => titles.get(channelId),
    async roleIn(guildId, signal) {
      const role = roles.get(guildId)
      if (role !== undefined) return role
      const call = { method: 'GET', path: `/guilds/${guildId}/roles` } as const
      const answer = await client.call(call, { signal, timeoutMs: ASK_MS })
      if (!answer.ok) return null
      const found = Array.isArray(answer.result) ? botRoleIn(answer.result.filter(isObject), { id: botId }) : null
      roles.set(guildId, found)
      return found
    },
  }
}
