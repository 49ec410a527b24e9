import { BoundedLog } from '../kit/bounded-log.ts'
import type { EmulatorClock } from '../kit/clock.ts'
import type { ActiveFault } from './faults.ts'
import type { FileStore } from './files.ts'
import type { RateLimiter } from './rate-limits.ts'
import type { UpdateQueue } from './updates.ts'
import type { Chat, Message, User } from './wire.ts'

/** A message of anyone in a chat. `message` is replaced on edit. */
export interface StoredMessage {
  /** Position among the bot's messages, from 1; 0 for a user's message. */
  sequence: number
  readonly method: string
  readonly atMs: number
  message: Message
  /** Earlier versions, oldest first, at most `VERSION_LIMIT`. */
  readonly versions: Message[]
  deleted: boolean
  reactions: readonly unknown[]
}

/** Number of earlier versions to keep. */
const VERSION_LIMIT = 200

/** A streaming draft; it disappears at `expiresAtMs`. */
export interface Draft {
  readonly draftId: number
  readonly text: string
  readonly entities: Message['entities']
  readonly rich: Message['rich_message']
  readonly updates: number
  readonly expiresAtMs: number
}

/** Why the bot can't write to a chat, or `none`. */
export type Obstacle = 'none' | 'not_started' | 'blocked' | 'deactivated' | 'kicked' | 'no_rights'

/** A chat of a bot. */
export interface ChatState {
  chat: Chat
  obstacle: Obstacle
  botIsAdmin: boolean
  migratedTo: number | null
  readonly topics: Set<number>
  readonly messages: Map<number, StoredMessage>
  readonly drafts: Map<number, Draft>
  /** Last id of a supergroup or channel; private chats and basic groups share the bot's counter. */
  lastMessageId: number
}

/** A received call. */
export interface RequestRecord {
  readonly sequence: number
  readonly atMs: number
  readonly httpMethod: string
  /** As written in the path. */
  readonly method: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** At most 64 Ki characters. For a form with files: JSON with the fields, and the files' names and sizes. */
  readonly body: string
  /** HTTP status of the response; 0 before it is sent or when the connection was dropped. */
  status: number
}

/** A chat action of the bot. */
export interface ChatActionRecord {
  readonly chatId: number
  readonly threadId: number | null
  readonly action: string
  readonly atMs: number
}

/** An event of a bot, streamed to the page. */
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

/** State of a bot, with the people and chats it knows. */
export interface BotState {
  user: User
  token: string
  revoked: boolean
  canReadAllGroupMessages: boolean
  /** Emulates a server before Bot API 9.5: drafts and rich messages return 404. */
  oldServer: boolean
  webhookUrl: string
  commands: readonly unknown[]
  lastMessageId: number
  readonly people: Map<number, User>
  readonly chats: Map<number, ChatState>
  readonly updates: UpdateQueue
  readonly sent: BoundedLog<StoredMessage>
  readonly received: BoundedLog<StoredMessage>
  readonly requests: BoundedLog<RequestRecord>
  readonly actions: BoundedLog<ChatActionRecord>
  readonly files: FileStore
  readonly limiter: RateLimiter
  readonly faults: ActiveFault[]
  /** Message ids are numbered from above this. */
  readonly idsAbove: number
  /** Called after each message of the bot. */
  readonly sentWatchers: Set<() => void>
  readonly listeners: Set<(event: BotEvent) => void>
  readonly clock: EmulatorClock
  /** Lifetime of a draft, in ms. */
  readonly draftLifeMs: number
}

/** Notifies the listeners of a bot. */
export function emit(bot: BotState, event: BotEvent): void {
  for (const listener of bot.listeners) listener(event)
}

/** Creates a log of messages; dropped messages are removed from their chat. */
export const messageLog = (capacity: number, chats: Map<number, ChatState>): BoundedLog<StoredMessage> =>
  new BoundedLog(capacity, ({ message }) => chats.get(message.chat.id)?.messages.delete(message.message_id))

/** Adds an empty chat. */
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

/** Returns the next message id of a chat. Supergroups have their own counters, other chats share one. */
export function nextMessageId(bot: BotState, chat: ChatState): number {
  const isShared = chat.chat.type === 'private' || chat.chat.type === 'group'
  return isShared ? ++bot.lastMessageId : ++chat.lastMessageId
}

/** Stores a message in its chat. `method` is '' for a user's message. */
export function storeMessage(bot: BotState, chat: ChatState, message: Message, method: string): StoredMessage {
  const atMs = bot.clock.now()
  const stored: StoredMessage = { sequence: 0, method, atMs, message, versions: [], deleted: false, reactions: [] }
  chat.messages.set(message.message_id, stored)
  if (method === '') bot.received.push(stored)
  else stored.sequence = bot.sent.push(stored)
  for (const notify of bot.sentWatchers) notify()
  if (bot.listeners.size > 0) emit(bot, { type: 'message', chatId: chat.chat.id, messageId: message.message_id })
  return stored
}

/** Replaces a message with its edited version. */
export function replaceMessage(bot: BotState, stored: StoredMessage, message: Message): void {
  stored.versions.push(stored.message)
  if (stored.versions.length > VERSION_LIMIT) stored.versions.shift()
  stored.message = message
  emit(bot, { type: 'edited', chatId: message.chat.id, messageId: message.message_id })
}

/** Returns a message without the message it replies to: the platform nests one level only. */
export function withoutReply({ reply_to_message: _reply, ...message }: Message): Message {
  return message
}
