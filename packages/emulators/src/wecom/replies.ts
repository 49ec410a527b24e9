import { forgetOldest } from '../kit/bounded-log.ts'
import { isRecord } from '../kit/http.ts'
import type { ChatFile } from '../kit/world.ts'
import { countSend, streamLife, type Call } from './call.ts'
import { WecomFailure } from './faults.ts'
import type { Callback, ChatKind, WecomState, Stream } from './state.ts'

type Fields = Readonly<Record<string, unknown>>

interface Content {
  readonly text: string
  readonly files?: readonly ChatFile[]
}

/** A reply to a message, by the `req_id` of its callback. */
export function respondMessage(call: Call): undefined {
  const { state, body } = call
  const callback = answered(call)
  if (callback.kind !== 'message') throw new WecomFailure(846605)
  if (state.clock.now() - callback.atMs >= state.times.replyLifeMs) throw new WecomFailure(846604)
  if (body['msgtype'] === 'stream') return respondStream(call, callback)
  const content = contentOf(state, body)
  countSend(state, callback.chatId)
  show(state, callback.chatId, content, callback.messageId)
}

/** A push to a person or a group that has written before. */
export function sendMessage({ state, body }: Call): undefined {
  const { chatid: chatId, chat_type: chatType } = body
  if (typeof chatId !== 'string' || chatId === '') throw new WecomFailure(93006)
  const kind = state.chats.get(chatId)
  if (kind === undefined) throw new WecomFailure(isKnownInOtherCase(state, chatId) ? 93006 : 93001)
  if (chatType !== undefined && chatType !== numberOf(kind) && chatType !== 0) {
    throw new WecomFailure(chatType === 1 || chatType === 2 ? 93006 : 40058)
  }
  const content = contentOf(state, body)
  countSend(state, chatId)
  show(state, chatId, content, null)
}

/** The greeting when somebody opens the chat: the only place where plain text is accepted. */
export function respondWelcome(call: Call): undefined {
  const { state, body } = call
  const callback = eventAnswered(call, 'enter_chat')
  const content =
    body['msgtype'] === 'text'
      ? { text: requireText(body['text']) }
      : body['msgtype'] === 'template_card'
        ? contentOf(state, body)
        : invalid('msgtype')
  show(state, callback.chatId, content, null)
}

/** A new form of the card that somebody has pressed. */
export function updateCard(call: Call): undefined {
  const { state, body } = call
  const callback = eventAnswered(call, 'template_card_event')
  if (body['response_type'] !== 'update_template_card') invalid('response_type')
  const { text } = contentOf(state, { msgtype: 'template_card', template_card: body['template_card'] })
  const card = state.world.chat(callback.chatId).findLast((line) => line.by === 'bot')
  if (card) state.world.replace(card.messageId, text)
}

/** @throws {WecomFailure} 846605 when the id belongs to another connection or to none */
function answered({ state, connection, reqId }: Call): Callback {
  const callback = state.callbacks.get(reqId)
  if (callback === undefined || callback.connection !== connection) throw new WecomFailure(846605)
  return callback
}

function eventAnswered(call: Call, eventType: string): Callback {
  const callback = answered(call)
  if (callback.eventType !== eventType) throw new WecomFailure(846605)
  if (call.state.clock.now() - callback.atMs >= call.state.times.eventAnswerMs) throw new WecomFailure(846604)
  return callback
}

function show(state: WecomState, chatId: string, { text, files = [] }: Content, replyTo: string | null): void {
  state.world.shown({ chatId, messageId: state.nextId('B'), name: state.bot.name, text, files, replyTo })
}

