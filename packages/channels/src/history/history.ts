import type { PlatformId } from '../platform-names.ts'
import type { DeliveryRecord, DeliveryState, MessageRecord, Page, PageRequest } from '../storage/records.ts'

/** A chat, or one thread of it, with its latest message. Times are milliseconds since the Unix epoch. */
export interface ConversationRecord {
  readonly id: string
  readonly platform: PlatformId
  readonly chat: { readonly id: string; readonly kind: 'direct' | 'group'; readonly title: string | null }
  /** The people who wrote last, at most three. */
  readonly people: readonly { readonly user_id: string; readonly name: string | null }[]
  /** The latest message; `null`: retention has deleted everything. */
  readonly last: {
    readonly at: number
    readonly by: 'person' | 'bot'
    /** Name of the sender, or of the recipient when the bot wrote; `null` when unknown. */
    readonly name: string | null
    /** First 200 characters; for a file, its name. */
    readonly text: string
  } | null
  /** Messages waiting for a reply. */
  readonly waiting: number
  /** Messages that got no reply, and deliveries that failed. */
  readonly failed: number
}

/** A message or delivery of a conversation. */
export type TranscriptItem =
  | { readonly type: 'message'; readonly message: MessageRecord }
  | { readonly type: 'delivery'; readonly delivery: DeliveryRecord }

/** Both sides of a conversation, newest first. */
export interface Transcript extends Page<TranscriptItem> {
  readonly conversation: ConversationRecord
}

/** A delivery on any platform. */
export interface AddressedDelivery extends DeliveryRecord {
  readonly platform: PlatformId
  /** The recipient; `null` in a group when it is not a reply to anyone in particular. */
  readonly to: { readonly user_id: string; readonly name: string | null } | null
}

/** Filters for the list of conversations. */
export interface ConversationsRequest extends PageRequest {
  readonly platform: PlatformId | null
  /** Case-insensitive text to find in names, titles and messages of either side. */
  readonly q: string | null
  readonly kind: 'direct' | 'group' | null
  /** `waiting`: has unanswered messages. `failed`: has messages or deliveries that failed. */
  readonly state: 'waiting' | 'failed' | null
}

/** Filters for the list of deliveries. */
export interface DeliveriesRequest extends PageRequest {
  readonly platform: PlatformId | null
  readonly dead: boolean
  readonly state: DeliveryState | null
}

/** The stored history of all configured bots. */
export interface ChannelHistory {
  /** Returns conversations, latest activity first. When `signal` aborts, those found so far. */
  conversations(
    accountId: string,
    request: ConversationsRequest,
    signal: AbortSignal,
  ): Promise<Page<ConversationRecord>>
  /** @throws {ChannelError} `unknown_conversation` */
  conversation(accountId: string, id: string, page: PageRequest): Promise<Transcript>
  deliveries(accountId: string, request: DeliveriesRequest): Promise<Page<AddressedDelivery>>
  /** @throws {ChannelError} `span_invalid` */
  traffic(accountId: string, span: TrafficSpan): Promise<Traffic>
}

/** A time range in milliseconds since the Unix epoch. Default: the 24 hours before `to`, and `to` is now. */
export interface TrafficSpan {
  readonly from: number | null
  readonly to: number | null
}

/** Counts. A message counts when it was received, a delivery when its outcome was stored. */
export interface TrafficCounts<N> {
  readonly received: N
  readonly answered: N
  readonly failed: N
  readonly delivered: N
  readonly refused: N
  readonly unknown: N
}

/** Percentiles of the time from receiving a message to the confirmed delivery of its reply, in milliseconds. */
export interface AnswerTimes {
  readonly p50: number
  readonly p95: number
}

/** Counts in steps of equal length: step `i` starts at `from + i * step_ms`. */
export interface Traffic {
  readonly from: number
  readonly to: number
  readonly step_ms: number
  /** Every platform with a configured bot; each list has one number for each step. */
  readonly platforms: readonly (TrafficCounts<readonly number[]> & { readonly platform: PlatformId })[]
  /** One per step; `null`: no replies in it. */
  readonly answer_ms: readonly (AnswerTimes | null)[]
  readonly totals: TrafficCounts<number> & { readonly answer_ms: AnswerTimes | null }
}
