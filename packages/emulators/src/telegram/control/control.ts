import type { BotOptions } from '../bots.ts'
import type { ActiveFault, FaultSpec } from '../faults.ts'
import type { RateLimits } from '../rate-limits.ts'
import type { ChatActionRecord, Draft, RequestRecord } from '../state.ts'
import type { UpdateRecord } from '../updates.ts'
import type { Chat, Message, User } from '../wire.ts'
import type { GroupSpec, PersonSpec } from './people.ts'
import type { SayResult, SayOptions } from './say.ts'

/** Selects a bot. Default: the first one. */
export interface BotSelector {
  readonly bot?: number
}

/** Selects a chat of a bot. A user's id is the id of their private chat. */
export interface ChatSelector extends BotSelector {
  readonly chatId: number
}

/** Properties of a bot. */
export interface BotInfo {
  readonly id: number
  readonly token: string
  readonly username: string
  readonly name: string
  readonly revoked: boolean
  readonly can_read_all_group_messages: boolean
  readonly old_server: boolean
  readonly webhook_url: string
  readonly commands: readonly unknown[]
  /** Whether a poll is pending. */
  readonly polling: boolean
}

/** A message in its current state. */
export interface ShownMessage {
  /** Position among the bot's messages, from 1; 0 for a user's message. */
  readonly sequence: number
  readonly chatId: number
  readonly messageId: number
  /** Method that sent it, in lower case; '' for a user's message. */
  readonly method: string
  readonly atMs: number
  /** Text, caption or source of a rich message; '' when there is none. */
  readonly text: string
  readonly message: Message
  /** Earlier versions, oldest first. */
  readonly versions: readonly Message[]
  readonly deleted: boolean
  readonly reactions: readonly unknown[]
  /** Use `readFile` for the content. */
  readonly files: readonly { readonly fileId: string; readonly name: string; readonly size: number }[]
}

/** A chat with its messages. */
export interface Conversation {
  readonly chat: Chat
  readonly obstacle: string
  readonly messages: readonly ShownMessage[]
  readonly drafts: readonly Draft[]
}

/** Content of a file. */
export interface FileContent {
  readonly name: string
  readonly mimeType: string
  readonly size: number
  readonly base64: string
}

/**
 * Operations that a test or the page can perform. They are also available as `POST /control/<operation>` with the same
 * arguments and results as JSON. All reject with a `RangeError` for invalid arguments (over HTTP: status 400,
 * `{ok: false, error}`).
 */
export interface TelegramControl {
  createBot(options: BotOptions): Promise<BotInfo>
  bots(): Promise<readonly BotInfo[]>
  /** `local_directory`: folder of a server in local mode, where `file_path` is absolute; `null`: cloud. */
  configureBot(
    options: BotSelector & {
      readonly can_read_all_group_messages?: boolean
      readonly old_server?: boolean
      readonly local_directory?: string | null
    },
  ): Promise<BotInfo>
  /** Revokes the token, so that calls return 401, or replaces it with `token`. */
  revokeToken(options: BotSelector & { readonly token?: string }): Promise<BotInfo>
  /** Adds a person who hasn't written to the bot. */
  addPerson(options: BotSelector & { readonly person: PersonSpec }): Promise<User>
  createGroup(options: BotSelector & { readonly group: GroupSpec; readonly topics?: readonly number[] }): Promise<Chat>
  say(options: SayOptions): Promise<SayResult>
  editUserMessage(
    options: ChatSelector & { readonly messageId: number; readonly text: string },
  ): Promise<{ readonly updateId: number | null }>
  /** Blocks the bot in a private chat: `my_chat_member`, then 403. */
  block(options: ChatSelector): Promise<void>
  unblock(options: ChatSelector): Promise<void>
  deleteAccount(options: ChatSelector): Promise<void>
  /** Removes the bot from a group. */
  kick(options: ChatSelector & { readonly by: PersonSpec }): Promise<void>
  setRights(options: ChatSelector & { readonly admin?: boolean; readonly canWrite?: boolean }): Promise<void>
  /** Upgrades a group to a supergroup and returns the new id. */
  migrateGroup(
    options: ChatSelector & { readonly by: PersonSpec; readonly to?: number },
  ): Promise<{ readonly chatId: number }>
  /** Returns the bot's messages, oldest first, with edits applied. */
  sent(
    options?: BotSelector & { readonly chatId?: number; readonly afterSequence?: number; readonly limit?: number },
  ): Promise<readonly ShownMessage[]>
  /** Resolves once there are `count` (1) messages after `afterSequence` (0), or after `timeoutMs` (10,000) with fewer. */
  waitForSent(
    options?: BotSelector & { readonly afterSequence?: number; readonly count?: number; readonly timeoutMs?: number },
  ): Promise<readonly ShownMessage[]>
  /** Returns the messages of a chat, without deleted ones, and its live drafts. */
  conversation(options: ChatSelector & { readonly limit?: number }): Promise<Conversation>
  drafts(options: ChatSelector): Promise<readonly Draft[]>
  chatActions(options?: BotSelector & { readonly chatId?: number }): Promise<readonly ChatActionRecord[]>
  readFile(options: BotSelector & { readonly fileId: string }): Promise<FileContent>
  /** Returns received calls, oldest first. `method` in any case. */
  requests(
    options?: BotSelector & { readonly method?: string; readonly afterSequence?: number },
  ): Promise<readonly RequestRecord[]>
  updates(
    options?: BotSelector,
  ): Promise<{ readonly pending: readonly UpdateRecord[]; readonly confirmed: readonly UpdateRecord[] }>
  injectFault(options: BotSelector & FaultSpec): Promise<{ readonly id: number }>
  faults(options?: BotSelector): Promise<readonly ActiveFault[]>
  clearFaults(options?: BotSelector & { readonly id?: number }): Promise<void>
  /** Sets rate limits; `true`: the platform's, `null`: none. */
  setRateLimits(options: BotSelector & { readonly limits: RateLimits | true | null }): Promise<void>
  /** Closes all open connections to the Bot API, including long polls. */
  dropConnections(): Promise<void>
}

/** Names of the operations of `TelegramControl`. */
export const CONTROL_OPERATIONS: readonly (keyof TelegramControl)[] = [
  'createBot',
  'bots',
  'configureBot',
  'revokeToken',
  'addPerson',
  'createGroup',
  'say',
  'editUserMessage',
  'block',
  'unblock',
  'deleteAccount',
  'kick',
  'setRights',
  'migrateGroup',
  'sent',
  'waitForSent',
  'conversation',
  'drafts',
  'chatActions',
  'readFile',
  'requests',
  'updates',
  'injectFault',
  'faults',
  'clearFaults',
  'setRateLimits',
  'dropConnections',
]
