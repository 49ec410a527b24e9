import { isRecord } from '../../kit/http.ts'
import { badRequest, forbidden, type TelegramFailure } from '../failure.ts'
import type { Parameters } from '../parameters.ts'
import { type BotState, type ChatState, type Obstacle, withoutReply } from '../state.ts'
import type { Message } from '../wire.ts'

/** Returns the chat of `chat_id`. @throws {TelegramFailure} 400 when it doesn't exist or became a supergroup */
export function readChat(call: Call): ChatState {
  const { bot, parameters } = call
  const name = parameters.text('chat_id')
  if (name === '') throw badRequest('chat_id is empty')
  const chat = name.startsWith('@') ? chatByUsername(bot, name.slice(1)) : bot.chats.get(Number(name))
  if (chat === undefined) {
    throw bot.people.has(Number(name)) ? REFUSALS.not_started('private') : badRequest('chat not found')
  }
  if (chat.migratedTo !== null) {
    throw badRequest('group chat was upgraded to a supergroup chat', { migrate_to_chat_id: chat.migratedTo })
  }
  return chat
}

/** Returns the chat of `chat_id` to write to. @throws {TelegramFailure} also 403 and 400 when the bot can't write there */
export function readWritableChat(call: Call): ChatState {
  const chat = readChat(call)
  if (chat.obstacle !== 'none') throw REFUSALS[chat.obstacle](chat.chat.type)
  call.bot.limiter.take(chat.chat.id)
  return chat
}

const REFUSALS: Readonly<Record<Exclude<Obstacle, 'none'>, (chatType: string) => TelegramFailure>> = {
  not_started: () => forbidden("bot can't initiate conversation with a user"),
  blocked: () => forbidden('bot was blocked by the user'),
  deactivated: () => forbidden('user is deactivated'),
  kicked: (chatType) => forbidden(`bot was kicked from the ${chatType} chat`),
  no_rights: () => badRequest('not enough rights to send text messages to the chat'),
}

function chatByUsername(bot: BotState, username: string): ChatState | undefined {
  const wanted = username.toLowerCase()
  return bot.chats.values().find(({ chat }) => chat.type !== 'private' && chat.username?.toLowerCase() === wanted)
}

/** Returns the topic and the message replied to. */
export function readPlacement(parameters: Parameters, chat: ChatState): Partial<Message> {
  const threadId = parameters.integer('message_thread_id')
  if (threadId !== undefined && !chat.topics.has(threadId)) throw badRequest('message thread not found')
  const thread: Partial<Message> = threadId === undefined ? {} : { message_thread_id: threadId, is_topic_message: true }
  return { ...thread, ...readReply(parameters, chat) }
}

function readReply(parameters: Parameters, chat: ChatState): Partial<Message> {
  const given = parameters.object('reply_parameters')
  const legacyId = parameters.integer('reply_to_message_id')
  if (given === undefined && legacyId === undefined) return {}
  const id = given === undefined ? legacyId : Number(given['message_id'])
  const mayBeMissing =
    given === undefined
      ? parameters.flag('allow_sending_without_reply')
      : given['allow_sending_without_reply'] === true || given['allow_sending_without_reply'] === 'true'
  const answered = id === undefined ? undefined : chat.messages.get(id)
  if (answered === undefined || answered.deleted) {
    if (mayBeMissing) return {}
    throw badRequest('message to be replied not found')
  }
  return { reply_to_message: withoutReply(answered.message), ...readQuote(given, answered.message) }
}

function readQuote(given: Readonly<Record<string, unknown>> | undefined, answered: Message): Partial<Message> {
  const quote = given?.['quote']
  if (typeof quote !== 'string' || quote === '') return {}
  const position = (answered.text ?? answered.caption ?? '').indexOf(quote)
  if (position === -1) throw badRequest('QUOTE_TEXT_INVALID')
  return { quote: { text: quote, position } }
}

/** Returns `reply_markup` unchanged. @throws {TelegramFailure} 400 when it isn't an object */
export function readMarkup(parameters: Parameters): Partial<Message> {
  const markup = parameters.object('reply_markup')
  return isRecord(markup) && 'inline_keyboard' in markup ? { reply_markup: markup } : {}
}

/** A call of a Bot API method. */
export interface Call {
  readonly bot: BotState
  readonly parameters: Parameters
  /** Lower case. */
  readonly method: string
  /** Aborts when the client disconnects. */
  readonly gone: AbortSignal
}

/** Performs a call and returns its `result`. @throws {TelegramFailure} */
export type Method = (call: Call) => unknown
