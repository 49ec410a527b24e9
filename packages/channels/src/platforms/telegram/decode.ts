import type { UnreachableCode } from '../../contacts/unreachable.ts'
import type { Chat, InboundEvent, InboundMessage, MediaRef, Person } from '../../message.ts'
import { integer, type Json, list, object, text } from '../wire/json.ts'
import { contentLine, readMedia, mentionsBot, readableText, type Bot } from './decode-content.ts'

/** A decoded update, or why it is not passed on. */
export interface Decoded {
  /** `null`: the update is not even numbered. */
  readonly updateId: number | null
  readonly event?: InboundEvent
  /** Call `answerCallbackQuery` once the event is accepted: until then the button shows a loading animation. */
  readonly callbackQueryId?: string
  /** A message that exists, whoever wrote it. */
  readonly seen?: { readonly chatId: string; readonly messageId: number }
  /** Malformed: dropped with a warning. */
  readonly malformed?: string
}

/** Longest text that is taken, in UTF-16 units: far above what Telegram allows a person to write. */
const TEXT_MAX = 65_536
/** A client splits a longer text into several messages. @see Bot API, `Message.text`: 0-4096 characters */
const CLIENT_SPLITS_AT = 4_000
/** Messages of one album, and parts of one long text, arrive within this time. */
const SETTLE_MS = 1_000

/**
 * Reads one element of a `getUpdates` answer. Pure; never throws, whatever it is given.
 * @param nowMs Time for what Telegram does not date (buttons), milliseconds since the Unix epoch.
 * @see Bot API, `Update`
 */
export function decodeUpdate(value: unknown, bot: Bot, nowMs: number): Decoded {
  const update = object(value)
  const updateId = integer(update?.['update_id'])
  if (update === undefined || updateId === undefined) return { updateId: null, malformed: 'update_id' }
  const decoded = decodeContent(update, updateId, bot, nowMs)
  return { updateId, ...decoded }
}

type Content = Omit<Decoded, 'updateId'>

function decodeContent(update: Json, updateId: number, bot: Bot, nowMs: number): Content {
  if (update['message'] !== undefined) return decodeMessage(update['message'], bot)
  if (update['edited_message'] !== undefined) return decodeEdit(update['edited_message'], bot)
  if (update['callback_query'] !== undefined) return decodeCallback(update['callback_query'], nowMs)
  if (update['my_chat_member'] !== undefined) return decodeMembership(update['my_chat_member'], updateId)
  return {} // a kind that was not asked for
}

function decodeMessage(value: unknown, bot: Bot): Content {
  const head = readHead(value)
  if (typeof head === 'string') return { malformed: `message.${head}` }
  const { message, chat, messageId, sentAtMs } = head
  const seen = { chatId: chat.id, messageId }
  const moved = decodeMove(message, chat)
  if (moved !== undefined) return { event: moved, seen }
  const from = readPerson(message['from'])
  if (!isByPerson(message, bot)) return { seen }
  if (from === undefined) return { malformed: 'message.from' }
  const read = readText(message, bot)
  if (read === null) return { malformed: 'message.text' }
  const media = readMedia(message)
  const written = [contentLine(message), read.text].filter((line) => line !== '').join('\n')
  if (written === '' && media.length === 0) return { seen } // a service message
  const settles = message['media_group_id'] !== undefined || read.text.length >= CLIENT_SPLITS_AT
  const event: InboundMessage = {
    type: 'message',
    key: toDedupeKey(chat, messageId),
    messageId: String(messageId),
    chat,
    from,
    text: written,
    sentAtMs,
    addressed: chat.kind === 'direct' || read.mentioned || answersBot(message, bot),
    media,
    ...readQuoted(message, bot),
    ...(settles ? { settleMs: SETTLE_MS } : {}),
  }
  return { event, seen }
}

function decodeEdit(value: unknown, bot: Bot): Content {
  const head = readHead(value)
  if (typeof head === 'string') return { malformed: `edited_message.${head}` }
  const { message, chat, messageId } = head
  if (!isByPerson(message, bot)) return {}
  const read = readText(message, bot)
  if (read === null) return { malformed: 'edited_message.text' }
  if (read.text === '') return {} // e.g. a live location that moved
  return {
    event: { type: 'edit', key: toDedupeKey(chat, messageId), messageId: String(messageId), chat, text: read.text },
  }
}

/** A pressed button counts as a message with the button's data as its text. */
function decodeCallback(value: unknown, nowMs: number): Content {
  const query = object(value)
  const callbackQueryId = text(query?.['id'])
  if (query === undefined || callbackQueryId === undefined) return { malformed: 'callback_query.id' }
  const message = object(query['message'])
  const data = text(query['data'])
  if (message === undefined || data === undefined || data === '') return { callbackQueryId } // inline, or a game
  const from = readPerson(query['from'])
  const chat = readChat(message)
  const messageId = integer(message['message_id'])
  if (from === undefined || chat === undefined || messageId === undefined || data.length > TEXT_MAX) {
    return { callbackQueryId, malformed: 'callback_query.message' }
  }
  const event: InboundMessage = {
    type: 'message',
    key: `c:${callbackQueryId}`,
    messageId: String(messageId),
    chat,
    from,
    text: data,
    sentAtMs: nowMs,
    addressed: true,
    media: [],
  }
  return { callbackQueryId, event }
}

const GONE: ReadonlyMap<string, UnreachableCode> = new Map([
  ['kicked', 'bot_blocked'],
  ['left', 'bot_left'],
])

