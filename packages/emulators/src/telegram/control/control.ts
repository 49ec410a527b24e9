import type { BotOptions } from '../bots.ts'
import type { ActiveFault, FaultSpec } from '../faults.ts'
import type { RateLimits } from '../rate-limits.ts'
import type { ChatActionRecord, Draft, RequestRecord } from '../state.ts'
import type { UpdateRecord } from '../updates.ts'
import type { Chat, Message, User } from '../wire.ts'
import type { GroupSpec, PersonSpec } from './people.ts'
import type { SayResult, SayOptions } from './say.ts'

/** Which bot is meant; default: the first one. */
export interface OfBot {
  readonly bot?: number
}

/** Which chat of a bot; a user's id is the id of their private chat. */
export interface OfChat extends OfBot {
  readonly chatId: number
}

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
  /** Whether a poll is being held now. */
  readonly polling: boolean
}

/** A message as people see it now. */
export interface ShownMessage {
  /** Among the messages of the bot, from 1; 0 for a message of a user. */
  readonly sequence: number
  readonly chatId: number
  readonly messageId: number
  /** Method that sent it, in lower case; '' for a message of a user. */
  readonly method: string
  readonly atMs: number
  /** Text, caption or source of a rich message, whichever it has; else ''. */
  readonly text: string
  readonly message: Message
  /** Earlier forms, oldest first. */
  readonly versions: readonly Message[]
  readonly deleted: boolean
  readonly reactions: readonly unknown[]
  /** Names and sizes; content by `readFile`. */
  readonly files: readonly { readonly fileId: string; readonly name: string; readonly size: number }[]
}

export interface Conversation {
  readonly chat: Chat
  readonly obstacle: string
  readonly messages: readonly ShownMessage[]
  readonly drafts: readonly Draft[]
}

export interface FileContent {
  readonly name: string
  readonly mimeType: string
  readonly size: number
  readonly base64: string
}

/**
 * Everything that a test or the demo page can do to the emulated world. The same operations answer
 * `POST /control/<operation>` with these arguments and results as JSON.
 * All reject with a `RangeError` for arguments that cannot be (over HTTP: status 400, `{ok: false, error}`).
 */
export interface TelegramControl {
  createBot(options: BotOptions): Promise<BotInfo>
  bots(): Promise<readonly BotInfo[]>
  /** `local_directory`: `file_path` is an absolute path below it, as a server in local mode answers; null: cloud. */
  configureBot(
    options: OfBot & {
      readonly can_read_all_group_messages?: boolean
      readonly old_server?: boolean
      readonly local_directory?: string | null
    },
  ): Promise<BotInfo>
  /** From now on 401; with `token` the bot goes on under a new one. */
  revokeToken(options: OfBot & { readonly token?: string }): Promise<BotInfo>
  /** Someone the bot has heard of who never wrote to it. */
  addPerson(options: OfBot & { readonly person: PersonSpec }): Promise<User>
  createGroup(options: OfBot & { readonly group: GroupSpec; readonly topics?: readonly number[] }): Promise<Chat>
  say(options: SayOptions): Promise<SayResult>
  editUserMessage(
    options: OfChat & { readonly messageId: number; readonly text: string },
  ): Promise<{ readonly updateId: number | null }>
  /** The user of a private chat blocks the bot: `my_chat_member`, then 403. */
  block(options: OfChat): Promise<void>
  unblock(options: OfChat): Promise<void>
  deleteAccount(options: OfChat): Promise<void>
  /** The bot is thrown out of a group. */
  kick(options: OfChat & { readonly by: PersonSpec }): Promise<void>
  setRights(options: OfChat & { readonly admin?: boolean; readonly canWrite?: boolean }): Promise<void>
  /** A group becomes a supergroup. @returns the new id */
  migrateGroup(
    options: OfChat & { readonly by: PersonSpec; readonly to?: number },
  ): Promise<{ readonly chatId: number }>
  /** What the bot sent, oldest first, edits applied. */
  sent(
    options?: OfBot & { readonly chatId?: number; readonly afterSequence?: number; readonly limit?: number },
  ): Promise<readonly ShownMessage[]>
  /** Resolves when `count` (1) messages beyond `afterSequence` (0) are there, or after `timeoutMs` (10 000) with what is there. */
  waitForSent(
    options?: OfBot & { readonly afterSequence?: number; readonly count?: number; readonly timeoutMs?: number },
  ): Promise<readonly ShownMessage[]>
  /** All messages of a chat that are not deleted, and its live drafts. */
  conversation(options: OfChat & { readonly limit?: number }): Promise<Conversation>
  drafts(options: OfChat): Promise<readonly Draft[]>
  chatActions(options?: OfBot & { readonly chatId?: number }): Promise<readonly ChatActionRecord[]>
  readFile(options: OfBot & { readonly fileId: string }): Promise<FileContent>
  /** Calls as they came over the wire, oldest first. `method` in any case. */
  requests(
    options?: OfBot & { readonly method?: string; readonly afterSequence?: number },
  ): Promise<readonly RequestRecord[]>
  updates(
    options?: OfBot,
  ): Promise<{ readonly pending: readonly UpdateRecord[]; readonly confirmed: readonly UpdateRecord[] }>
  injectFault(options: OfBot & FaultSpec): Promise<{ readonly id: number }>
  faults(options?: OfBot): Promise<readonly ActiveFault[]>
  clearFaults(options?: OfBot & { readonly id?: number }): Promise<void>
  /** `true`: the real limits; null: none. */
  setRateLimits(options: OfBot & { readonly limits: RateLimits | true | null }): Promise<void>
  /** Closes every connection to the Bot API that is open now, held polls included. */
  dropConnections(): Promise<void>
}

/** Names of all operations. */
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
