import type { Chat, InboundEdit, InboundMessage, Person } from '../../message.ts'
import { mediaOf } from './decode-media.ts'
import { type Bot, contentLines, mentionsBot, readableText, shortText } from './decode-text.ts'
import { integer, type Json, object, text } from '../wire/json.ts'
import { idOf, timeOf } from './snowflake.ts'

/** A message as the core sees it, or why it is not for the core. */
export interface Decoded {
  readonly event?: InboundMessage | InboundEdit
  /** A message that exists, whoever wrote it. */
  readonly seen?: SeenMessage
  /** Not a thing that Discord sends: dropped, and worth a warning. */
  readonly malformed?: string
}

export interface SeenMessage {
  readonly channelId: string
  readonly messageId: string
  /** What we sent along with it; only for messages of ours. */
  readonly nonce?: string
}

/** What decoding needs to know besides the message. */
export interface Reader {
  readonly bot: Bot
  /** The role that Discord made for the bot in this server; `null`: none, or not known. */
  readonly role: string | null
  readonly titleOf: (channelId: string) => string | undefined
  /** Of messages that do not say themselves where they stand: those of a channel's history. */
  readonly kind?: Chat['kind']
}

const BY_PEOPLE: ReadonlySet<unknown> = new Set([0, 19])

/**
 * Reads the data of MESSAGE_CREATE, or one message of a channel's history. Pure; never throws, whatever it is given.
 * @see Discord, "Message Object"
 */
export function decodeMessage(value: unknown, reader: Reader): Decoded {
  const head = readHead(value, reader)
  if (typeof head === 'string') return { malformed: `message.${head}` }
  const { message, chat, messageId, seen } = head
  if (!isByPerson(message, reader.bot)) return { seen }
  const from = personOf(message)
  if (from === undefined) return { malformed: 'message.author' }
  const content = contentOf(message, chat, messageId, reader)
  if (content === null) return { malformed: 'message.content' }
  const isMentioned = chat.kind === 'group' && mentionsBot(message, reader.bot, reader.role)
  const quoted = quotedOf(message, reader)
  // a mention alone still asks for something
  const words = content.text === '' && isMentioned ? `@${reader.bot.name}` : content.text
  if (words === '' && content.media.length === 0) return { seen }
  const event: InboundMessage = {
    type: 'message',
    key: keyOf(messageId),
    messageId,
    chat,
    from,
    text: words,
    sentAtMs: timeOf(messageId),
    addressed: chat.kind === 'direct' || isMentioned || answersBot(message, reader.bot),
    media: content.media,
    ...(quoted === undefined ? {} : { quoted }),
  }
  return { event, seen }
}

/** Reads the data of MESSAGE_UPDATE, which also comes when Discord adds the picture of a link. Pure; never throws. */
export function decodeUpdate(value: unknown, reader: Reader): Decoded {
  const head = readHead(value, reader)
  if (typeof head === 'string') return { malformed: `message.${head}` }
  const { message, chat, messageId, seen } = head
  if (text(message['edited_timestamp']) === undefined || !isByPerson(message, reader.bot)) return { seen }
  const words = readableText(message, reader.bot, reader.role)
  if (words === null || words === '') return { seen }
  return { event: { type: 'edit', key: keyOf(messageId), messageId, chat, text: words }, seen }
}

/** Whether the role of the bot matters to this message. */
export const mentionsRoles = (value: unknown): boolean => {
  const roles = object(value)?.['mention_roles']
  return Array.isArray(roles) && roles.length > 0
}

/** The role that Discord made for this bot, among those of a server. */
export function botRoleIn(roles: readonly unknown[], bot: Pick<Bot, 'id'>): string | null {
  const own = roles.find((role) => object(object(role)?.['tags'])?.['bot_id'] === bot.id)
  return idOf(object(own)?.['id']) ?? null
}

const keyOf = (messageId: string): string => `m:${messageId}`

interface Head {
  readonly message: Json
  readonly chat: Chat
  readonly messageId: string
  readonly seen: SeenMessage
}

