import { evictOldest } from '../kit/bounded-log.ts'
import { isRecord } from '../kit/http.ts'
import type { ChatFile } from '../kit/chat-store.ts'
import { countSend, streamLife, type FrameCall } from './call.ts'
import { WecomFailure } from './faults.ts'
import type { Callback, ChatKind, WecomState, Stream } from './state.ts'

type Fields = Readonly<Record<string, unknown>>

interface Content {
  readonly text: string
  readonly files?: readonly ChatFile[]
}

/** Handles a reply to a message, identified by the `req_id` of its callback. */
export function respondMessage(call: FrameCall): undefined {
  const { state, body } = call
  const callback = requireCallback(call)
  if (callback.kind !== 'message') throw new WecomFailure(846605)
  if (state.clock.now() - callback.atMs >= state.times.replyLifeMs) throw new WecomFailure(846604)
  if (body['msgtype'] === 'stream') return respondStream(call, callback)
  const content = parseContent(state, body)
  countSend(state, callback.chatId)
  showMessage(state, callback.chatId, content, callback.messageId)
}

/** Handles a push to a person or group that has sent a message before. */
export function sendMessage({ state, body }: FrameCall): undefined {
  const { chatid: chatId, chat_type: chatType } = body
  if (typeof chatId !== 'string' || chatId === '') throw new WecomFailure(93006)
  const kind = state.chats.get(chatId)
  if (kind === undefined) throw new WecomFailure(isKnownInOtherCase(state, chatId) ? 93006 : 93001)
  if (chatType !== undefined && chatType !== toChatType(kind) && chatType !== 0) {
    throw new WecomFailure(chatType === 1 || chatType === 2 ? 93006 : 40058)
  }
  const content = parseContent(state, body)
  countSend(state, chatId)
  showMessage(state, chatId, content, null)
}

/** Handles the greeting when a person opens the chat, the only reply that accepts plain text. */
export function respondWelcome(call: FrameCall): undefined {
  const { state, body } = call
  const callback = requireEventCallback(call, 'enter_chat')
  const content =
    body['msgtype'] === 'text'
      ? { text: requireText(body['text']) }
      : body['msgtype'] === 'template_card'
        ? parseContent(state, body)
        : invalid('msgtype')
  showMessage(state, callback.chatId, content, null)
}

/** Handles the update of a card after a button press. */
export function updateCard(call: FrameCall): undefined {
  const { state, body } = call
  const callback = requireEventCallback(call, 'template_card_event')
  if (body['response_type'] !== 'update_template_card') invalid('response_type')
  const { text } = parseContent(state, { msgtype: 'template_card', template_card: body['template_card'] })
  const card = state.chatStore.listMessages(callback.chatId).findLast((line) => line.by === 'bot')
  if (card) state.chatStore.replaceBotText(card.messageId, text)
}

/** @throws {WecomFailure} 846605 when the `req_id` is unknown or belongs to another connection */
function requireCallback({ state, connection, reqId }: FrameCall): Callback {
  const callback = state.callbacks.get(reqId)
  if (callback === undefined || callback.connection !== connection) throw new WecomFailure(846605)
  return callback
}

function requireEventCallback(call: FrameCall, eventType: string): Callback {
  const callback = requireCallback(call)
  if (callback.eventType !== eventType) throw new WecomFailure(846605)
  if (call.state.clock.now() - callback.atMs >= call.state.times.eventAnswerMs) throw new WecomFailure(846604)
  return callback
}

function showMessage(state: WecomState, chatId: string, { text, files = [] }: Content, replyTo: string | null): void {
  state.chatStore.addBotMessage({ chatId, messageId: state.nextId('B'), name: state.bot.name, text, files, replyTo })
}

function parseContent(state: WecomState, body: Fields): Content {
  const { msgtype } = body
  switch (msgtype) {
    case 'markdown':
      return { text: requireText(body['markdown']) }
    case 'template_card':
      return { text: cardText(body['template_card']) }
    case 'file':
    case 'image':
    case 'voice':
    case 'video': {
      const content = body[msgtype]
      const mediaId = isRecord(content) ? content['media_id'] : undefined
      const file = typeof mediaId === 'string' ? state.media.get(mediaId, state.clock.now()) : null
      if (file?.type !== msgtype) return invalid('media_id')
      return { text: '', files: [file] }
    }
    default:
      return invalid('msgtype')
  }
}

