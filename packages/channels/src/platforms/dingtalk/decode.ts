import type { InboundMessage, MediaRef } from '../../message.ts'
import { filled, isObject, type Json, list, object, parseJson, text } from '../wire/json.ts'
import { number } from './http.ts'

/** A decoded bot message. */
interface Decoded {
  /** Absent: nothing to answer. */
  readonly event?: InboundMessage
  /** What the message reveals about its chat. */
  readonly chat?: SeenChat
  /** What was missing. */
  readonly malformed?: string
}

interface SeenChat {
  readonly id: string
  readonly conversationId: string
  readonly robotCode: string
  readonly external: boolean
  /** Not checked yet. */
  readonly webhook: string | null
  readonly webhookUntilMs: number
}

/** Far above any id; a longer one fits no database index and would be redelivered forever. */
const ID_CHARACTERS = 500
/** The last millisecond that a date can stand for. */
const LAST_MS = 8_640_000_000_000_000
/** Life of a webhook without an expiry. */
const WEBHOOK_MS = 90 * 60_000

/**
 * @param data The `data` of a frame.
 * @param clientId Stands in for a robot code that is missing: as a rule they are the same.
 */
export function decodeMessage(data: string, clientId: string, nowMs: number): Decoded {
  const message = object(parseJson(data))
  if (message === undefined) return { malformed: "the message isn't a JSON object" }
  const msgId = readId(message['msgId'])
  const conversationId = readId(message['conversationId'])
  const senderId = readId(message['senderId'])
  const staffId = readId(message['senderStaffId'])
  const from = staffId ?? senderId
  if (msgId === undefined || conversationId === undefined || from === undefined) {
    return { malformed: 'msgId, conversationId or senderId' }
  }
  if (senderId !== undefined && senderId === filled(message['chatbotUserId'])) return {}
  const isGroup = text(message['conversationType']) === '2' || number(message['conversationType']) === 2
  const robotCode = readId(message['robotCode']) ?? clientId
  const title = isGroup ? filled(message['conversationTitle']) : undefined
  const name = filled(message['senderNick'])
  const id = isGroup ? conversationId : from
  const body = readBody(text(message['msgtype']) ?? '', findBody(message), robotCode)
  const quote = findQuote(message, robotCode)
  const sentAtMs = number(message['createAt'])
  const event: InboundMessage = {
    type: 'message',
    key: `${robotCode}:${msgId}`,
    messageId: msgId,
    chat: { id, kind: isGroup ? 'group' : 'direct', ...(title === undefined ? {} : { title }) },
    from: { id: from, ...(name === undefined ? {} : { name }) },
    text: body.text,
    sentAtMs: sentAtMs !== undefined && sentAtMs > 0 && sentAtMs <= LAST_MS ? Math.round(sentAtMs) : nowMs,
    addressed: !isGroup || isMentioned(message),
    media: [...body.media, ...(quote?.media ?? [])],
    ...(quote === null ? {} : { quoted: toQuoted(quote) }),
  }
  const webhook = filled(message['sessionWebhook']) ?? null
  const webhookUntilMs = number(message['sessionWebhookExpiredTime']) ?? nowMs + WEBHOOK_MS
  const external = !isGroup && staffId === undefined
  return { event, chat: { id, conversationId, robotCode, external, webhook, webhookUntilMs } }
}

function readId(value: unknown): string | undefined {
  const id = filled(value)
  return id === undefined || id.length > ID_CHARACTERS ? undefined : id
}

/** An object, also one that was sent as JSON text. */
const objectOrJson = (value: unknown): Json | undefined => object(typeof value === 'string' ? parseJson(value) : value)

/** Texts stand in a member of their own, which may lie beside a `content` that holds only the quote. */
const findBody = (message: Json): Json =>
  object(message[text(message['msgtype']) ?? '']) ?? objectOrJson(message['content']) ?? {}

/** DingTalk only delivers group messages that mention the bot, so anything but an explicit "no" counts as a mention. */
function isMentioned(message: Json): boolean {
  if (message['isInAtList'] !== false) return true
  const bot = filled(message['chatbotUserId'])
  return bot !== undefined && list(message['atUsers']).some((user) => object(user)?.['dingtalkId'] === bot)
}

interface Quote extends Body {
  readonly messageId?: string
}

