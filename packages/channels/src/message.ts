import type { UnreachableCode } from './contacts/unreachable.ts'
import type { ChannelRefusal } from './errors.ts'

/** Inbound and outbound messages, the same for every platform. Times are milliseconds since the Unix epoch. */

/** A conversation on a platform: with one person or in a group. */
export interface Chat {
  /** The platform's id of the chat, as text. */
  readonly id: string
  readonly kind: 'direct' | 'group'
  /** Topic or thread inside the chat; its messages form a separate conversation. */
  readonly threadId?: string
  readonly title?: string
}

/** A user of the platform. */
export interface Person {
  readonly id: string
  readonly name?: string
  readonly username?: string
}

/** A file on the platform. `ref` is what `can.fetchMedia` needs to download it. */
export interface MediaRef {
  readonly kind: 'image' | 'file' | 'voice' | 'audio' | 'video' | 'sticker'
  readonly ref: string
  readonly name?: string
  readonly mime?: string
  readonly sizeBytes?: number
}

/** A message that someone sent to the bot or in its groups. */
export interface InboundMessage {
  readonly type: 'message'
  /** Dedupe key within the bot: two events with the same key are one. */
  readonly key: string
  /** The platform's id of the message, unique within the chat. */
  readonly messageId: string
  readonly chat: Chat
  readonly from: Person
  /** Plain text, mentions of the bot removed where the platform marks them. May be empty when there is media. */
  readonly text: string
  readonly sentAtMs: number
  /** Direct chat, or in a group: the bot was mentioned, commanded or replied to. */
  readonly addressed: boolean
  readonly media: readonly MediaRef[]
  /** The message that this one replies to or quotes. */
  readonly quoted?: { readonly messageId?: string; readonly text: string }
  /** More may follow within this time (an album): the turn waits that long. */
  readonly settleMs?: number
  /**
   * A secret that replies need and that comes only with this message. Stored sealed until the reply has an outcome, and
   * handed back by `restoreContexts` after a restart.
   */
  readonly replyContext?: string
}

/** The sender changed an earlier message. */
export interface InboundEdit {
  readonly type: 'edit'
  /** The key of the message that was edited: the latest text wins, however often it arrives. */
  readonly key: string
  readonly messageId: string
  readonly chat: Chat
  readonly text: string
}

/** A user became reachable or unreachable (blocked the bot, left). */
export interface InboundReachability {
  readonly type: 'reachability'
  readonly key: string
  readonly person: Person
  readonly chat: Chat
  /** Why the user is unreachable; `null`: reachable. */
  readonly unreachable: UnreachableCode | null
}

/** The platform gave a chat a new id; all data of the old id moves to it. */
export interface InboundChatMoved {
  readonly type: 'chat_moved'
  readonly key: string
  readonly chat: Chat
  readonly toChatId: string
}

/** Anything that a connection receives. */
export type InboundEvent = InboundMessage | InboundEdit | InboundReachability | InboundChatMoved

interface OutboundBase {
  /** `<turn or send id>.<part>`, the same for every attempt. Use it as the idempotency key where the platform has one. */
  readonly deliveryId: string
  readonly chat: Chat
  /** The platform's id of the message to reply to. */
  readonly replyTo?: string
  /** The newest message known in this chat when the part was made, either direction. */
  readonly after?: string
  /** A notification, not a reply to a message. */
  readonly proactive?: true
}
/** A text to send. */
export interface OutboundTextPart extends OutboundBase {
  readonly kind: 'text'
  /** In the platform's dialect, within `limits.text`. */
  readonly body: string
  /** `body` is plain text: it was rendered that way, or the platform rejected the markup. */
  readonly plain: boolean
  /**
   * An unfinished reply, sent in a form that can be edited: longer texts follow through `can.edit`, each `live` too, and
   * finally the complete one without. After a crash the same `deliveryId` may start again: it must not show twice.
   */
  readonly live?: true
}
/** A file to send. */
export interface OutboundFilePart extends OutboundBase {
  readonly kind: 'file'
  readonly name: string
  readonly mime: string
  /** Absolute path of a local file. */
  readonly path: string
}
/** One message to send. */
export type OutboundPart = OutboundTextPart | OutboundFilePart

/** Outcome of a send or edit. */
export type Outcome =
  | { readonly status: 'delivered'; readonly messageId: string }
  | Refused
  /** It may have been delivered: there was no response, or an inconclusive one. */
  | { readonly status: 'unknown'; readonly detail: string }

/** The platform refused a send, and nothing was shown. */
export interface Refused {
  readonly status: 'refused'
  readonly code: ChannelRefusal
  /** The platform's own message, without secrets. */
  readonly detail: string
  /** Wait at least this long; only with `rate_limited` and `quota_used_up`. */
  readonly retryAfterMs?: number
  /** The chat's new id; only with `chat_moved`. */
  readonly toChatId?: string
}

/** A downloaded file. */
export interface FetchedMedia {
  readonly bytes: Uint8Array
  readonly name?: string
  readonly mime?: string
}