/** Returns the text of a card, one field per line. */
function cardText(card: unknown): string {
  if (!isRecord(card) || typeof card['card_type'] !== 'string') return invalid('template_card')
  const title = isRecord(card['main_title']) ? card['main_title'] : {}
  const words = [title['title'], title['desc'], card['sub_title_text']]
  return words.filter((word) => typeof word === 'string' && word !== '').join('\n')
}

const toChatType = (kind: ChatKind): number => (kind === 'single' ? 1 : 2)

/** Chat ids are case-sensitive. */
const isKnownInOtherCase = (state: WecomState, chatId: string): boolean =>
  [...state.chats.keys()].some((known) => known.toLowerCase() === chatId.toLowerCase())

function invalid(what: string): never {
  throw new WecomFailure(40058, `invalid Request Parameter: ${what}`)
}

/** Handles a frame of a stream: the first creates the message, later ones replace its text. */
function respondStream(call: FrameCall, callback: Callback): undefined {
  const { state, reqId, body } = call
  const { id, content, isFinal } = parseStream(body['stream'])
  const key = `${reqId} ${id}`
  const known = state.streams.get(key)
  if (known === undefined) countSend(state, callback.chatId)
  else checkOpen(state, known, isFinal)
  const stream = known ?? startStream(state, key)
  stream.finished = isFinal
  showStream(state, stream, callback, content)
}

function parseStream(value: unknown): { readonly id: string; readonly content: string; readonly isFinal: boolean } {
  const { id, content = '', finish = false, msg_item: items } = isRecord(value) ? value : {}
  const isValid = typeof id === 'string' && id !== '' && typeof content === 'string' && typeof finish === 'boolean'
  if (!isValid) throw new WecomFailure(40058, 'invalid Request Parameter: stream')
  // documented for URL callbacks only; long connections don't support it yet
  if (items !== undefined) throw new WecomFailure(40058, 'invalid Request Parameter: stream.msg_item')
  if (finish && !isVisible(content)) throw new WecomFailure(40058, 'invalid Request Parameter: stream.content empty')
  return { id, content: checkLength(content), isFinal: finish }
}

function checkOpen(state: WecomState, stream: Stream, isFinal: boolean): void {
  if (stream.finished) throw new WecomFailure(isFinal ? 6000 : 846608)
  if (state.clock.now() - stream.startedMs >= streamLife(state)) throw new WecomFailure(846608)
}

function startStream(state: WecomState, key: string): Stream {
  const stream = { messageId: state.nextId('B'), startedMs: state.clock.now(), finished: false, isShown: false }
  state.streams.set(key, stream)
  evictOldest(state.streams, state.history)
  return stream
}

function showStream(state: WecomState, stream: Stream, callback: Callback, text: string): void {
  const { chatStore, bot } = state
  const { messageId } = stream
  const { chatId, messageId: replyTo } = callback
  const unfinished = !stream.finished
  if (!isVisible(text)) {
    if (stream.isShown) chatStore.removeMessage(messageId)
    stream.isShown = false
    return chatStore.setTyping(chatId, streamLife(state))
  }
  chatStore.setTyping(chatId, 0)
  if (stream.isShown) chatStore.replaceBotText(messageId, text, unfinished)
  else chatStore.addBotMessage({ chatId, messageId, name: bot.name, text, unfinished, replyTo })
  stream.isShown = true
}

/** Maximum text length, in bytes of UTF-8. */
const TEXT_BYTES = 20_480

/** Returns the text of `{content}`. @throws {WecomFailure} 40058 when it is missing, empty or too long */
function requireText(value: unknown): string {
  const content = isRecord(value) ? value['content'] : undefined
  if (typeof content !== 'string' || content.trim() === '') {
    throw new WecomFailure(40058, 'invalid Request Parameter: content')
  }
  return checkLength(content)
}

/** Returns the text unchanged. @throws {WecomFailure} 40058 when it is too long */
function checkLength(content: string): string {
  if (Buffer.byteLength(content) > TEXT_BYTES) throw new WecomFailure(40058, 'invalid Request Parameter: content size')
  return content
}

/** Whether a text has anything besides its collapsed reasoning. */
const isVisible = (content: string): boolean => content.replaceAll(/<think>[\s\S]*?(?:<\/think>|$)/g, '').trim() !== ''
