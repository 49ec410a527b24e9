import { isRecord } from '../kit/body.ts'
import type { ChatFile } from '../kit/world.ts'
import { WecomFailure } from './faults.ts'
import type { Call } from './call.ts'
import { countSend } from './limits.ts'
import type { Callback, ChatKind, WecomState } from './state.ts'
import { respondStream } from './streams.ts'
import { requireText } from './text.ts'

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
