import { isRecord } from '../kit/http.ts'
import { type Answer, invalidParameter, parseInnerJson, success, apiError, toText } from './answer.ts'
import { type Cards, isShared } from './cards.ts'
import type { RateLimits } from './rate-limits.ts'
import { plainContent, type ShownContent } from './shown-content.ts'
import { type FeishuChat, type FeishuState, type StoredMessage, TENANT } from './state.ts'

type Json = Readonly<Record<string, unknown>>

const HOUR_MS = 3_600_000
const CARD_UPDATE_MS = 14 * 24 * HOUR_MS
const MOST_EDITS = 20
/** Lifetime of a typing indicator, which stays until it is removed. */
const SIGN_MS = 24 * HOUR_MS

/** Calls about messages of the bot. */
export class Messages {
  readonly #state: FeishuState
  readonly #cards: Cards
  readonly #rates: RateLimits
  readonly #sentOnce = new Map<string, { readonly messageId: string; readonly untilMs: number }>()
  readonly #reactions = new Map<string, { readonly messageId: string; readonly emoji: string }>()

  constructor(state: FeishuState, cards: Cards, rates: RateLimits) {
    this.#state = state
    this.#cards = cards
    this.#rates = rates
  }

  /** Handles a send to a chat or person. */
  create(query: URLSearchParams, body: Json, bytes: number): Answer {
    const chat = this.#findReceivingChat(query.get('receive_id_type') ?? '', toText(body['receive_id']))
    return 'status' in chat ? chat : this.#send(chat, body, bytes, null)
  }

  /** Handles a reply. */
  reply(messageId: string, body: Json, bytes: number): Answer {
    const parent = this.#state.messages.get(messageId)
    const chat = parent && this.#state.chats.get(parent.chatId)
    if (!parent || !chat) return apiError(231003)
    return parent.deleted ? apiError(230011) : this.#send(chat, body, bytes, parent)
  }

