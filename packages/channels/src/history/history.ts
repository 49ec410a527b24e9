import type { PlatformId } from '../platform-names.ts'
import type { DeliveryRecord, DeliveryState, MessageRecord, Page, PageRequest } from '../storage/records.ts'

/** A chat, or one thread of it, with what was said last. Times are milliseconds since the Unix epoch. */
export interface ConversationRecord {
  readonly id: string
  readonly platform: PlatformId
  readonly chat: { readonly id: string; readonly kind: 'direct' | 'group'; readonly title: string | null }
  /** Who wrote in it last, at most three. */
  readonly people: readonly { readonly user_id: string; readonly name: string | null }[]
  /** `null`: retention has taken everything. */
  readonly last: {
    readonly at: number
    readonly by: 'person' | 'bot'
    /** Of the person, or of who is written to; `null` when it is not known. */
    readonly name: string | null
    /** The first 200 characters; of a file its name. */
    readonly text: string
  } | null
  /** Messages that wait for an answer. */
  readonly waiting: number
  /** Messages that could not be answered, and deliveries that are dead. */
  readonly failed: number
}

export type TranscriptItem =
  | { readonly type: 'message'; readonly message: MessageRecord }
  | { readonly type: 'delivery'; readonly delivery: DeliveryRecord }

/** Both sides of a conversation, newest first. */
export interface Transcript extends Page<TranscriptItem> {
  readonly conversation: ConversationRecord
}

/** A delivery of any platform. */
export interface AddressedDelivery extends DeliveryRecord {
  readonly platform: PlatformId
  /** The person it is for; `null` in a group that nobody in particular is answered in. */
  readonly to: { readonly user_id: string; readonly name: string | null } | null
}

export interface ConversationsRequest extends PageRequest {
  readonly platform: PlatformId | null
  /** Found in names, titles, and texts of either side, whatever the case of its letters. */
  readonly q: string | null
  readonly kind: 'direct' | 'group' | null
  /** Has messages that wait; has messages that failed or deliveries that are dead. */
  readonly state: 'waiting' | 'failed' | null
}

export interface DeliveriesRequest extends PageRequest {
  readonly platform: PlatformId | null
  readonly dead: boolean
  readonly state: DeliveryState | null
}

/** What is stored of all bots that are configured now. */
export interface ChannelHistory {
  /** Newest activity first. When `signal` aborts, what has been found. */
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

/** Milliseconds since the Unix epoch; `null`: until now, and from 24 hours before the end. */
export interface TrafficSpan {
  readonly from: number | null
  readonly to: number | null
}

/** How many of each; a message counts when it was accepted, a delivery when its outcome was stored. */
export interface TrafficCounts<N> {
  readonly received: N
  readonly answered: N
  readonly failed: N
  readonly delivered: N
  readonly refused: N
  readonly unknown: N
}

/** From the acceptance of a message to its answer confirmed, in milliseconds. */
export interface AnswerTimes {
  readonly p50: number
  readonly p95: number
}

/** Counted in steps of equal length: step `i` begins at `from + i * step_ms`. */
export interface Traffic {
  readonly from: number
  readonly to: number
  readonly step_ms: number
  /** Every platform with a configured bot; each list has one number for each step. */
  readonly platforms: readonly (TrafficCounts<readonly number[]> & { readonly platform: PlatformId })[]
  /** Of each step; `null`: nothing was answered in it. */
  readonly answer_ms: readonly (AnswerTimes | null)[]
  readonly totals: TrafficCounts<number> & { readonly answer_ms: AnswerTimes | null }
}
