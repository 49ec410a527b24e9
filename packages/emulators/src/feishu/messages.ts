import { isRecord } from '../kit/http.ts'
import { type Answer, badParameter, innerJson, ok, refusal, textOf } from './answer.ts'
import { type Cards, isShared } from './cards.ts'
import type { Rates } from './rates.ts'
import { plain, type ShownContent } from './shown-content.ts'
import { type FeishuChat, type FeishuState, type StoredMessage, TENANT } from './state.ts'

type Json = Readonly<Record<string, unknown>>

const HOUR_MS = 3_600_000
const CARD_UPDATE_MS = 14 * 24 * HOUR_MS
const MOST_EDITS = 20
/** How long a sign of typing may stand: until it is taken away. */
const SIGN_MS = 24 * HOUR_MS

/** Calls that concern messages of the bot. */
export class Messages {
  readonly #state: FeishuState
  readonly #cards: Cards
  readonly #rates: Rates
  readonly #sentOnce = new Map<string, { readonly messageId: string; readonly untilMs: number }>()
  readonly #reactions = new Map<string, { readonly messageId: string; readonly emoji: string }>()

  constructor(state: FeishuState, cards: Cards, rates: Rates) {
    this.#state = state
    this.#cards = cards
    this.#rates = rates
  }

  create(query: URLSearchParams, body: Json, bytes: number): Answer {
    const chat = this.#receiver(query.get('receive_id_type') ?? '', textOf(body['receive_id']))
    return 'status' in chat ? chat : this.#send(chat, body, bytes, null)
  }

  reply(messageId: string, body: Json, bytes: number): Answer {
    const parent = this.#state.messages.get(messageId)
    const chat = parent && this.#state.chats.get(parent.chatId)
    if (!parent || !chat) return refusal(231003)
    return parent.deleted ? refusal(230011) : this.#send(chat, body, bytes, parent)
  }

