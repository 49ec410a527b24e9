import type { Chat, InboundEvent, InboundMessage } from '../../message.ts'
import { filled, type Json, list, object } from '../wire/json.ts'
import { type Content, type Mention, readContent, readMs } from './decode-content.ts'

/** A message in the form that events and the history have in common. */
export interface RawMessage {
  readonly messageId: string
  readonly chatId: string
  /** Absent where the history leaves it open. */
  readonly chatType?: string
  readonly threadId?: string
  readonly parentId?: string
  readonly type: string
  readonly content: string
  readonly sentAtMs: number
  readonly senderType: string
  readonly senderId: string
  readonly mentions: readonly Mention[]
  /** Taken back by its sender. */
  readonly deleted: boolean
}

/** The message that is answered, as it was read back; `null`: it could not be. */
export interface Parent {
  readonly text: string
  /** This bot wrote it. */
  readonly own: boolean
}

/** Reads `im.message.receive_v1`, header and event in one. `null`: not a thing that Feishu sends. */
export function readEvent(event: unknown): RawMessage | null {
  const message = object(object(event)?.['message'])
  const sender = object(object(event)?.['sender'])
  const raw = message && readRawHead(message, filled(message['content']), filled(message['message_type']))
  if (!raw) return null
  return {
    ...raw,
    senderType: filled(sender?.['sender_type']) ?? '',
    senderId: filled(object(sender?.['sender_id'])?.['open_id']) ?? '',
    mentions: readMentions(message, (mention) => filled(object(mention['id'])?.['open_id'])),
  }
}

/** Reads one item of `GET /im/v1/messages`. */
export function readItem(value: unknown): RawMessage | null {
  const item = object(value)
  const sender = object(item?.['sender'])
  const raw = item && readRawHead(item, filled(object(item['body'])?.['content']), filled(item['msg_type']))
  if (!raw) return null
  return {
    ...raw,
    senderType: filled(sender?.['sender_type']) ?? '',
    senderId: filled(sender?.['id']) ?? '',
    mentions: readMentions(item, (mention) => filled(mention['id'])),
  }
}

type Head = Omit<RawMessage, 'senderType' | 'senderId' | 'mentions'>

function readRawHead(message: Json, content: string | undefined, type: string | undefined): Head | null {
  const messageId = filled(message['message_id'])
  const chatId = filled(message['chat_id'])
  const sentAtMs = readMs(message['create_time'])
  if (messageId === undefined || chatId === undefined || type === undefined || sentAtMs === null) return null
  const chatType = filled(message['chat_type'])
  const threadId = filled(message['thread_id'])
  const parentId = filled(message['parent_id'])
  return {
    messageId,
    chatId,
    type,
    sentAtMs,
    content: content ?? '',
    deleted: message['deleted'] === true,
    ...(chatType === undefined ? {} : { chatType }),
    ...(threadId === undefined ? {} : { threadId }),
    ...(parentId === undefined ? {} : { parentId }),
  }
}

function readMentions(message: Json, getId: (mention: Json) => string | undefined): readonly Mention[] {
  return list(message['mentions']).flatMap((value) => {
    const mention = object(value)
    const key = filled(mention?.['key'])
    if (mention === undefined || key === undefined) return []
    return [{ key, openId: getId(mention) ?? '', name: filled(mention['name'])?.slice(0, 256) ?? '' }]
  })
}

/** Returns the dedupe key of a message, the same for events and the history. */
const toDedupeKey = (messageId: string): string => `m:${messageId}`

/** A person's message: those of bots, ours included, and of the system are not answered. */
export const isByPerson = (raw: RawMessage): boolean => raw.senderType === 'user' && raw.senderId !== '' && !raw.deleted

/**
 * The message as the core sees it; `null` when it says nothing.
 * @param botId `open_id` of the bot; `null`: it could not be asked.
 * @param known What is known of the chat where the message does not say it.
 */
export function toInboundMessage(
  raw: RawMessage,
  botId: string | null,
  more: { readonly parent: Parent | null; readonly forwarded: string | null; readonly known?: Chat },
): InboundMessage | null {
  const content = readContent(raw.type, raw.content, { ...raw, botId })
  if (content === null) return null
  const words = content.forwarded === true ? (more.forwarded ?? '[forwarded messages]') : content.text
  if (words === '' && content.media.length === 0) return null
  const chat = toChat(raw, more.known)
  const mentioned = botId !== null && raw.mentions.some(({ openId }) => openId === botId)
  const quoted = raw.parentId === undefined ? null : { messageId: raw.parentId, text: more.parent?.text ?? '' }
  return {
    type: 'message',
    key: toDedupeKey(raw.messageId),
    messageId: raw.messageId,
    chat,
    from: { id: raw.senderId },
    text: words,
    sentAtMs: raw.sentAtMs,
    addressed: chat.kind === 'direct' || mentioned || more.parent?.own === true,
    media: content.media,
    ...(quoted === null ? {} : { quoted }),
  }
}

function toChat(raw: RawMessage, known: Chat | undefined): Chat {
  const kind = raw.chatType === undefined ? (known?.kind ?? 'group') : raw.chatType === 'p2p' ? 'direct' : 'group'
  return { id: raw.chatId, kind, ...(raw.threadId === undefined ? {} : { threadId: raw.threadId }) }
}

const QUOTE_MAX = 4_096

/** What is quoted: the text of a message that was read back. */
export function quotedText(raw: RawMessage, botId: string | null): string {
  const content: Content | null = readContent(raw.type, raw.content, { ...raw, botId })
  const words = content === null || content.text !== '' ? (content?.text ?? '') : describeMedia(content)
  return words.slice(0, QUOTE_MAX)
}

const describeMedia = (content: Content): string =>
  content.media.map(({ kind, name }) => (name === undefined ? `[${kind}]` : `[${kind}: ${name}]`)).join(' ')

/** The messages inside a merged forward, one a line; their files cannot be had. */
export function forwardedText(children: readonly RawMessage[]): string {
  const lines = children.map((raw) => {
    const content = readContent(raw.type, raw.content, { ...raw, botId: null })
    if (content?.forwarded === true) return '[forwarded messages]'
    return content === null ? '' : [content.text, describeMedia(content)].filter(Boolean).join(' ')
  })
  return ['[forwarded messages]', ...lines.filter(Boolean).map((line) => `> ${line.replaceAll('\n', '\n> ')}`)].join(
    '\n',
  )
}

/** Reads that the bot was added to or removed from a group. `eventId` makes each change unique. */
export function readMembership(event: unknown, isRemoved: boolean): InboundEvent | null {
  const change = object(event)
  const chatId = filled(change?.['chat_id'])
  if (change === undefined || chatId === undefined) return null
  const title = filled(change['name'])?.slice(0, 256)
  return {
    type: 'reachability',
    key: `r:${filled(change['event_id']) ?? `${chatId}:${filled(change['create_time']) ?? ''}`}`,
    person: { id: chatId, ...(title === undefined ? {} : { name: title }) },
    chat: { id: chatId, kind: 'group', ...(title === undefined ? {} : { title }) },
    unreachable: isRemoved ? 'bot_left' : null,
  }
}
