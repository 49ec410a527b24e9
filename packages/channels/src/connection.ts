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

/** What a connection hands events to. */
export interface Inbox {
  /** The position stored with the last accepted batch, opaque to the core; `null` at the very first start. */
  cursor(): Promise<string | null>
  /**
   * When the platform was last heard before this run, by any process, at most a minute too early; `null`: never. For
   * platforms whose history must be asked for what came meanwhile.
   */
  lastHeardMs(): Promise<number | null>
  /** Chats in which something was said, the liveliest first, at most `limit`. */
  chats(limit: number): Promise<readonly Chat[]>
  /**
   * Stores the batch and the cursor in one transaction. Only when it has resolved may the connection acknowledge to the
   * platform. An empty batch with a new cursor is stored too.
   * @throws when the database is unavailable or this process no longer holds the connection: do not acknowledge.
   */
  accept(batch: readonly InboundEvent[], cursor: string | null): Promise<void>
  /** What the bot is called on the platform, as soon as it is known. */
  named(name: string): void
  /** The platform was heard: call at every successful poll or heartbeat. The first call makes the channel `running`. */
  alive(): void
  /** Receiving, but something needs the operator (a scope, a privacy mode). `null` clears it. */
  degraded(problem: Problem | null): void
  /** Messages may have been lost by the platform in this span. Shown, never hidden. */
  gap(fromMs: number, toMs: number, why: string): void
}

export interface Problem {
  readonly code: ChannelRefusal
  readonly message: string
}

export interface Connection {
  /**
   * Receives until `signal` aborts; acknowledges an event only after `inbox.accept` has resolved.
   * @throws {ConnectionError} with the class of the failure; the supervisor decides whether and when to try again.
   */
  run(inbox: Inbox, signal: AbortSignal): Promise<void>
  /** One platform call, one outcome. Never throws for what the platform answers. */
  send(part: OutboundPart, signal: AbortSignal): Promise<Outcome>
  /** What the platform can do besides. A missing key means "cannot": nothing throws "not implemented". */
  readonly can: {
    /** Replaces the text of an own message. */
    readonly edit?: (part: OutboundTextPart, messageId: string, signal: AbortSignal) => Promise<Outcome>
    /** Shows an unfinished answer that vanishes by itself (private chats only on some platforms: see `draftFor`). */
    readonly draft?: (part: OutboundTextPart, signal: AbortSignal) => Promise<Outcome>
    /** Whether `draft` works in this chat. Absent: in every chat. */
    readonly draftFor?: (chat: Chat) => boolean
    /** Shows that an answer is being written; called again every `limits.typingEveryMs`. `messageId`: what is answered. */
    readonly typing?: (chat: Chat, signal: AbortSignal, messageId?: string) => Promise<void>
    /** Takes the sign away, where it does not vanish by itself. Called once, also when the turn failed. */
    readonly typingDone?: (chat: Chat, signal: AbortSignal, messageId?: string) => Promise<void>
    /** @throws {ChannelError} `media_too_large`, `media_unavailable` */
    readonly fetchMedia?: (media: MediaRef, signal: AbortSignal) => Promise<FetchedMedia>
    /**
     * Whether sending this part again now shows nothing twice (the platform has an idempotency key, and has not
     * forgotten it). `triedAtMs`: the last attempt, milliseconds since the Unix epoch.
     */
    readonly resend?: (part: OutboundPart, triedAtMs: number) => boolean
    /**
     * Whether repeating an edit that had no answer, now, leaves the message as it should be; absent: always. False: the
     * message can be changed no more, so what the edit did stays unknown.
     */
    readonly editAgain?: (messageId: string) => boolean
    readonly findSent?: FindSent
    /** What may be sent to this chat now, where that hangs on what people wrote to us lately. Asks nobody. */
    readonly allowance?: (chat: Chat) => Allowance
  }
}

/** What the platform lets us send to one chat until the person writes again. */
export interface Allowance {
  /** Sends that are left; `null`: not counted. */
  readonly left: number | null
  /** Why nothing can be sent at the moment: `no_context`, `quota_used_up`; `null`: something can. */
  readonly refused: Refused | null
}

/** Finds out, without showing anything, whether a send whose answer never came was shown. */
export interface FindSent {
  /** How long after the attempt the platform's state can be trusted, in milliseconds. */
  readonly settleMs: number
  /** What to remember before an attempt, e.g. the highest message id known. `null`: cannot be found out for this part. */
  mark(part: OutboundPart): string | null
  /** `absent`: it was not shown and may be sent. `undecided`: nobody can tell. */
  find(part: OutboundPart, mark: string, known: readonly KnownMessage[], signal: AbortSignal): Promise<FoundSent>
}
/** A message that is stored here: it is not the one that is looked for. */
export interface KnownMessage {
  readonly chatId: string
  readonly messageId: string
}
export type FoundSent =
  | { readonly found: 'delivered'; readonly messageId: string }
  | { readonly found: 'absent' }
  | { readonly found: 'undecided'; readonly detail: string }
  | { readonly found: 'later'; readonly afterMs: number }