/** The bot was blocked, unblocked, added or removed. In a group the group itself is what can be reached. */
function decodeMembership(value: unknown, updateId: number): Content {
  const change = object(value)
  const chat = change === undefined ? undefined : readChat(change)
  const member = object(change?.['new_chat_member'])
  const status = text(member?.['status'])
  if (change === undefined || chat === undefined || status === undefined) return { malformed: 'my_chat_member' }
  const from = readPerson(change['from'])
  const title = chat.title === undefined ? {} : { name: chat.title }
  const person = chat.kind === 'direct' ? from : { id: chat.id, ...title }
  if (person === undefined) return { malformed: 'my_chat_member.from' }
  const muted = status === 'restricted' && member?.['can_send_messages'] === false
  const unreachable = GONE.get(status) ?? (muted ? 'bot_muted' : null)
  return { event: { type: 'reachability', key: `r:${chat.id}:${updateId}`, person, chat, unreachable } }
}

/** A group that became a supergroup has a new id; either chat says so. */
function decodeMove(message: Json, chat: Chat): InboundEvent | undefined {
  const to = integer(message['migrate_to_chat_id'])
  const from = integer(message['migrate_from_chat_id'])
  if (to !== undefined) return { type: 'chat_moved', key: `x:${chat.id}`, chat, toChatId: String(to) }
  if (from === undefined) return undefined
  return { type: 'chat_moved', key: `x:${from}`, chat: { ...chat, id: String(from) }, toChatId: chat.id }
}

interface Head {
  readonly message: Json
  readonly chat: Chat
  readonly messageId: number
  readonly sentAtMs: number
}

/** What every message has, or the name of what is missing. */
function readHead(value: unknown): Head | string {
  const message = object(value)
  if (message === undefined) return 'object'
  const chat = readChat(message)
  if (chat === undefined) return 'chat'
  const messageId = integer(message['message_id'])
  if (messageId === undefined || messageId <= 0) return 'message_id'
  const date = integer(message['date'])
  if (date === undefined || date < 0 || date > 8_640_000_000_000) return 'date'
  return { message, chat, messageId, sentAtMs: date * 1_000 }
}

const toDedupeKey = (chat: Chat, messageId: number): string => `m:${chat.id}:${messageId}`

/** A message of a person: not of a bot (ourselves included), nor in the name of a channel or of an anonymous admin. */
const isByPerson = (message: Json, bot: Bot): boolean =>
  object(message['from'])?.['is_bot'] !== true &&
  object(message['chat'])?.['type'] !== 'channel' &&
  message['sender_chat'] === undefined &&
  message['is_automatic_forward'] !== true &&
  integer(object(message['via_bot'])?.['id']) !== bot.id

function readChat(holder: Json): Chat | undefined {
  const chat = object(holder['chat'])
  const id = integer(chat?.['id'])
  const type = chat?.['type']
  if (chat === undefined || id === undefined) return undefined
  if (type !== 'private' && type !== 'group' && type !== 'supergroup' && type !== 'channel') return undefined
  const title = shortText(chat['title'])
  const thread = holder['is_topic_message'] === true ? integer(holder['message_thread_id']) : undefined
  return {
    id: String(id),
    kind: type === 'private' ? 'direct' : 'group',
    ...(thread === undefined ? {} : { threadId: String(thread) }),
    ...(title === undefined ? {} : { title }),
  }
}

function readPerson(value: unknown): Person | undefined {
  const user = object(value)
  const id = integer(user?.['id'])
  if (user === undefined || id === undefined) return undefined
  const name = [shortText(user['first_name']), shortText(user['last_name'])].filter(Boolean).join(' ')
  const username = shortText(user['username'])
  return { id: String(id), ...(name === '' ? {} : { name }), ...(username === undefined ? {} : { username }) }
}

const shortText = (value: unknown): string | undefined => {
  const words = text(value)?.slice(0, 256)
  return words === '' ? undefined : words
}

/** Text or caption; `null` when it is no text or longer than any person can write. */
function readText(message: Json, bot: Bot): { readonly text: string; readonly mentioned: boolean } | null {
  const field = message['text'] === undefined ? 'caption' : 'text'
  const raw = message[field] ?? ''
  if (typeof raw !== 'string' || raw.length > TEXT_MAX) return null
  const entities = list(message[field === 'text' ? 'entities' : 'caption_entities'])
  if (entities.length === 0) return { text: raw, mentioned: false }
  return { text: readableText(raw, entities, bot), mentioned: mentionsBot(raw, entities, bot) }
}

/** In a topic every message seems to answer the one that opened the topic: that is no answer. */
const readAnswered = (message: Json): Json | undefined => {
  const answered = object(message['reply_to_message'])
  if (answered === undefined || answered['forum_topic_created'] !== undefined) return undefined
  return answered
}

const answersBot = (message: Json, bot: Bot): boolean =>
  integer(object(readAnswered(message)?.['from'])?.['id']) === bot.id

/** The passage that was selected, else the whole message that is answered. */
function readQuoted(message: Json, bot: Bot): Pick<InboundMessage, 'quoted'> {
  const answered = readAnswered(message)
  const passage = text(object(message['quote'])?.['text'])
  const whole =
    answered === undefined ? '' : [contentLine(answered), readText(answered, bot)?.text ?? ''].join('\n').trim()
  const kinds: readonly MediaRef[] = answered === undefined || whole !== '' ? [] : readMedia(answered)
  const quoted = (passage ?? (whole === '' ? kinds.map(({ kind }) => `[${kind}]`).join(' ') : whole)).slice(0, 4_096)
  const messageId = integer(answered?.['message_id'])
  if (quoted === '' && messageId === undefined) return {}
  return { quoted: { text: quoted, ...(messageId === undefined ? {} : { messageId: String(messageId) }) } }
}
