import { createHmac } from 'node:crypto'
import type { EmulatorClock } from '../kit/clock.ts'
import { FileStore } from '../kit/file-store.ts'
import { unknownMessage } from './failure.ts'
import { type DiscordChannel, type DiscordUser, userFields } from './people.ts'

/** A message. */
export interface DiscordMessage {
  readonly id: string
  readonly channel: DiscordChannel
  readonly author: DiscordUser
  content: string
  readonly atMs: number
  editedAtMs: number | null
  mentions: readonly DiscordUser[]
  readonly attachments: readonly StoredAttachment[]
  embeds: readonly unknown[]
  /** Id of the message it replies to. */
  readonly referenceId: string | null
  readonly flags: number
  readonly nonce: string | number | null
}

type Fields = Readonly<Record<string, unknown>>

/** Messages of all channels. */
export class Messages {
  readonly #clock: EmulatorClock
  readonly #history: number
  readonly #attachments: Attachments
  readonly #byChannel = new Map<string, DiscordMessage[]>()

  constructor(clock: EmulatorClock, history: number, attachments: Attachments) {
    this.#clock = clock
    this.#history = history
    this.#attachments = attachments
  }

  /** Adds a message. */
  add(message: DiscordMessage): void {
    const messages = this.#listChannel(message.channel.id)
    messages.push(message)
    if (messages.length > this.#history) messages.shift()
  }

  /** Returns the message, or `null`. */
  find(channelId: string, messageId: string): DiscordMessage | null {
    return this.#listChannel(channelId).find(({ id }) => id === messageId) ?? null
  }

  /** Returns the message. @throws {DiscordFailure} 10008 */
  get(channelId: string, messageId: string): DiscordMessage {
    const message = this.find(channelId, messageId)
    if (!message) throw unknownMessage()
    return message
  }

  /** Removes a message. */
  remove({ id, channel }: DiscordMessage): void {
    const messages = this.#listChannel(channel.id)
    messages.splice(
      messages.findIndex((message) => message.id === id),
      1,
    )
  }

  /** Returns the message with this nonce sent after `sinceMs`, or `null`. */
  withNonce(channelId: string, author: DiscordUser, nonce: string | number, sinceMs: number): DiscordMessage | null {
    const isMatch = (message: DiscordMessage): boolean =>
      message.author.id === author.id && String(message.nonce) === String(nonce) && message.atMs > sinceMs
    return this.#listChannel(channelId).findLast(isMatch) ?? null
  }

  /** Returns a page of the history around an id, newest first. */
  page(
    channelId: string,
    by: 'before' | 'after' | 'around' | null,
    id: string,
    limit: number,
  ): readonly DiscordMessage[] {
    const all = this.#listChannel(channelId)
    const at = by === null ? 0n : BigInt(id)
    const older = all.filter((message) => BigInt(message.id) < at)
    const newer = all.filter((message) => BigInt(message.id) > at)
    const same = all.filter((message) => BigInt(message.id) === at)
    const half = Math.floor(limit / 2)
    const pages = {
      before: () => older.slice(-limit),
      after: () => newer.slice(0, limit),
      around: () => [...older.slice(-half), ...same, ...newer.slice(0, half)],
    }
    return (by === null ? all.slice(-limit) : pages[by]()).toReversed()
  }

  /**
   * Returns the fields of a message as the bot sees them.
   * @param mayRead Whether the bot can read messages that don't mention it.
   */
  fields(message: DiscordMessage, bot: DiscordUser, mayRead: boolean, isWithReference = true): Fields {
    const { channel, author, mentions } = message
    const isOpen =
      mayRead || channel.type === 1 || author.id === bot.id || mentions.some((mentioned) => mentioned.id === bot.id)
    const referenced = message.referenceId === null ? null : this.find(channel.id, message.referenceId)
    return {
      id: message.id,
      channel_id: channel.id,
      author: userFields(author),
      content: isOpen ? message.content : '',
      timestamp: formatTimestamp(message.atMs),
      edited_timestamp: message.editedAtMs === null ? null : formatTimestamp(message.editedAtMs),
      tts: false,
      mention_everyone: false,
      mentions: mentions.map(userFields),
      mention_roles: [],
      attachments: isOpen ? message.attachments.map((one) => this.#attachments.fields(one, this.#clock.now())) : [],
      embeds: isOpen ? message.embeds : [],
      components: [],
      pinned: false,
      type: message.referenceId === null ? 0 : 19,
      flags: message.flags,
      ...(message.referenceId !== null && {
        message_reference: {
          type: 0,
          message_id: message.referenceId,
          channel_id: channel.id,
          ...(channel.guildId !== null && { guild_id: channel.guildId }),
        },
        ...(isWithReference && {
          referenced_message: referenced && this.fields(referenced, bot, mayRead, false),
        }),
      }),
    }
  }

  #listChannel(channelId: string): DiscordMessage[] {
    const messages = this.#byChannel.get(channelId) ?? []
    this.#byChannel.set(channelId, messages)
    return messages
  }
}

/** Formats a time with microseconds and offset, like the platform. */
const formatTimestamp = (ms: number): string => new Date(ms).toISOString().replace('Z', '000+00:00')

/** A stored attachment. */
export interface StoredAttachment {
  readonly id: string
  readonly channelId: string
  readonly name: string
  readonly mimeType: string
  /** Size that the platform reports, in bytes. */
  readonly size: number
  readonly kind: 'image' | 'voice' | 'other'
}

/** Files of messages, at signed addresses that expire. */
export class Attachments {
  readonly #lifeMs: number
  readonly #files: FileStore
  readonly #baseUrl: () => string

