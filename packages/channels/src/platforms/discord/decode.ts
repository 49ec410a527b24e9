import type { Chat, InboundEdit, InboundMessage, Person, MediaRef } from '../../message.ts'
import { integer, type Json, list, object, text } from '../wire/json.ts'
import { readSnowflake, readSnowflakeMs } from './snowflake.ts'

/** A decoded message, or why it is not passed on. */
export interface Decoded {
  readonly event?: InboundMessage | InboundEdit
  /** A message that exists, whoever wrote it. */
  readonly seen?: SeenMessage
  /** Malformed: dropped with a warning. */
  readonly malformed?: string
}

/** A message that was seen, with its nonce if the bot sent it. */
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
  readonly channelTitle: (channelId: string) => string | undefined
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
  const from = readPerson(message)
  if (from === undefined) return { malformed: 'message.author' }
  const content = readContent(message, chat, messageId, reader)
  if (content === null) return { malformed: 'message.content' }
  const isMentioned = chat.kind === 'group' && mentionsBot(message, reader.bot, reader.role)
  const quoted = readQuoted(message, reader)
  // a mention alone still asks for something
  const words = content.text === '' && isMentioned ? `@${reader.bot.name}` : content.text
  if (words === '' && content.media.length === 0) return { seen }
  const event: InboundMessage = {
    type: 'message',
    key: toDedupeKey(messageId),
    messageId,
    chat,
    from,
    text: words,
    sentAtMs: readSnowflakeMs(messageId),
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
  return { event: { type: 'edit', key: toDedupeKey(messageId), messageId, chat, text: words }, seen }
}

/** Returns whether the role of the bot matters to this message. */
export const mentionsRoles = (value: unknown): boolean => {
  const roles = object(value)?.['mention_roles']
  return Array.isArray(roles) && roles.length > 0
}

/** The role that Discord made for this bot, among those of a server. */
export function findBotRole(roles: readonly unknown[], bot: Pick<Bot, 'id'>): string | null {
  const own = roles.find((role) => object(object(role)?.['tags'])?.['bot_id'] === bot.id)
  return readSnowflake(object(own)?.['id']) ?? null
}

const toDedupeKey = (messageId: string): string => `m:${messageId}`

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
  const messageId = readSnowflake(message['id'])
  if (messageId === undefined) return 'id'
  const channelId = readSnowflake(message['channel_id'])
  if (channelId === undefined) return 'channel_id'
  const kind = reader.kind ?? (message['guild_id'] === undefined ? 'direct' : 'group')
  const title = kind === 'group' ? reader.channelTitle(channelId) : undefined
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

function readPerson(message: Json): Person | undefined {
  const author = object(message['author'])
  const id = readSnowflake(author?.['id'])
  if (author === undefined || id === undefined) return undefined
  const username = shortText(author['username'])
  const name = shortText(object(message['member'])?.['nick']) ?? shortText(author['global_name']) ?? username
  return { id, ...(name === undefined ? {} : { name }), ...(username === undefined ? {} : { username }) }
}

/** Reads the content of a message; `null` when the text is malformed. */
function readContent(
  message: Json,
  chat: Chat,
  messageId: string,
  { bot, role }: Reader,
): Pick<InboundMessage, 'text' | 'media'> | null {
  const words = readableText(message, bot, role)
  if (words === null) return null
  const forwarded = readForwarded(message)
  const passedOn = forwarded === undefined ? '' : (readableText(forwarded, bot, role) ?? '')
  const lines = [...contentLines(message), words, ...(forwarded === undefined ? [] : [`[Forwarded] ${passedOn}`])]
  const media = [message, ...(forwarded === undefined ? [] : [forwarded])]
  return {
    text: lines
      .filter((line) => line !== '')
      .join('\n')
      .trim(),
    media: media.flatMap((holder) => readMedia(holder, chat.id, messageId)),
  }
}

const FORWARD = 1

/** The message that this one passes on. */
export const readForwarded = (message: Json): Json | undefined => {
  if (integer(object(message['message_reference'])?.['type']) !== FORWARD) return undefined
  const snapshots = message['message_snapshots']
  return object(object(Array.isArray(snapshots) ? snapshots[0] : undefined)?.['message'])
}

const answersBot = (message: Json, bot: Bot): boolean =>
  object(object(message['referenced_message'])?.['author'])?.['id'] === bot.id

/** What is answered: only its id when Discord does not tell its text (absent), or it was deleted (null). */
function readQuoted(message: Json, { bot, role }: Reader): InboundMessage['quoted'] {
  const reference = object(message['message_reference'])
  if (reference === undefined || integer(reference['type']) === FORWARD) return undefined
  const answered = object(message['referenced_message'])
  const messageId = readSnowflake(reference['message_id'])
  const words = answered === undefined ? '' : (readableText(answered, bot, role) ?? '')
  const kinds =
    answered === undefined || words !== '' ? [] : readMedia(answered, '0', '0').map(({ kind }) => `[${kind}]`)
  const quotedText = (words === '' ? kinds.join(' ') : words).slice(0, 4_096)
  if (quotedText === '' && messageId === undefined) return undefined
  return { text: quotedText, ...(messageId === undefined ? {} : { messageId }) }
}

/** The bot that a message may be addressed to. */
export interface Bot {
  readonly id: string
  readonly name: string
}

/** Longest text that is taken, in UTF-16 units: far above what Discord allows a person to write. */
const TEXT_MAX = 16_384

