import type { EmulatorClock } from '../kit/clock.ts'
import { Faults } from '../kit/faults.ts'
import { FileStore, type KeptFile } from '../kit/file-store.ts'
import { ChatStore } from '../kit/chat-store.ts'
import { evictOldest } from '../kit/bounded-log.ts'
import type { FeishuFault } from './faults.ts'

/** A stored message. */
export interface StoredMessage {
  readonly messageId: string
  readonly chatId: string
  readonly type: string
  content: string
  readonly createdMs: number
  updatedMs: number
  readonly sender: { readonly id: string; readonly id_type: string; readonly sender_type: string }
  readonly parentId: string | null
  readonly rootId: string | null
  readonly threadId: string | null
  readonly mentions: readonly Mention[]
  readonly fileKeys: readonly string[]
  /** Number of edits of a text or post. */
  edits: number
  deleted: boolean
}

/** A mention, with its placeholder in the text. */
export interface Mention {
  readonly key: string
  readonly openId: string
  readonly name: string
}

/** A chat with the bot. */
export interface FeishuChat {
  readonly chatId: string
  readonly type: 'p2p' | 'group'
  readonly title: string
}

/** A file of the bot or a person. */
export interface StoredFile extends KeptFile {
  readonly key: string
  /** Type given at upload. */
  readonly type: string
}

/** Scopes that guided setup requests. */
export const DEFAULT_SCOPES: readonly string[] = [
  'im:message',
  'im:message:send_as_bot',
  'im:message:readonly',
  'im:message:update',
  'im:message:recall',
  'im:message.p2p_msg:readonly',
  'im:message.group_at_msg:readonly',
  'im:message.reactions:read',
  'im:message.reactions:write_only',
  'im:resource',
  'contact:user.base:readonly',
  'contact:contact.base:readonly',
  'cardkit:card:write',
]

/** Key of the only tenant. */
export const TENANT = 'tenant0000000001'
const DAY_MS = 86_400_000

/** State of one tenant with one app. */
export class FeishuState {
  readonly clock: EmulatorClock
  readonly chatStore: ChatStore
  readonly faults = new Faults<FeishuFault>()
  readonly bot = { appId: 'cli_a1b2c3d4e5f60718', openId: 'ou_bot_gatepost', name: 'Gatepost' }
  /** The valid app secret; `null` after it was revoked. */
  secret: string | null = 'FeishuMadeUpSecret00000000000001'
  readonly messages = new Map<string, StoredMessage>()
  readonly chats = new Map<string, FeishuChat>()
  readonly files: FileStore<StoredFile>
  readonly #scopes: ReadonlySet<string>
  readonly #history: number
  readonly #startMs: number
  #last = 0

  constructor(clock: EmulatorClock, history: number, fileBytes: number, scopes: readonly string[]) {
    this.clock = clock
    this.chatStore = new ChatStore(clock, history)
    this.files = new FileStore(fileBytes)
    this.#scopes = new Set(scopes)
    this.#history = history
    this.#startMs = clock.now()
  }

  /** Returns an id that is never reused, not even after a restart: it starts with the start time. */
  newId(prefix: string): string {
    const start = this.#startMs.toString(16).padStart(12, '0')
    return `${prefix}${start}${(++this.#last).toString(16).padStart(20, '0')}`
  }

  /** Returns an id of 19 digits, like those of cards. */
  newNumber(): string {
    return `7${String(this.#startMs % 1e10).padStart(10, '0')}${String(++this.#last).padStart(8, '0')}`
  }

  /** Whether a scope is granted. */
  isGranted(scope: string): boolean {
    for (const { spec } of this.faults.active.toReversed()) {
      if (spec.kind === 'scope' && spec.scope === scope) return spec.granted
    }
    return this.#scopes.has(scope)
  }

  /** Returns all scopes that the app requests. */
  scopes(): readonly string[] {
    const named = this.faults.active.flatMap(({ spec }) => (spec.kind === 'scope' ? [spec.scope] : []))
    return [...new Set([...DEFAULT_SCOPES, ...this.#scopes, ...named])]
  }

  /** Returns `activate_status` of the bot. */
  activateStatus(): number {
    const fault = this.faults.active.findLast(({ spec }) => spec.kind === 'activate_status')?.spec
    return fault?.kind === 'activate_status' ? fault.status : 2
  }

  /** Returns the private chat with a person, created on first use. */
  privateChat(openId: string, name = openId): FeishuChat {
    return this.#chat(this.privateChatId(openId), 'p2p', name)
  }

  /** Returns the id of the private chat with a person. */
  privateChatId(openId: string): string {
    return `oc_p2p_${openId.replace(/^ou_/, '')}`
  }

  /** Returns a group with the bot, created on first use. */
  group(id: string, title = 'Group'): FeishuChat {
    return this.#chat(id.startsWith('oc_') ? id : `oc_${id}`, 'group', title)
  }

  /** Stores a message and returns it. */
  storeMessage(message: StoredMessage): StoredMessage {
    this.messages.set(message.messageId, message)
    evictOldest(this.messages, this.#history)
    return message
  }

  /** Stores a file and returns its key. */
  storeFile(prefix: string, type: string, name: string, mimeType: string, bytes: Uint8Array): string {
    const key = this.newId(prefix)
    this.files.put(key, { key, type, name, mimeType, bytes, untilMs: this.clock.now() + 14 * DAY_MS })
    return key
  }

  /** Returns a file, or `null` when it is unknown or expired. */
  file(key: string): StoredFile | null {
    return this.files.get(key, this.clock.now())
  }

  #chat(chatId: string, type: FeishuChat['type'], title: string): FeishuChat {
    const chat = this.chats.get(chatId) ?? { chatId, type, title }
    this.chats.set(chatId, chat)
    return chat
  }
}
