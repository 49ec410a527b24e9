import type { ChannelRefusal } from './errors.ts'

/** What comes in and goes out, the same for every platform. Times are milliseconds since the Unix epoch. */

export interface Chat {
  /** The platform's id of the chat, as text. */
  readonly id: string
  readonly kind: 'direct' | 'group'
  /** Topic or thread inside the chat; its messages are a conversation of their own. */
  readonly threadId?: string
  readonly title?: string
}

export interface Person {
  readonly id: string
  readonly name?: string
  readonly username?: string
}

/** A file that the platform holds: `ref` is what `can.fetchMedia` needs to get it. */
export interface MediaRef {
  readonly kind: 'image' | 'file' | 'voice' | 'audio' | 'video' | 'sticker'
  readonly ref: string
  readonly name?: string
  readonly mime?: string
  readonly sizeBytes?: number
}

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
  /** The message that this one answers or quotes. */
  readonly quoted?: { readonly messageId?: string; readonly text: string }
  /** More of the same may follow within this time (an album): the turn waits that long. */
  readonly settleMs?: number
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

/** A person became reachable, or not any more (blocked the bot, left). */
export interface InboundReachability {
  readonly type: 'reachability'
  readonly key: string
  readonly person: Person
  readonly chat: Chat
  /** `null`: can be written to. Otherwise why not. */
  readonly unreachable: string | null
}

/** The platform gave a chat a new id; everything of the old one belongs to the new one. */
export interface InboundChatMoved {
  readonly type: 'chat_moved'
  readonly key: string
  readonly chat: Chat
  readonly toChatId: string
}

export type InboundEvent = InboundMessage | InboundEdit | InboundReachability | InboundChatMoved

interface OutboundBase {
  /** `<turn or send id>.<part>`: the same for every attempt. Use it as the idempotency key where there is one. */
  readonly deliveryId: string
  readonly chat: Chat
  /** The platform's id of the message that this one answers. */
  readonly replyTo?: string
  /** The newest message known in this chat when the part was made, either direction. */
  readonly after?: string
  /** Nobody asked: not the answer to a message, but a notification. */
  readonly proactive?: true
}
export interface OutboundTextPart extends OutboundBase {
  readonly kind: 'text'
  /** In the platform's dialect, within `limits.text`. */
  readonly body: string
  /** `body` is plain text: either it was rendered so, or the platform refused the markup. */
  readonly plain: boolean
  /**
   * An unfinished answer, in the form that can best be replaced: longer texts follow by `can.edit`, each `live` too, and
   * at last the whole one without. The same `deliveryId` may be begun twice (a crash in between): it must not show twice.
   */
  readonly live?: true
}
export interface OutboundFilePart extends OutboundBase {
  readonly kind: 'file'
  readonly name: string
  readonly mime: string
  /** Absolute path of a file of ours. */
  readonly path: string
}
export type OutboundPart = OutboundTextPart | OutboundFilePart

export type Outcome =
  | { readonly status: 'delivered'; readonly messageId: string }
  | Refused
  /** It may have been shown: the answer did not come, or said nothing. */
  | { readonly status: 'unknown'; readonly detail: string }

export interface Refused {
  readonly status: 'refused'
  readonly code: ChannelRefusal
  /** The platform's own words, without secrets. */
  readonly detail: string
  /** Wait at least this long; only with `rate_limited` and `quota_used_up`. */
  readonly retryAfterMs?: number
  /** The chat's new id; only with `chat_moved`. */
  readonly toChatId?: string
}

export interface FetchedMedia {
  readonly bytes: Uint8Array
  readonly name?: string
  readonly mime?: string
}