/** Returns whether the bot is mentioned: itself, or by the role that Discord made for it. */
const mentionsBot = (message: Json, bot: Bot, role: string | null): boolean =>
  list(message['mentions']).some((user) => object(user)?.['id'] === bot.id) ||
  (role !== null && list(message['mention_roles']).includes(role)) ||
  new RegExp(`<@!?${bot.id}>`).test(text(message['content']) ?? '')

/** The text as people see it, without the mentions of the bot. `null` when it is no text. */
function readableText(message: Json, bot: Bot, role: string | null): string | null {
  const content = message['content'] ?? ''
  if (typeof content !== 'string' || content.length > TEXT_MAX) return null
  const names = namesIn(message)
  const shown = content
    .replaceAll(/<@!?(\d{1,20})> ?/g, (mention, id: string) => {
      if (id === bot.id) return ''
      const name = names.get(id)
      return name === undefined ? mention : `@${name}${mention.endsWith(' ') ? ' ' : ''}`
    })
    .replaceAll(/<@&(\d{1,20})> ?/g, (mention, id: string) => (id === role ? '' : mention))
    .replaceAll(/<a?(:\w{1,64}:)\d{1,20}>/g, '$1')
    .replaceAll(/<(\/[^:>]{1,128}):\d{1,20}>/g, '$1')
  return shown.trim()
}

function namesIn(message: Json): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const value of list(message['mentions']).slice(0, 100)) {
    const user = object(value)
    const id = readSnowflake(user?.['id'])
    const name = shortText(user?.['global_name']) ?? shortText(user?.['username'])
    if (id !== undefined && name !== undefined) names.set(id, name)
  }
  return names
}

/** Returns a non-empty string of at most 256 UTF-16 units. */
export const shortText = (value: unknown): string | undefined => {
  const words = text(value)?.slice(0, 256)
  return words === '' ? undefined : words
}

/** What a message holds besides text and files, one bracketed line each, so that the assistant knows. */
function contentLines(message: Json): readonly string[] {
  const lines: string[] = []
  for (const value of list(message['sticker_items']).slice(0, 3)) {
    const name = shortText(object(value)?.['name'])
    if (name !== undefined) lines.push(`[Sticker: ${name}]`)
  }
  const poll = object(message['poll'])
  if (poll !== undefined) {
    const answers = list(poll['answers']).slice(0, 10)
    const options = answers.map((answer) => shortText(object(object(answer)?.['poll_media'])?.['text']) ?? '')
    lines.push(`[Poll: ${[shortText(object(poll['question'])?.['text']) ?? '', ...options].join(' | ')}]`)
  }
  return lines
}

/** What is needed to fetch an attachment, also when its signed address has expired. */
export interface AttachmentRef {
  readonly channelId: string
  readonly messageId: string
  readonly attachmentId: string
  readonly url: string
}

const IS_VOICE = 1 << 13
const MAX_FILES = 10

/** The files of a message; what lacks an id or an address is left out. */
function readMedia(message: Json, channelId: string, messageId: string): readonly MediaRef[] {
  const isVoice = ((integer(message['flags']) ?? 0) & IS_VOICE) !== 0
  return readAttachments(message).map((attachment): MediaRef => {
    const { id, url, name, mime, sizeBytes } = attachment
    return {
      kind: isVoice ? 'voice' : toMediaKind(mime),
      ref: [channelId, messageId, id, url].join(' '),
      ...(name === undefined ? {} : { name }),
      ...(mime === undefined ? {} : { mime }),
      ...(sizeBytes === undefined ? {} : { sizeBytes }),
    }
  })
}

/** One file as Discord describes it. */
interface Attachment {
  readonly id: string
  readonly url: string
  readonly name?: string
  readonly mime?: string
  readonly sizeBytes?: number
}

/** Returns the attachments of a message; those without an id or URL are left out. */
export function readAttachments(message: Json): readonly Attachment[] {
  return list(message['attachments'])
    .slice(0, MAX_FILES)
    .flatMap((value): readonly Attachment[] => {
      const attachment = object(value)
      const id = readSnowflake(attachment?.['id'])
      const url = text(attachment?.['url'])
      if (attachment === undefined || id === undefined || url === undefined || !/^\S{1,2048}$/.test(url)) return []
      const name = text(attachment['filename'])?.slice(0, 256)
      const mime = text(attachment['content_type'])?.slice(0, 128)
      const sizeBytes = integer(attachment['size'])
      return [
        {
          id,
          url,
          ...(name === undefined || name === '' ? {} : { name }),
          ...(mime === undefined || mime === '' ? {} : { mime }),
          ...(sizeBytes === undefined || sizeBytes < 0 ? {} : { sizeBytes }),
        },
      ]
    })
}

/** `null` for what `mediaOf` did not write. */
export function readRef(ref: string): AttachmentRef | null {
  const [, channelId, messageId, attachmentId, url] = /^(\d{1,20}) (\d{1,20}) (\d{1,20}) (\S+)$/.exec(ref) ?? []
  if (channelId === undefined || messageId === undefined || attachmentId === undefined || url === undefined) return null
  return { channelId, messageId, attachmentId, url }
}

/** When a signed address ends, milliseconds since the Unix epoch; `null`: it does not say. */
export function readExpiryMs(url: string): number | null {
  const seconds = Number.parseInt(URL.parse(url)?.searchParams.get('ex') ?? '', 16)
  return Number.isSafeInteger(seconds) && seconds > 0 ? seconds * 1_000 : null
}

function toMediaKind(mime: string | undefined): MediaRef['kind'] {
  const type = /^(image|audio|video)\//.exec(mime ?? '')?.[1]
  return type === 'image' || type === 'audio' || type === 'video' ? type : 'file'
}
