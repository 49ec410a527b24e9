import { BoundedLog } from '../kit/bounded-log.ts'
import type { EmulatorClock } from '../kit/clock.ts'
import type { ActiveFault } from './faults.ts'
import type { FileStore } from './files.ts'
import type { RateLimiter } from './rate-limits.ts'
import type { UpdateQueue } from './updates.ts'
import type { Chat, Message, User } from './wire.ts'

/** A message in a chat, whoever wrote it. `message` is replaced when it is edited. */
export interface StoredMessage {
  /** Place among the messages of the bot, from 1; 0 for a message of a user. */
  sequence: number
  readonly method: string
  readonly atMs: number
  message: Message
  /** Earlier forms, oldest first, at most `VERSION_LIMIT`. */
  readonly versions: Message[]
  deleted: boolean
  reactions: readonly unknown[]
}

/** How many earlier forms of an edited message are kept. */
const VERSION_LIMIT = 200

/** A streaming preview; it disappears at `expiresAtMs`. */
export interface Draft {
  readonly draftId: number
  readonly text: string
  readonly entities: Message['entities']
  readonly rich: Message['rich_message']
  readonly updates: number
  readonly expiresAtMs: number
}

/** Why the bot cannot write to a chat, if it cannot. */
export type Obstacle = 'none' | 'not_started' | 'blocked' | 'deactivated' | 'kicked' | 'no_rights'

export interface ChatState {
  chat: Chat
  obstacle: Obstacle
  botIsAdmin: boolean
  migratedTo: number | null
  readonly topics: Set<number>
  readonly messages: Map<number, StoredMessage>
  readonly drafts: Map<number, Draft>
  /** Own counter of a supergroup or channel; private chats and basic groups share the bot's. */
  lastMessageId: number
}

export interface RequestRecord {
  readonly sequence: number
  readonly atMs: number
  readonly httpMethod: string
  /** As written in the path. */
  readonly method: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** At most 64 Ki characters; of a form with files the fields, and names and sizes of the files, as JSON. */
  readonly body: string
  /** HTTP status of the answer; 0 while there is none, and for ever when the connection was dropped. */
  status: number
}

export interface ChatActionRecord {
  readonly chatId: number
  readonly threadId: number | null
  readonly action: string
  readonly atMs: number
}

/** What happens to a bot, as it happens: the stream of the demo page. */
export type BotEvent =
  | {
      readonly type: 'message' | 'edited' | 'deleted' | 'reaction'
      readonly chatId: number
      readonly messageId: number
    }
  | { readonly type: 'draft'; readonly chatId: number; readonly draftId: number }
  | { readonly type: 'chat_action'; readonly chatId: number; readonly action: string }
  | { readonly type: 'chat'; readonly chatId: number }
  | { readonly type: 'updates_confirmed'; readonly upTo: number }
  | { readonly type: 'polling'; readonly waiting: boolean }
  | { readonly type: 'fault_hit'; readonly method: string; readonly kind: string }
  | { readonly type: 'faults' }

/** One bot and the part of the world that it sees. */
export interface BotState {
  user: User
  token: string
  revoked: boolean
  canReadAllGroupMessages: boolean
  /** Answers 404 for what came with Bot API 9.5 and later: drafts and rich messages. */
  oldServer: boolean
  webhookUrl: string
  commands: readonly unknown[]
  lastMessageId: number
  readonly people: Map<number, User>
  readonly chats: Map<number, ChatState>
  readonly updates: UpdateQueue
  readonly sent: BoundedLog<StoredMessage>
  readonly heard: BoundedLog<StoredMessage>
  readonly requests: BoundedLog<RequestRecord>
  readonly actions: BoundedLog<ChatActionRecord>
  readonly files: FileStore
  readonly limiter: RateLimiter
  readonly faults: ActiveFault[]
  /** Ids of messages begin above this. */
  readonly idsAbove: number
  /** Called after each message of the bot. */
  readonly sentWatchers: Set<() => void>
  readonly listeners: Set<(event: BotEvent) => void>
  readonly clock: EmulatorClock
  /** Life of a draft, ms. */
  readonly draftLifeMs: number
}

export function emit(bot: BotState, event: BotEvent): void {
  for (const listener of bot.listeners) listener(event)
}

/** A log of messages that also takes a dropped one out of its chat. */
export const messageLog = (capacity: number, chats: Map<number, ChatState>): BoundedLog<StoredMessage> =>
  new BoundedLog(capacity, ({ message }) => chats.get(message.chat.id)?.messages.delete(message.message_id))

/** Puts a chat in place that nobody wrote in yet. */
export function addChat(bot: BotState, chat: Chat, obstacle: Obstacle = 'none'): ChatState {
  const state: ChatState = {
    chat,
    obstacle,
    botIsAdmin: false,
    migratedTo: null,
    topics: new Set(),
    messages: new Map(),
    drafts: new Map(),
    lastMessageId: bot.idsAbove,
  }
  bot.chats.set(chat.id, state)
  return state
}

/** The next message id of a chat: one counter for all private chats and basic groups, an own one per supergroup. */
export function nextMessageId(bot: BotState, chat: ChatState): number {
  const isShared = chat.chat.type === 'private' || chat.chat.type === 'group'
  return isShared ? ++bot.lastMessageId : ++chat.lastMessageId
}

/** Puts a message into its chat. `method` is '' for a message of a user. */
export function storeMessage(bot: BotState, chat: ChatState, message: Message, method: string): StoredMessage {
  const atMs = bot.clock.now()
  const stored: StoredMessage = { sequence: 0, method, atMs, message, versions: [], deleted: false, reactions: [] }
  chat.messages.set(message.message_id, stored)
  if (method === '') bot.heard.push(stored)
  else stored.sequence = bot.sent.push(stored)
  for (const look of bot.sentWatchers) look()
  if (bot.listeners.size > 0) emit(bot, { type: 'message', chatId: chat.chat.id, messageId: message.message_id })
  return stored
}

/** Replaces a message by its edited form. */
export function replaceMessage(bot: BotState, stored: StoredMessage, message: Message): void {
  stored.versions.push(stored.message)
  if (stored.versions.length > VERSION_LIMIT) stored.versions.shift()
  stored.message = message
  emit(bot, { type: 'edited', chatId: message.chat.id, messageId: message.message_id })
}

/** A message without the message that it answers: the platform nests one level only. */
export function withoutReply({ reply_to_message: _reply, ...message }: Message): Message {
  return message
}