function findQuote(message: Json, robotCode: string): Quote | null {
  for (const holder of [object(message['text']), objectOrJson(message['content'])]) {
    const replied = objectOrJson(holder?.['repliedMsg'])
    if (replied === undefined) continue
    const messageId = filled(replied['msgId'])
    return { ...readQuote(replied, robotCode), ...(messageId === undefined ? {} : { messageId }) }
  }
  return null
}

const toQuoted = ({ messageId, text: said }: Quote): NonNullable<InboundMessage['quoted']> => ({
  text: said,
  ...(messageId === undefined ? {} : { messageId }),
})

/** Returns the robot code and download code of a file. */
export function readMediaRef(
  { ref }: MediaRef,
  clientId: string,
): { readonly robotCode: string; readonly code: string } {
  const at = ref.indexOf(' ')
  return at < 0 ? { robotCode: clientId, code: ref } : { robotCode: ref.slice(0, at), code: ref.slice(at + 1) }
}

/** Text and files of a message. */
interface Body {
  readonly text: string
  readonly media: readonly MediaRef[]
}

/** Deeper nested quotes are ignored. */
const MAX_DEPTH = 4
/** Of one message: no client sends more. */
const MAX_FILES = 20

const PLACEHOLDERS: Readonly<Record<string, string>> = {
  picture: '[picture]',
  audio: '[voice message]',
  video: '[video]',
  file: '[file]',
  markdown: '[formatted message]',
  actionCard: '[card]',
  interactiveCard: '[card]',
  reply: '[reply]',
  chatRecord: '[chat record]',
}

const placeholderFor = (type: string): string => PLACEHOLDERS[type] ?? '[unsupported message]'

/** @see DingTalk Open Platform, "receive messages": one form of `content` per `msgtype` */
function readBody(type: string, content: Json, robotCode: string): Body {
  const media = (kind: MediaRef['kind'], from: Json, name?: string): readonly MediaRef[] => {
    const code = filled(from['downloadCode']) ?? filled(from['pictureDownloadCode'])
    return code === undefined ? [] : [{ kind, ref: `${robotCode} ${code}`, ...(name === undefined ? {} : { name }) }]
  }
  switch (type) {
    case 'text':
      return { text: (text(content['content']) ?? text(content['text']) ?? '').trim(), media: [] }
    case 'richText': {
      const pieces = list(content['richText'])
        .map(object)
        .filter((piece) => piece !== undefined)
      const said = pieces.map((piece) => text(piece['text']) ?? '').join('')
      return { text: said.trim(), media: pieces.flatMap((piece) => media('image', piece)).slice(0, MAX_FILES) }
    }
    case 'picture':
      return { text: '', media: media('image', content) }
    case 'audio':
      return { text: (text(content['recognition']) ?? '').trim(), media: media('voice', content) }
    case 'video': {
      const extension = /^[a-z0-9]{2,5}$/i.exec(text(content['videoType']) ?? '')?.[0]
      return { text: '', media: media('video', content, extension && `video.${extension}`) }
    }
    case 'file':
      return { text: '', media: media('file', content, filled(content['fileName'])) }
    default: {
      const said = filled(content['text']) ?? filled(content['title']) ?? filled(content['content'])
      return { text: said?.trim() ?? placeholderFor(type), media: media('file', content) }
    }
  }
}

/** Reads a quoted message. Its text is never empty: a placeholder names other content. */
function readQuote(replied: Json, robotCode: string): Body {
  const content = unwrapContent(replied['content'], 0)
  const type = filled(replied['msgType']) ?? filled(replied['msgtype']) ?? guessedType(content)
  const body = readBody(type, content, robotCode)
  return body.text === '' ? { ...body, text: placeholderFor(type) } : body
}

/** The content may be an object, JSON text, plain text, or one of these in a `content` of its own, repeatedly. */
function unwrapContent(value: unknown, depth: number): Json {
  const read = typeof value === 'string' ? (parseJson(value) ?? value) : value
  if (!isObject(read)) return { text: text(value) ?? '' }
  const inner = read['content']
  const isWrapper = inner !== undefined && !('text' in read) && !('richText' in read) && !('downloadCode' in read)
  if (!isWrapper) return read
  if (depth >= MAX_DEPTH) return { text: '' }
  return typeof inner === 'string' || isObject(inner) ? unwrapContent(inner, depth + 1) : read
}

function guessedType(content: Json): string {
  if ('richText' in content) return 'richText'
  if ('text' in content) return 'text'
  return 'downloadCode' in content ? 'file' : ''
}
