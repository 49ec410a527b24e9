import type { Chat, InboundEvent, InboundMessage, MediaRef } from '../../message.ts'
import { filled, integer, type Json, list, object, parseJson, text } from '../wire/json.ts'

/** A decoded callback, or why it is not passed on. */
interface Decoded {
  readonly event?: InboundEvent
  /** What a reply to this message must be sent with; only on the connection that brought it. */
  readonly reqId?: string
  /** What the bot is called, where the message shows it. */
  readonly toBotKey?: string
  /** Malformed: dropped with a warning. */
  readonly malformed?: string
}

/** Longest text that is taken, in UTF-16 units: far above what a person can write. */
const TEXT_MAX = 65_536
/** Longest id that is taken; a database could not index one of some thousand characters. */
const ID_MAX = 512
const MAX_ITEMS = 100
/** The last moment of a calendar, in seconds since the Unix epoch. */
const LATEST_SECONDS = 8_640_000_000_000

/**
 * Reads a callback frame. Pure; never throws, whatever it is given.
 * @param nowMs Time for what is not dated, milliseconds since the Unix epoch.
 * @param named Whether this is known to be the bot's name: it is never told, only seen in mentions.
 */
export function decodeFrame(frame: unknown, nowMs: number, named: (name: string) => boolean = () => false): Decoded {
  const { cmd, headers, body } = object(frame) ?? {}
  const content = object(body)
  if (content === undefined) return { malformed: 'body' }
  if (cmd === 'aibot_event_callback') return decodeEvent(content, nowMs)
  if (cmd !== 'aibot_msg_callback') return {}
  return decodeMessage(content, filled(object(headers)?.['req_id']), nowMs, named)
}

function decodeEvent(body: Json, nowMs: number): Decoded {
  const type = object(body['event'])?.['eventtype']
  if (type !== 'enter_chat') return {} // the end of the connection is for the client; cards and feedback: we send neither
  const id = readId(object(body['from'])?.['userid'])
  if (id === undefined) return { malformed: 'from.userid' }
  const key = readId(body['msgid']) ?? `enter_chat:${id}:${nowMs}`
  return {
    event: { type: 'reachability', key, person: { id }, chat: { id, kind: 'direct' }, unreachable: null },
  }
}

function decodeMessage(
  body: Json,
  reqId: string | undefined,
  nowMs: number,
  named: (name: string) => boolean,
): Decoded {
  const messageId = readId(body['msgid'])
  if (messageId === undefined) return { malformed: 'msgid' }
  const userId = readId(object(body['from'])?.['userid'])
  if (userId === undefined) return { malformed: 'from.userid' }
  const chat = readChat(body, userId)
  if (chat === null) return { malformed: 'chatid' }
  const said = readContent(body)
  const quote = object(body['quote'])
  const quoted = quote === undefined ? null : readContent(quote)
  const files = [...said.files, ...(quoted?.files ?? [])]
  if (said.text.trim() === '' && files.length === 0) return {} // a kind of message that we do not know
  const mention = chat.kind === 'group' ? botMention(said.text, named) : null
  const event: InboundMessage = {
    type: 'message',
    key: messageId,
    messageId,
    chat,
    from: { id: userId },
    text: mention === null ? said.text : mention.rest,
    sentAtMs: readTimeMs(body['create_time']) ?? nowMs,
    addressed: true, // in a group the bot is called only when it is mentioned
    media: files,
    ...(quoted === null
      ? {}
      : { quoted: { text: quoted.text || quoted.files.map(({ kind }) => `[${kind}]`).join(' ') } }),
  }
  return {
    event,
    ...(reqId === undefined ? {} : { reqId }),
    ...(mention === null ? {} : { toBotKey: mention.name }),
  }
}

const readId = (value: unknown): string | undefined => {
  const id = filled(value)
  return id !== undefined && id.length <= ID_MAX ? id : undefined
}

const readTimeMs = (value: unknown): number | undefined => {
  const seconds = integer(value)
  return seconds !== undefined && seconds > 0 && seconds <= LATEST_SECONDS ? seconds * 1_000 : undefined
}

function readChat(body: Json, userId: string): Chat | null {
  if (body['chattype'] !== 'group') return { id: userId, kind: 'direct' }
  const id = readId(body['chatid'])
  return id === undefined ? null : { id, kind: 'group' }
}

interface Said {
  readonly text: string
  readonly files: readonly MediaRef[]
}

/** What a message, a quote or an item of a mixed message holds. */
function readContent(holder: Json): Said {
  const type = text(holder['msgtype']) ?? ''
  const held = object(holder[type])
  switch (type) {
    case 'text':
    case 'voice': // its transcript
      return { text: (text(held?.['content']) ?? '').slice(0, TEXT_MAX), files: [] }
    case 'image':
    case 'file':
    case 'video': {
      const file = mediaRef(type, held)
      return { text: '', files: file === null ? [] : [file] }
    }
    case 'mixed': {
      const listed = list(held?.['msg_item']).slice(0, MAX_ITEMS)
      const items = listed.map((item) => readContent(flat(object(item) ?? {})))
      const lines = items.map((item) => item.text).filter((line) => line !== '')
      return { text: lines.join('\n').slice(0, TEXT_MAX), files: items.flatMap((item) => item.files) }
    }
    default:
      return { text: '', files: [] }
  }
}

/** An item holds no items. */
const flat = (item: Json): Json => (item['msgtype'] === 'mixed' ? {} : item)

const MENTION = /(?:^|\s)@\S+/g

/**
 * The mention of the bot at the beginning of a group message, and what follows it; `null`: there is none. The platform
 * marks no mentions; but it hands over only messages that mention the bot, so a lone mention is that of the bot.
 */
function botMention(
  source: string,
  named: (name: string) => boolean,
): { readonly name: string; readonly rest: string } | null {
  const [whole, name] = /^\s*@(\S+)\s*/.exec(source) ?? []
  if (whole === undefined || name === undefined) return null
  if (!named(name) && source.match(MENTION)?.length !== 1) return null
  const rest = source.slice(whole.length)
  return { name, rest: rest === '' ? source : rest }
}

/** Where a file of a message is, and what it is encrypted with. */
interface MediaPlace {
  readonly url: string
  /** Base64 of 32 bytes; `null`: not encrypted. */
  readonly aesKey: string | null
}

const URL_MAX = 8_192
const KEY_MAX = 200

/** `null` when no address is named. */
export function mediaRef(kind: 'image' | 'file' | 'video', held: unknown): MediaRef | null {
  const url = filled(object(held)?.['url'])
  if (url === undefined || url.length > URL_MAX) return null
  const aesKey = filled(object(held)?.['aeskey'])?.slice(0, KEY_MAX) ?? null
  const place: MediaPlace = { url, aesKey }
  return { kind, ref: JSON.stringify(place) }
}

/** Reads what `mediaRef` wrote; `null` for anything else. */
export function readMediaPlace(ref: string): MediaPlace | null {
  const place = object(parseJson(ref))
  const url = filled(place?.['url'])
  return url === undefined ? null : { url, aesKey: filled(place?.['aesKey']) ?? null }
}