  /** Handles an edit of a text or post. */
  update(messageId: string, body: Json, bytes: number): Answer {
    const message = this.#requireOwn(messageId)
    if ('status' in message) return message
    if (!['text', 'post'].includes(message.type) || body['msg_type'] !== message.type) return apiError(230054)
    if (message.edits >= MOST_EDITS) return apiError(230072)
    const shown = readContent(this.#state, this.#cards, message.type, body['content'], bytes)
    if (isError(shown)) return shown
    message.edits += 1
    this.#applyEdit(message, toText(body['content']), shown)
    return success(toMessageItem(message))
  }

  /** Handles the replacement of a card. */
  patch(messageId: string, body: Json, bytes: number): Answer {
    const message = this.#requireOwn(messageId)
    if ('status' in message) return message
    if (message.type !== 'interactive') return apiError(230054)
    if (this.#state.clock.now() - message.createdMs > CARD_UPDATE_MS) return apiError(230031)
    if (!this.#rates.takeUpdate(messageId)) return apiError(230020)
    const [before, after] = [message.content, body['content']].map((content) => parseInnerJson(content))
    if (!before || !after || !isShared(before) || !isShared(after)) return apiError(230099, 'update_multi is not true')
    const shown = readContent(this.#state, this.#cards, 'interactive', body['content'], bytes)
    if (isError(shown)) return shown
    this.#applyEdit(message, toText(body['content']), shown)
    return success()
  }

  /** Handles a recall. */
  recall(messageId: string): Answer {
    const message = this.#requireOwn(messageId)
    if ('status' in message) return message
    message.deleted = true
    this.#state.chatStore.removeMessage(messageId)
    return success()
  }

  /** Returns a message. */
  get(messageId: string): Answer {
    const message = this.#state.messages.get(messageId)
    if (!message) return apiError(231003)
    return success({ items: [toMessageItem(message)] })
  }

  /** Adds a reaction. */
  react(messageId: string, body: Json): Answer {
    const message = this.#state.messages.get(messageId)
    const type = body['reaction_type']
    const emoji = typeof type === 'object' && type !== null && 'emoji_type' in type ? toText(type.emoji_type) : ''
    if (!message) return apiError(231003)
    if (message.deleted) return apiError(230011)
    if (!/^\w+$/.test(emoji)) return apiError(231001)
    const reactionId = this.#state.newId('')
    this.#reactions.set(reactionId, { messageId, emoji })
    if (emoji === 'Typing') this.#state.chatStore.setTyping(message.chatId, SIGN_MS)
    return success({
      reaction_id: reactionId,
      operator: { operator_id: this.#state.bot.appId, operator_type: 'app' },
      action_time: String(this.#state.clock.now()),
      reaction_type: { emoji_type: emoji },
    })
  }

  /** Removes a reaction. */
  unreact(messageId: string, reactionId: string): Answer {
    const reaction = this.#reactions.get(reactionId)
    if (reaction?.messageId !== messageId) return apiError(231011)
    this.#reactions.delete(reactionId)
    const message = this.#state.messages.get(messageId)
    if (reaction.emoji === 'Typing' && message) this.#state.chatStore.setTyping(message.chatId, 0)
    return success({ reaction_id: reactionId, reaction_type: { emoji_type: reaction.emoji } })
  }

  #findReceivingChat(idType: string, id: string): FeishuChat | Answer {
    if (idType === 'chat_id') return this.#state.chats.get(id) ?? apiError(230002)
    if (!['open_id', 'union_id', 'user_id', 'email'].includes(idType)) return invalidParameter('receive_id_type')
    // other kinds of ids identify people too, but the emulator only knows open ids
    if (idType !== 'open_id' || !/^ou_\w+$/.test(id)) return invalidParameter('invalid receive_id')
    return this.#state.privateChat(id)
  }

  #send(chat: FeishuChat, body: Json, bytes: number, parent: StoredMessage | null): Answer {
    const { uuid } = body
    const type = toText(body['msg_type'])
    if (uuid !== undefined && (typeof uuid !== 'string' || uuid.length > 50)) return invalidParameter('uuid')
    const now = this.#state.clock.now()
    const before = typeof uuid === 'string' && uuid !== '' ? this.#sentOnce.get(uuid) : undefined
    const repeated = before && before.untilMs > now ? this.#state.messages.get(before.messageId) : undefined
    if (repeated) return success(toMessageItem(repeated))
    const shown = readContent(this.#state, this.#cards, type, body['content'], bytes)
    if (isError(shown)) return shown
    if (!this.#rates.takeSend(chat.chatId)) return apiError(230020)
    const inThread = parent !== null && (body['reply_in_thread'] === true || parent.threadId !== null)
    const message = this.#state.storeMessage({
      messageId: this.#state.newId('om_'),
      chatId: chat.chatId,
      type,
      content: toText(body['content']),
      createdMs: now,
      updatedMs: now,
      sender: { id: this.#state.bot.appId, id_type: 'app_id', sender_type: 'app' },
      parentId: parent?.messageId ?? null,
      rootId: parent?.rootId ?? parent?.messageId ?? null,
      threadId: inThread ? (parent.threadId ?? this.#state.newId('omt_')) : null,
      mentions: [],
      fileKeys: shown.fileKeys,
      edits: 0,
      deleted: false,
    })
    if (typeof uuid === 'string' && uuid !== '') this.#rememberUuid(uuid, message.messageId, now)
    this.#show(message, shown)
    return success(toMessageItem(message))
  }

  #rememberUuid(uuid: string, messageId: string, now: number): void {
    for (const [old, { untilMs }] of this.#sentOnce) if (untilMs <= now) this.#sentOnce.delete(old)
    this.#sentOnce.set(uuid, { messageId, untilMs: now + HOUR_MS })
  }

  #show({ messageId, chatId, parentId }: StoredMessage, shown: ShownContent): void {
    const { text, files, unfinished, cardId } = shown
    const { name } = this.#state.bot
    this.#state.chatStore.addBotMessage({ chatId, messageId, name, text, files, unfinished, replyTo: parentId })
    if (cardId !== null) this.#cards.attach(cardId, messageId)
  }

  #applyEdit(message: StoredMessage, content: string, shown: ShownContent): void {
    message.content = content
    message.updatedMs = this.#state.clock.now()
    this.#state.chatStore.replaceBotText(message.messageId, shown.text, shown.unfinished)
    if (shown.cardId !== null) this.#cards.attach(shown.cardId, message.messageId)
  }

  #requireOwn(messageId: string): StoredMessage | Answer {
    const message = this.#state.messages.get(messageId)
    if (!message) return apiError(231003)
    if (message.deleted) return apiError(230011)
    return message.sender.id === this.#state.bot.appId ? message : apiError(230071)
  }
}

/** Returns a message as calls return it. */
function toMessageItem(message: StoredMessage): Json {
  const { messageId, chatId, rootId, parentId, threadId, mentions, createdMs, updatedMs } = message
  return {
    message_id: messageId,
    ...(rootId !== null && { root_id: rootId }),
    ...(parentId !== null && { parent_id: parentId }),
    ...(threadId !== null && { thread_id: threadId }),
    msg_type: message.type,
    create_time: String(createdMs),
    update_time: String(updatedMs),
    deleted: message.deleted,
    updated: updatedMs > createdMs,
    chat_id: chatId,
    sender: { ...message.sender, tenant_key: TENANT },
    body: { content: message.deleted ? 'This message was recalled' : message.content },
    ...(mentions.length > 0 && {
      mentions: mentions.map(({ key, openId, name }) => ({
        key,
        id: openId,
        id_type: 'open_id',
        name,
        tenant_key: TENANT,
      })),
    }),
  }
}

/** Maximum request size by message type, in bytes. */
const LIMITS: Readonly<Record<string, number>> = { text: 150 * 1024, post: 30 * 1024, interactive: 30 * 1024 }

const FILE_KEYS: Readonly<Record<string, string>> = {
  image: 'image_key',
  file: 'file_key',
  audio: 'file_key',
  media: 'file_key',
}

/** Upload types that a message type accepts. */
const UPLOADED_AS: Readonly<Record<string, (type: string) => boolean>> = {
  image: (type) => type === 'message',
  audio: (type) => type === 'opus',
  media: (type) => type === 'mp4',
  file: (type) => type !== 'message' && type !== 'mp4',
}

/** Returns what a message shows, or the error. @param bytes Size of the whole request. */
function readContent(
  state: FeishuState,
  cards: Cards,
  type: string,
  content: unknown,
  bytes: number,
): ShownContent | Answer {
  if (bytes > (LIMITS[type] ?? LIMITS['text'] ?? 0)) return apiError(230025)
  const json = parseInnerJson(content)
  if (json === null) return invalidParameter('content is not a string in json format')
  if (type === 'text')
    return typeof json['text'] === 'string' ? plainContent(json['text']) : invalidParameter('text is required')
  if (type === 'post') return readPost(state, json)
  if (type === 'interactive') return cards.toShownContent(json)
  const key = FILE_KEYS[type]
  if (key === undefined) return invalidParameter('invalid msg_type')
  const file = state.file(toText(json[key]))
  if (file === null) return invalidParameter(`invalid ${key}`)
  if (UPLOADED_AS[type]?.(file.type) !== true) return apiError(230055)
  return { ...plainContent(''), files: [{ name: file.name, bytes: file.bytes }], fileKeys: [file.key] }
}

/** Whether a result is an error. */
const isError = (value: ShownContent | Answer): value is Answer => 'status' in value

function readPost(state: FeishuState, json: Json): ShownContent | Answer {
  const [post] = Object.values(json)
  if (!isRecord(post) || !Array.isArray(post['content'])) return invalidParameter('invalid post content')
  const lines: readonly unknown[] = post['content']
  if (!lines.every((line) => Array.isArray(line) && line.every(isRecord)))
    return invalidParameter('invalid post content')
  const elements = lines.map((line) => (Array.isArray(line) ? line.filter(isRecord) : []))
  const title = toText(post['title'])
  const text = elements.map((line) => line.map(toElementText).join('')).join('\n')
  const keys = elements.flat().flatMap((one) => (one['tag'] === 'img' ? [toText(one['image_key'])] : []))
  const files = keys.map((key) => state.file(key))
  if (files.includes(null)) return invalidParameter('invalid image_key')
  return {
    ...plainContent(title === '' ? text : `${title}\n${text}`),
    files: files.flatMap((file) => (file ? [{ name: file.name, bytes: file.bytes }] : [])),
    fileKeys: keys,
  }
}

function toElementText(element: Json): string {
  const text = toText(element['text'])
  switch (element['tag']) {
    case 'a':
      return `[${text}](${toText(element['href'])})`
    case 'at':
      return `<at user_id="${toText(element['user_id'])}"></at>`
    case 'code_block':
      return `\`\`\`${toText(element['language'])}\n${text}\n\`\`\``
    case 'hr':
      return '---'
    default:
      return text
  }
}

/** Handles "Get chat history": messages of a chat or thread, both sides. */
export function listMessages(state: FeishuState, query: URLSearchParams): Answer {
  const kind = query.get('container_id_type')
  const id = query.get('container_id') ?? ''
  const size = Number(query.get('page_size') ?? 20)
  if (kind !== 'chat' && kind !== 'thread') return invalidParameter('container_id_type')
  if (!Number.isInteger(size) || size < 1 || size > 50) return invalidParameter('page_size')
  const [from, to] = ['start_time', 'end_time'].map((name) => parseSeconds(query.get(name)))
  if (Number.isNaN(from) || Number.isNaN(to)) return invalidParameter('start_time or end_time')
  if (kind === 'thread' && (from !== null || to !== null)) return invalidParameter('start_time or end_time')
  const offset = parseOffset(query.get('page_token') ?? '')
  if (offset === null) return invalidParameter('page_token')
  const inside = [...state.messages.values()].filter(
    ({ chatId, threadId }) => (kind === 'chat' ? chatId : threadId) === id,
  )
  const chat = state.chats.get(kind === 'chat' ? id : (inside[0]?.chatId ?? ''))
  if (!chat) return kind === 'chat' ? apiError(230002) : invalidParameter('container_id')
  if (chat.type === 'group' && !state.isGranted('im:message.group_msg')) return apiError(230027)
  const found = inside.filter(({ createdMs, parentId, threadId }) => {
    const seconds = Math.floor(createdMs / 1_000)
    const isReplyInThread = kind === 'chat' && threadId !== null && parentId !== null
    return !isReplyInThread && seconds >= (from ?? 0) && seconds <= (to ?? Infinity)
  })
  if (query.get('sort_type') === 'ByCreateTimeDesc') found.reverse()
  const page = found.slice(offset, offset + size)
  const hasMore = offset + size < found.length
  const token = Buffer.from(`page:${offset + size}`).toString('base64url')
  return success({ has_more: hasMore, ...(hasMore && { page_token: token }), items: page.map(toMessageItem) })
}

/** Returns `null` when missing, NaN when invalid. */
function parseSeconds(text: string | null): number | null {
  if (text === null || text === '') return null
  return /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
}

function parseOffset(token: string): number | null {
  if (token === '') return 0
  const offset = /^page:(\d{1,9})$/.exec(Buffer.from(token, 'base64url').toString('utf8'))?.[1]
  return offset === undefined ? null : Number(offset)
}