  /** @param lifeMs Lifetime of a signature. @param capacityBytes Total size to keep. */
  constructor(lifeMs: number, capacityBytes: number, baseUrl: () => string) {
    this.#lifeMs = lifeMs
    this.#files = new FileStore(capacityBytes)
    this.#baseUrl = baseUrl
  }

  /** Stores a file. */
  put(attachment: StoredAttachment, bytes: Uint8Array): void {
    const { id, name, mimeType } = attachment
    this.#files.put(id, { name, mimeType, bytes, untilMs: Number.POSITIVE_INFINITY })
  }

  /** Returns the fields of an attachment, with a new signature. */
  fields(attachment: StoredAttachment, nowMs: number): Readonly<Record<string, unknown>> {
    const { id, channelId, name, mimeType, size, kind } = attachment
    const path = `/attachments/${channelId}/${id}/${encodeURIComponent(name)}`
    const ends = Math.floor((nowMs + this.#lifeMs) / 1_000).toString(16)
    const begins = Math.floor(nowMs / 1_000).toString(16)
    const url = `${this.#baseUrl()}${path}?ex=${ends}&is=${begins}&hm=${signature(path, ends, begins)}&`
    return {
      id,
      filename: name,
      ...(mimeType !== '' && { content_type: mimeType }),
      size,
      url,
      proxy_url: url,
      ...(kind === 'image' && { width: 1, height: 1 }),
      ...(kind === 'voice' && { duration_secs: 1, waveform: 'AAAA' }),
    }
  }

  /** Returns the file, or `null` when it is unknown or the address is invalid or expired. */
  open(url: URL, nowMs: number): { readonly bytes: Uint8Array; readonly mimeType: string } | null {
    const [ends, begins] = [url.searchParams.get('ex') ?? '', url.searchParams.get('is') ?? '']
    if (url.searchParams.get('hm') !== signature(url.pathname, ends, begins)) return null
    if (Number.parseInt(ends, 16) * 1_000 <= nowMs) return null
    return this.#files.get(url.pathname.split('/')[3] ?? '', nowMs)
  }
}

const signature = (path: string, ends: string, begins: string): string =>
  createHmac('sha256', 'made up').update(`${path}\n${ends}\n${begins}`).digest('hex')