function contentOf(state: WecomState, body: Fields): Content {
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

/** The words of a card, line by line. */
function cardText(card: unknown): string {
  if (!isRecord(card) || typeof card['card_type'] !== 'string') return invalid('template_card')
  const title = isRecord(card['main_title']) ? card['main_title'] : {}
  const words = [title['title'], title['desc'], card['sub_title_text']]
  return words.filter((word) => typeof word === 'string' && word !== '').join('\n')
}

const numberOf = (kind: ChatKind): number => (kind === 'single' ? 1 : 2)

/** Ids of chats tell upper from lower case. */
const isKnownInOtherCase = (state: WecomState, chatId: string): boolean =>
  [...state.chats.keys()].some((known) => known.toLowerCase() === chatId.toLowerCase())

function invalid(what: string): never {
  throw new WecomFailure(40058, `invalid Request Parameter: ${what}`)
}

/** A frame of a stream: the first one makes the bubble, every later one replaces its text. */
function respondStream(call: Call, callback: Callback): undefined {
  const { state, reqId, body } = call
  const { id, content, isFinal } = parse(body['stream'])
  const key = `${reqId} ${id}`
  const known = state.streams.get(key)
  if (known === undefined) countSend(state, callback.chatId)
  else checkOpen(state, known, isFinal)
  const stream = known ?? begin(state, key)
  stream.finished = isFinal
  display(state, stream, callback, content)
}

function parse(value: unknown): { readonly id: string; readonly content: string; readonly isFinal: boolean } {
  const { id, content = '', finish = false, msg_item: items } = isRecord(value) ? value : {}
  const isValid = typeof id === 'string' && id !== '' && typeof content === 'string' && typeof finish === 'boolean'
  if (!isValid) throw new WecomFailure(40058, 'invalid Request Parameter: stream')
  // documented for callbacks by URL; the text on long connections says that it is not supported yet
  if (items !== undefined) throw new WecomFailure(40058, 'invalid Request Parameter: stream.msg_item')
  if (finish && !isVisible(content)) throw new WecomFailure(40058, 'invalid Request Parameter: stream.content empty')
  return { id, content: checkLength(content), isFinal: finish }
}

function checkOpen(state: WecomState, stream: Stream, isFinal: boolean): void {
  if (stream.finished) throw new WecomFailure(isFinal ? 6000 : 846608)
  if (state.clock.now() - stream.startedMs >= streamLife(state)) throw new WecomFailure(846608)
}

function begin(state: WecomState, key: string): Stream {
  const stream = { messageId: state.nextId('B'), startedMs: state.clock.now(), finished: false, isShown: false }
  state.streams.set(key, stream)
  forgetOldest(state.streams, state.history)
  return stream
}

function display(state: WecomState, stream: Stream, callback: Callback, text: string): void {
  const { world, bot } = state
  const { messageId } = stream
  const { chatId, messageId: replyTo } = callback
  const unfinished = !stream.finished
  if (!isVisible(text)) {
    if (stream.isShown) world.remove(messageId)
    stream.isShown = false
    return world.typing(chatId, streamLife(state))
  }
  world.typing(chatId, 0)
  if (stream.isShown) world.replace(messageId, text, unfinished)
  else world.shown({ chatId, messageId, name: bot.name, text, unfinished, replyTo })
  stream.isShown = true
}

/** Longest text, bytes of UTF-8. */
const TEXT_BYTES = 20_480

/** `{content}` as the platform takes it. @throws {WecomFailure} 40058 when it is none, empty or too long */
function requireText(value: unknown): string {
  const content = isRecord(value) ? value['content'] : undefined
  if (typeof content !== 'string' || content.trim() === '') {
    throw new WecomFailure(40058, 'invalid Request Parameter: content')
  }
  return checkLength(content)
}

/** @throws {WecomFailure} 40058 */
function checkLength(content: string): string {
  if (Buffer.byteLength(content) > TEXT_BYTES) throw new WecomFailure(40058, 'invalid Request Parameter: content size')
  return content
}

/** Whether anything is seen but the folded part of thoughts. */
const isVisible = (content: string): boolean => content.replaceAll(/<think>[\s\S]*?(?:<\/think>|$)/g, '').trim() !== ''
