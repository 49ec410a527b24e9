import { unknownChannel } from './failure.ts'
import { type Snowflakes, toSnowflake } from './snowflakes.ts'

/** A user. */
export interface DiscordUser {
  readonly id: string
  readonly username: string
  readonly global_name: string | null
  readonly bot: boolean
}

/** A channel. */
export interface DiscordChannel {
  readonly id: string
  /** 0: text channel of a guild, 1: direct, 11: public thread. */
  readonly type: 0 | 1 | 11
  readonly name: string
  readonly guildId: string | null
  /** Channel of a thread. */
  readonly parentId: string | null
  /** User of a direct channel. */
  readonly recipient: DiscordUser | null
}

/** A guild. */
export interface DiscordGuild {
  readonly id: string
  readonly name: string
  readonly joinedAtMs: number
}

/** Users, channels and guilds. */
export class People {
  readonly bot: DiscordUser
  readonly guilds = new Map<string, DiscordGuild>()
  readonly channels = new Map<string, DiscordChannel>()
  readonly users = new Map<string, DiscordUser>()
  readonly #ids: Snowflakes

  constructor(ids: Snowflakes, bot: DiscordUser) {
    this.#ids = ids
    this.bot = bot
    this.users.set(bot.id, bot)
  }

  /** Returns a user, created on first use. @param id Mapped to a snowflake unless it is a number. */
  user(id: string, name: string | undefined, isBot: boolean): DiscordUser {
    if (id === '') throw new RangeError('A person needs an id')
    const snowflake = toSnowflake(id)
    const known = this.users.get(snowflake)
    if (known && (name === undefined || known.global_name === name)) return known
    const username = (name ?? `user${id}`).toLowerCase().replaceAll(/[^a-z0-9._]/g, '_')
    const user = { id: snowflake, username, global_name: name ?? known?.global_name ?? null, bot: isBot }
    this.users.set(snowflake, user)
    return user
  }

  /** Returns the direct channel with a user, created on first use. */
  direct(recipient: DiscordUser): DiscordChannel {
    const known = [...this.channels.values()].find((channel) => channel.recipient?.id === recipient.id)
    if (known) return known
    return this.#add({ id: this.#ids.next(), type: 1, name: '', guildId: null, parentId: null, recipient })
  }

  /** Adds the bot to a guild. Returns its text channel, and whether the guild is new. */
  join(id: string, title: string | undefined, nowMs: number): readonly [channel: DiscordChannel, isNew: boolean] {
    const guildId = toSnowflake(id)
    if (this.guilds.has(guildId)) return [this.#firstChannel(guildId), false]
    this.guilds.set(guildId, { id: guildId, name: title ?? id, joinedAtMs: nowMs })
    const channel = {
      id: this.#ids.next(),
      type: 0,
      name: 'general',
      guildId,
      parentId: null,
      recipient: null,
    } as const
    return [this.#add(channel), true]
  }

  /** Creates a thread; it has the id of the message it starts from. */
  thread(id: string, parent: DiscordChannel, name: string): DiscordChannel {
    return this.#add({ id, type: 11, name, guildId: parent.guildId, parentId: parent.id, recipient: null })
  }

  /** Returns a channel by its own id, or by the id of its person or guild. */
  findByName(id: string): DiscordChannel | undefined {
    const snowflake = toSnowflake(id)
    const isMatch = ({ recipient, guildId }: DiscordChannel): boolean => (recipient?.id ?? guildId) === snowflake
    return this.channels.get(id) ?? [...this.channels.values()].find(isMatch)
  }

  /** Returns the channel. @throws {DiscordFailure} 10003 */
  channel(id: string): DiscordChannel {
    const channel = this.channels.get(id)
    if (!channel) throw unknownChannel()
    return channel
  }

  #firstChannel(guildId: string): DiscordChannel {
    const first = [...this.channels.values()].find((channel) => channel.guildId === guildId)
    if (!first) throw new RangeError('The guild has no channel')
    return first
  }

  #add(channel: DiscordChannel): DiscordChannel {
    this.channels.set(channel.id, channel)
    return channel
  }
}

type Fields = Readonly<Record<string, unknown>>

/** Returns the fields of a user. */
export const userFields = ({ id, username, global_name, bot }: DiscordUser): Fields => ({
  id,
  username,
  global_name,
  discriminator: '0',
  avatar: null,
  ...(bot && { bot }),
})

/** Returns the fields of a channel. */
export const channelFields = (channel: DiscordChannel): Fields => ({
  id: channel.id,
  type: channel.type,
  ...(channel.guildId === null ? { recipients: channel.recipient ? [userFields(channel.recipient)] : [] } : {}),
  ...(channel.guildId !== null && { guild_id: channel.guildId, name: channel.name, position: 0 }),
  ...(channel.parentId !== null && { parent_id: channel.parentId }),
  last_message_id: null,
})

/** Returns the fields of a guild, as in GUILD_CREATE. */
export const guildFields = (guild: DiscordGuild, people: People): Fields => {
  const channels = [...people.channels.values()].filter(({ guildId }) => guildId === guild.id)
  return {
    id: guild.id,
    name: guild.name,
    icon: null,
    owner_id: '1',
    unavailable: false,
    joined_at: new Date(guild.joinedAtMs).toISOString(),
    member_count: people.users.size,
    channels: channels.filter(({ type }) => type === 0).map(channelFields),
    threads: channels.filter(({ type }) => type === 11).map(channelFields),
    members: [],
    roles: [],
  }
}
