import type { GapReason } from './gap-reasons.ts'
import type { ChannelRefusal } from './errors.ts'
import type {
  Chat,
  FetchedMedia,
  InboundEvent,
  MediaRef,
  OutboundPart,
  OutboundTextPart,
  Outcome,
  Refused,
} from './message.ts'

/** Receives the events of a connection. */
export interface Inbox {
  /** Returns the cursor stored with the last accepted batch; `null` on the very first start. Opaque to the core. */
  cursor(): Promise<string | null>
  /**
   * Returns when any process last received a heartbeat before this run, up to a minute early; `null`: never. For
   * platforms whose history has to be read for messages that were missed.
   */
  lastHeardMs(): Promise<number | null>
  /** Returns up to `limit` chats with messages, most recently active first. */
  chats(limit: number): Promise<readonly Chat[]>
  /**
   * Stores the batch and the cursor in one transaction. The connection may acknowledge to the platform only after it
   * resolves. An empty batch with a new cursor is stored too.
   * @throws when the database is unavailable or this process no longer holds the connection: do not acknowledge.
   */
  accept(batch: readonly InboundEvent[], cursor: string | null): Promise<void>
  /** Reports the bot's name on the platform. */
  named(name: string): void
  /**
   * Call on every successful poll or heartbeat. The first call makes the channel `running`.
   * @param state.isComplete Whether all events received so far are stored (default): a gap after a crash begins at the
   *   last such call.
   */
  alive(state?: { readonly isComplete: boolean }): void
  /** Reports a problem that needs the operator (a scope, a privacy mode) while receiving works. `null` clears it. */
  degraded(problem: Problem | null): void
  /** Reports a time range in which messages may have been lost. Always shown to the operator. */
  gap(fromMs: number, toMs: number, reason: GapReason): void
}

/** A problem that needs the operator. */
export interface Problem {
  readonly code: ChannelRefusal
  readonly message: string
}

/** A connection to one bot. */
export interface Connection {
  /**
   * Receives until `signal` aborts; acknowledges an event only after `inbox.accept` has resolved.
   * @throws {ConnectionError} with the kind of failure; the supervisor decides whether and when to reconnect.
   */
  run(inbox: Inbox, signal: AbortSignal): Promise<void>
  /** Makes one platform call and returns its outcome. Never throws for a response of the platform. */
  send(part: OutboundPart, signal: AbortSignal): Promise<Outcome>
  /** Optional capabilities. A missing key means the platform lacks it. */
  readonly can: {
    /** Replaces the text of one of the bot's messages. */
    readonly edit?: (part: OutboundTextPart, messageId: string, signal: AbortSignal) => Promise<Outcome>
    /** Shows an unfinished reply that disappears on its own (on some platforms only in private chats: see `draftFor`). */
    readonly draft?: (part: OutboundTextPart, signal: AbortSignal) => Promise<Outcome>
    /** Whether `draft` works in this chat. Absent: in every chat. */
    readonly draftFor?: (chat: Chat) => boolean
    /** Shows a typing indicator; repeated every `limits.typingEveryMs`. `messageId`: the message being answered. */
    readonly typing?: (chat: Chat, signal: AbortSignal, messageId?: string) => Promise<void>
    /** Removes the typing indicator where it does not expire. Called once, also when the turn failed. */
    readonly typingDone?: (chat: Chat, signal: AbortSignal, messageId?: string) => Promise<void>
    /** @throws {ChannelError} `media_too_large`, `media_unavailable` */
    readonly fetchMedia?: (media: MediaRef, signal: AbortSignal) => Promise<FetchedMedia>
    /**
     * Whether resending this part now cannot show it twice (the platform has an idempotency key and still remembers
     * it). `triedAtMs`: the last attempt, milliseconds since the Unix epoch.
     */
    readonly resend?: (part: OutboundPart, triedAtMs: number) => boolean
    /**
     * Whether repeating an edit without a response is safe now; absent: always. False: the message can no longer be
     * edited, so the outcome of the edit stays unknown.
     */
    readonly editAgain?: (messageId: string) => boolean
    readonly findSent?: FindSent
    /**
     * Returns what may be sent to this chat now, where that depends on the user's recent messages. Makes no request.
     * @param isReply For a reply to a message; absent: for a notification.
     */
    readonly allowance?: (chat: Chat, isReply?: boolean) => Allowance
    /**
     * Takes back the `replyContext` of stored messages whose reply has no outcome yet, oldest first. Called before
     * anything is sent. Only replies may use them; what this process has received itself takes precedence.
     */
    readonly restoreContexts?: (contexts: readonly ReplyContext[]) => void
  }
}

/** The `replyContext` of a stored message. */
export interface ReplyContext {
  readonly chat: Chat
  readonly context: string
  /** When that message was sent, milliseconds since the Unix epoch. */
  readonly sentAtMs: number
}

/** What the platform allows to be sent to one chat before the user writes again. */
export interface Allowance {
  /** Remaining sends; `null`: unlimited. */
  readonly left: number | null
  /** Why nothing can be sent now (`no_context`, `quota_used_up`), or `null`. */
  readonly refused: Refused | null
}

/** Finds out, without showing anything, whether a send without a response was delivered. */
export interface FindSent {
  /** Delay after an attempt before the platform's state can be trusted, in milliseconds. */
  readonly settleMs: number
  /** Returns what to store before an attempt, e.g. the highest known message id; `null`: not possible for this part. */
  mark(part: OutboundPart): string | null
  /** `absent`: it was not delivered and may be sent. `undecided`: it cannot be determined. */
  find(part: OutboundPart, mark: string, known: readonly KnownMessage[], signal: AbortSignal): Promise<FoundSent>
}
/** A message that is already stored, and therefore not the one in question. */
export interface KnownMessage {
  readonly chatId: string
  readonly messageId: string
}
/** Result of looking for a sent message. */
export type FoundSent =
  | { readonly found: 'delivered'; readonly messageId: string }
  | { readonly found: 'absent' }
  | { readonly found: 'undecided'; readonly detail: string }
  | { readonly found: 'later'; readonly afterMs: number }
