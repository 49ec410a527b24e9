import type { ChannelRefusal } from './errors.ts'
import type { Dialect } from './markdown/dialect.ts'
import type { PlatformId } from './platform-names.ts'
import type { z } from 'zod'

/**
 * The contract between the core and a platform.
 *
 * A platform is a folder under `platforms/`: pure halves that know the platform and no socket (`decode`, `encode`,
 * `outcome`) around one thin connection. Timers, retries, pacing, storage and the assistant belong to the core, which
 * reads `limits` and `can` and never compares `id` with a name.
 */
export interface Platform<C> {
  readonly id: PlatformId
  /** The product's own name, e.g. `Telegram`. */
  readonly label: string
  readonly limits: PlatformLimits
  /** How Markdown is written on this platform. */
  readonly dialect: Dialect
  readonly credentials: CredentialSchema<C>
  /** Which bot these credentials speak for: stable, not secret. Messages, contacts and the lease are kept by it. */
  identity(credentials: C): string
  /** This platform's own fields of a channel entry; `null` when nothing is configured. Never a secret. */
  describe(credentials: C | null, io: PlatformIo): Readonly<Record<string, unknown>>
  /** Asks the platform whether it accepts these. Stores nothing, starts nothing. */
  validate(credentials: C, io: PlatformIo, signal: AbortSignal): Promise<Validation>
  connect(credentials: C, io: PlatformIo): Connection
  /** Checks that a person can act on, each with a remedy. Never throws for a failing remote. */
  diagnose(credentials: C, io: PlatformIo, signal: AbortSignal): Promise<readonly Diagnosis[]>
}

export interface CredentialSchema<C> {
  /** What is stored in `channels.yml` for this platform, without `enabled` and the access rules. */
  readonly schema: z.ZodType<C>
  /** Keys whose values are secrets: masked wherever they are shown. */
  readonly secrets: readonly (keyof C & string)[]
  /** Keys of the body of a save request that must come together with a secret, because they decide where it is sent. */
  readonly bound: readonly (keyof C & string)[]
}

export type Validation =
  | { readonly ok: true; readonly identity: string; readonly name: string }
  /** `rejected`: the platform said no. `unreachable`: it could not be asked. */
  | { readonly ok: false; readonly reason: 'rejected' | 'unreachable'; readonly message: string }

export interface Diagnosis {
  /** Stable, e.g. `token_accepted`. */
  readonly id: string
  readonly title: string
  readonly status: 'pass' | 'fail' | 'info'
  readonly detail: string
  /** What to do about it, when `status` is `fail`. */
  readonly remedy?: string
}

/** The world as a platform may touch it; a test or an emulator takes its place. */
export interface PlatformIo {
  readonly fetch: typeof fetch
  readonly clock: Clock
  /** Uniform in [0, 1). */
  readonly random: () => number
  readonly log: Log
  /** Base URL of a platform's host without a trailing slash, by its setting's name, e.g. `GATEPOST_TELEGRAM_API_URL`. */
  readonly host: (setting: string, fallback: string) => string
}

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Resolves after `ms`, or at once when `signal` aborts: it never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** One structured line per call; `fields` never hold a secret. */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}
export type LogFields = Readonly<Record<string, unknown>>

/** How often something may be done: `count` times per `perMs`, saved up to `burst`. */
export interface Rate {
  readonly count: number
  readonly perMs: number
  readonly burst: number
}

export interface PlatformLimits {
  /** The size of one message, in the platform's own unit, after rendering as `Dialect` measures it. */
  readonly text: { readonly max: number; readonly unit: 'utf16' | 'code_points' | 'bytes' }
  /** Largest file that can be fetched, and sent, in bytes. */
  readonly fileBytes: { readonly inbound: number; readonly image: number; readonly file: number }
  readonly pace: { readonly channel: Rate; readonly direct: Rate; readonly group: Rate }
  /** Shortest time between two previews of one streaming answer; absent: the platform has no such preview. */
  readonly previewEveryMs: { readonly draft?: number; readonly edit?: number }
  /** How long the platform keeps what nobody has received, in milliseconds; `null`: nobody knows. */
  readonly replayMs: number | null
  /** A typing sign is repeated this often while the assistant works. */
  readonly typingEveryMs: number
}

// --- inbound -------------------------------------------------------------------------------------------------------

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

/** What a connection hands events to. */
export interface Inbox {
  /** The position stored with the last accepted batch, opaque to the core; `null` at the very first start. */
  cursor(): Promise<string | null>
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

// --- connection ----------------------------------------------------------------------------------------------------

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
    readonly typing?: (chat: Chat, signal: AbortSignal) => Promise<void>
    /** @throws {ChannelError} `media_too_large`, `media_unavailable` */
    readonly fetchMedia?: (media: MediaRef, signal: AbortSignal) => Promise<FetchedMedia>
    /** Sending the same `deliveryId` again shows nothing twice (the platform has an idempotency key). */
    readonly resend?: true
    readonly findSent?: FindSent
  }
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

export interface FetchedMedia {
  readonly bytes: Uint8Array
  readonly name?: string
  readonly mime?: string
}

// --- outbound ------------------------------------------------------------------------------------------------------

interface OutboundBase {
  /** `<turn or send id>.<part>`: the same for every attempt. Use it as the idempotency key where there is one. */
  readonly deliveryId: string
  readonly chat: Chat
  /** The platform's id of the message that this one answers. */
  readonly replyTo?: string
  /** The newest message known in this chat when the part was made, either direction. */
  readonly after?: string
}
export interface OutboundTextPart extends OutboundBase {
  readonly kind: 'text'
  /** In the platform's dialect, within `limits.text`. */
  readonly body: string
  /** `body` is plain text: either it was rendered so, or the platform refused the markup. */
  readonly plain: boolean
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
  | {
      readonly status: 'refused'
      readonly code: ChannelRefusal
      /** The platform's own words, without secrets. */
      readonly detail: string
      /** Wait at least this long; only with `rate_limited`. */
      readonly retryAfterMs?: number
      /** The chat's new id; only with `chat_moved`. */
      readonly toChatId?: string
    }
  /** It may have been shown: the answer did not come, or said nothing. */
  | { readonly status: 'unknown'; readonly detail: string }