/** What every message has, or the name of what is missing. */
function readHead(value: unknown, reader: Reader): Head | string {
  const message = object(value)
  if (message === undefined) return 'object'
  const messageId = idOf(message['id'])
  if (messageId === undefined) return 'id'
  const channelId = idOf(message['channel_id'])
  if (channelId === undefined) return 'channel_id'
  const kind = reader.kind ?? (message['guild_id'] === undefined ? 'direct' : 'group')
  const title = kind === 'group' ? reader.titleOf(channelId) : undefined
  const isOwn = object(message['author'])?.['id'] === reader.bot.id
  const nonce = isOwn ? message['nonce'] : undefined
  return {
    message,
    chat: { id: channelId, kind, ...(title === undefined ? {} : { title }) },
    messageId,
    seen: { channelId, messageId, ...(typeof nonce === 'string' ? { nonce } : {}) },
  }
}

/** Written by a person: not by a bot (ourselves included), a webhook, or Discord itself. */
const isByPerson = (message: Json, bot: Bot): boolean => {
  const author = object(message['author'])
  return (
    author?.['bot'] !== true &&
    author?.['system'] !== true &&
    author?.['id'] !== bot.id &&
    (message['webhook_id'] === undefined || message['webhook_id'] === null) &&
    BY_PEOPLE.has(message['type'] ?? 0)
  )
}

function personOf(message: Json): Person | undefined {
  const author = object(message['author'])
  const id = idOf(author?.['id'])
  if (author === undefined || id === undefined) return undefined
  const username = shortText(author['username'])
  const name = shortText(object(message['member'])?.['nick']) ?? shortText(author['global_name']) ?? username
  return { id, ...(name === undefined ? {} : { name }), ...(username === undefined ? {} : { username }) }
}

/** `null` when the text is none. */
function contentOf(
  message: Json,
  chat: Chat,
  messageId: string,
  { bot, role }: Reader,
): Pick<InboundMessage, 'text' | 'media'> | null {
  const words = readableText(message, bot, role)
  if (words === null) return null
  const forwarded = forwardedIn(message)
  const passedOn = forwarded === undefined ? '' : (readableText(forwarded, bot, role) ?? '')
  const lines = [...contentLines(message), words, ...(forwarded === undefined ? [] : [`[Forwarded] ${passedOn}`])]
  const media = [message, ...(forwarded === undefined ? [] : [forwarded])]
  return {
    text: lines
      .filter((line) => line !== '')
      .join('\n')
      .trim(),
    media: media.flatMap((holder) => mediaOf(holder, chat.id, messageId)),
  }
}

const FORWARD = 1

/** The message that this one passes on. */
export const forwardedIn = (message: Json): Json | undefined => {
  if (integer(object(message['message_reference'])?.['type']) !== FORWARD) return undefined
  const snapshots = message['message_snapshots']
  return object(object(Array.isArray(snapshots) ? snapshots[0] : undefined)?.['message'])
}

const answersBot = (message: Json, bot: Bot): boolean =>
  object(object(message['referenced_message'])?.['author'])?.['id'] === bot.id

/** What is answered: only its id when Discord does not tell its text (absent), or it was deleted (null). */
function quotedOf(message: Json, { bot, role }: Reader): InboundMessage['quoted'] {
  const reference = object(message['message_reference'])
  if (reference === undefined || integer(reference['type']) === FORWARD) return undefined
  const answered = object(message['referenced_message'])
  const messageId = idOf(reference['message_id'])
  const words = answered === undefined ? '' : (readableText(answered, bot, role) ?? '')
  const kinds = answered === undefined || words !== '' ? [] : mediaOf(answered, '0', '0').map(({ kind }) => `[${kind}]`)
  const quotedText = (words === '' ? kinds.join(' ') : words).slice(0, 4_096)
  if (quotedText === '' && messageId === undefined) return undefined
  return { text: quotedText, ...(messageId === undefined ? {} : { messageId }) }
}