  /** Edits a text or post. */
  update(messageId: string, body: Json, bytes: number): Answer {
    const message = this.#own(messageId)
    if ('status' in message) return message
    if (!['text', 'post'].includes(message.type) || body['msg_type'] !== message.type) return refusal(230054)
    if (message.edits >= MOST_EDITS) return refusal(230072)
    const shown = readContent(this.#state, this.#cards, message.type, body['content'], bytes)
    if (isRefusal(shown)) return shown
    message.edits += 1
    this.#change(message, textOf(body['content']), shown)
    return ok(itemOf(message))
  }

  /** Replaces a card. */
  patch(messageId: string, body: Json, bytes: number): Answer {
    const message = this.#own(messageId)
    if ('status' in message) return message
    if (message.type !== 'interactive') return refusal(230054)
    if (this.#state.clock.now() - message.createdMs > CARD_UPDATE_MS) return refusal(230031)
    if (!this.#rates.mayUpdate(messageId)) return refusal(230020)
    const [before, after] = [message.content, body['content']].map((content) => innerJson(content))
    if (!before || !after || !isShared(before) || !isShared(after)) return refusal(230099, 'update_multi is not true')
    const shown = readContent(this.#state, this.#cards, 'interactive', body['content'], bytes)
    if (isRefusal(shown)) return shown
    this.#change(message, textOf(body['content']), shown)
    return ok()
  }

  recall(messageId: string): Answer {
    const message = this.#own(messageId)
    if ('status' in message) return message
    message.deleted = true
    this.#state.chatStore.removeMessage(messageId)
    return ok()
  }

  get(messageId: string): Answer {
    const message = this.#state.messages.get(messageId)
    if (!message) return refusal(231003)
    return ok({ items: [itemOf(message)] })
  }

  react(messageId: string, body: Json): Answer {
    const message = this.#state.messages.get(messageId)
    const type = body['reaction_type']
    const emoji = typeof type === 'object' && type !== null && 'emoji_type' in type ? textOf(type.emoji_type) : ''
    if (!message) return refusal(231003)
    if (message.deleted) return refusal(230011)
    if (!/^\w+$/.test(emoji)) return refusal(231001)
    const reactionId = this.#state.newId('')
    this.#reactions.set(reactionId, { messageId, emoji })
    if (emoji === 'Typing') this.#state.chatStore.setTyping(message.chatId, SIGN_MS)
    return ok({
      reaction_id: reactionId,
      operator: { operator_id: this.#state.bot.appId, operator_type: 'app' },
      action_time: String(this.#state.clock.now()),
      reaction_type: { emoji_type: emoji },
    })
  }

  unreact(messageId: string, reactionId: string): Answer {
    const reaction = this.#reactions.get(reactionId)
    if (reaction?.messageId !== messageId) return refusal(231011)
    this.#reactions.delete(reactionId)
    const message = this.#state.messages.get(messageId)
    if (reaction.emoji === 'Typing' && message) this.#state.chatStore.setTyping(message.chatId, 0)
    return ok({ reaction_id: reactionId, reaction_type: { emoji_type: reaction.emoji } })
  }

  #receiver(idType: string, id: string): FeishuChat | Answer {
    if (idType === 'chat_id') return this.#state.chats.get(id) ?? refusal(230002)
    if (!['open_id', 'union_id', 'user_id', 'email'].includes(idType)) return badParameter('receive_id_type')
    // a union_id and the like stand for a person as well, but only an open_id says which one here
    if (idType !== 'open_id' || !/^ou_\w+$/.test(id)) return badParameter('invalid receive_id')
    return this.#state.privateChat(id)
  }

  #send(chat: FeishuChat, body: Json, bytes: number, parent: StoredMessage | null): Answer {
    const { uuid } = body
    const type = textOf(body['msg_type'])
    if (uuid !== undefined && (typeof uuid !== 'string' || uuid.length > 50)) return badParameter('uuid')
    const now = this.#state.clock.now()
    const before = typeof uuid === 'string' && uuid !== '' ? this.#sentOnce.get(uuid) : undefined
    const repeated = before && before.untilMs > now ? this.#state.messages.get(before.messageId) : undefined
    if (repeated) return ok(itemOf(repeated))
    const shown = readContent(this.#state, this.#cards, type, body['content'], bytes)
    if (isRefusal(shown)) return shown
    if (!this.#rates.maySend(chat.chatId)) return refusal(230020)
    const inThread = parent !== null && (body['reply_in_thread'] === true || parent.threadId !== null)
    const message = this.#state.keep({
      messageId: this.#state.newId('om_'),
      chatId: chat.chatId,
      type,
      content: textOf(body['content']),
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
    if (typeof uuid === 'string' && uuid !== '') this.#remember(uuid, message.messageId, now)
    this.#show(message, shown)
    return ok(itemOf(message))
  }

  #remember(uuid: string, messageId: string, now: number): void {
    for (const [old, { untilMs }] of this.#sentOnce) if (untilMs <= now) this.#sentOnce.delete(old)
    this.#sentOnce.set(uuid, { messageId, untilMs: now + HOUR_MS })
  }

  #show({ messageId, chatId, parentId }: StoredMessage, shown: ShownContent): void {
    const { text, files, unfinished, cardId } = shown
    const { name } = this.#state.bot
    this.#state.chatStore.addBotMessage({ chatId, messageId, name, text, files, unfinished, replyTo: parentId })
    if (cardId !== null) this.#cards.attach(cardId, messageId)
  }

  #change(message: StoredMessage, content: string, shown: ShownContent): void {
    message.content = content
    message.updatedMs = this.#state.clock.now()
    this.#state.chatStore.replaceBotText(message.messageId, shown.text, shown.unfinished)
    if (shown.cardId !== null) this.#cards.attach(shown.cardId, message.messageId)
  }

  #own(messageId: string): StoredMessage | Answer {
    const message = this.#state.messages.get(messageId)
    if (!message) return refusal(231003)
    if (message.deleted) return refusal(230011)
    return message.sender.id === this.#state.bot.appId ? message : refusal(230071)
  }
}

/** A message as calls answer it. */
function itemOf(message: StoredMessage): Json {
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

/** Longest request, bytes. */
const LIMITS: Readonly<Record<string, number>> = { text: 150 * 1024, post: 30 * 1024, interactive: 30 * 1024 }

const KEY_OF: Readonly<Record<string, string>> = {
  image: 'image_key',
  file: 'file_key',
  audio: 'file_key',
  media: 'file_key',
}

/** Kind that a file must have had at its upload. */
const UPLOADED_AS: Readonly<Record<string, (type: string) => boolean>> = {
  image: (type) => type === 'message',
  audio: (type) => type === 'opus',
  media: (type) => type === 'mp4',
  file: (type) => type !== 'message' && type !== 'mp4',
}

/** @param bytes Length of the whole request. @returns what is shown, or the refusal */
function readContent(
  state: FeishuState,
  cards: Cards,
  type: string,
  content: unknown,
  bytes: number,
): ShownContent | Answer {
  if (bytes > (LIMITS[type] ?? LIMITS['text'] ?? 0)) return refusal(230025)
  const json = innerJson(content)
  if (json === null) return badParameter('content is not a string in json format')
  if (type === 'text') return typeof json['text'] === 'string' ? plain(json['text']) : badParameter('text is required')
  if (type === 'post') return readPost(state, json)
  if (type === 'interactive') return cards.shown(json)
  const key = KEY_OF[type]
  if (key === undefined) return badParameter('invalid msg_type')
  const file = state.file(textOf(json[key]))
  if (file === null) return badParameter(`invalid ${key}`)
  if (UPLOADED_AS[type]?.(file.type) !== true) return refusal(230055)
  return { ...plain(''), files: [{ name: file.name, bytes: file.bytes }], fileKeys: [file.key] }
}

/** Whether reading a content ended in a refusal. */
const isRefusal = (value: ShownContent | Answer): value is Answer => 'status' in value

function readPost(state: FeishuState, json: Json): ShownContent | Answer {
  const [post] = Object.values(json)
  if (!isRecord(post) || !Array.isArray(post['content'])) return badParameter('invalid post content')
  const lines: readonly unknown[] = post['content']
  if (!lines.every((line) => Array.isArray(line) && line.every(isRecord))) return badParameter('invalid post content')
  const elements = lines.map((line) => (Array.isArray(line) ? line.filter(isRecord) : []))
  const title = textOf(post['title'])
  const text = elements.map((line) => line.map(elementText).join('')).join('\n')
  const keys = elements.flat().flatMap((one) => (one['tag'] === 'img' ? [textOf(one['image_key'])] : []))
  const files = keys.map((key) => state.file(key))
  if (files.includes(null)) return badParameter('invalid image_key')
  return {
    ...plain(title === '' ? text : `${title}\n${text}`),
    files: files.flatMap((file) => (file ? [{ name: file.name, bytes: file.bytes }] : [])),
    fileKeys: keys,
  }
}

function elementText(element: Json): string {
  const text = textOf(element['text'])
  switch (element['tag']) {
    case 'a':
      return `[${text}](${textOf(element['href'])})`
    case 'at':
      return `<at user_id="${textOf(element['user_id'])}"></at>`
    case 'code_block':
      return `\`\`\`${textOf(element['language'])}\n${text}\n\`\`\``
    case 'hr':
      return '---'
    default:
      return text
  }
}

/** "Get chat history": the messages of a chat or thread, both sides. */
export function listMessages(state: FeishuState, query: URLSearchParams): Answer {
  const kind = query.get('container_id_type')
  const id = query.get('container_id') ?? ''
  const size = Number(query.get('page_size') ?? 20)
  if (kind !== 'chat' && kind !== 'thread') return badParameter('container_id_type')
  if (!Number.isInteger(size) || size < 1 || size > 50) return badParameter('page_size')
  const [from, to] = ['start_time', 'end_time'].map((name) => secondsOf(query.get(name)))
  if (Number.isNaN(from) || Number.isNaN(to)) return badParameter('start_time or end_time')
  if (kind === 'thread' && (from !== null || to !== null)) return badParameter('start_time or end_time')
  const offset = offsetOf(query.get('page_token') ?? '')
  if (offset === null) return badParameter('page_token')
  const inside = [...state.messages.values()].filter(
    ({ chatId, threadId }) => (kind === 'chat' ? chatId : threadId) === id,
  )
  const chat = state.chats.get(kind === 'chat' ? id : (inside[0]?.chatId ?? ''))
  if (!chat) return kind === 'chat' ? refusal(230002) : badParameter('container_id')
  if (chat.type === 'group' && !state.granted('im:message.group_msg')) return refusal(230027)
  const found = inside.filter(({ createdMs, parentId, threadId }) => {
    const seconds = Math.floor(createdMs / 1_000)
    const isReplyInThread = kind === 'chat' && threadId !== null && parentId !== null
    return !isReplyInThread && seconds >= (from ?? 0) && seconds <= (to ?? Infinity)
  })
  if (query.get('sort_type') === 'ByCreateTimeDesc') found.reverse() // a list of our own
  const page = found.slice(offset, offset + size)
  const hasMore = offset + size < found.length
  const token = Buffer.from(`page:${offset + size}`).toString('base64url')
  return ok({ has_more: hasMore, ...(hasMore && { page_token: token }), items: page.map(itemOf) })
}

/** null: not given; NaN: no number. */
function secondsOf(text: string | null): number | null {
  if (text === null || text === '') return null
  return /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
}

function offsetOf(token: string): number | null {
  if (token === '') return 0
  const offset = /^page:(\d{1,9})$/.exec(Buffer.from(token, 'base64url').toString('utf8'))?.[1]
  return offset === undefined ? null : Number(offset)
}
