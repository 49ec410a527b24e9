import type { ChannelHistory } from './history/history.ts'
import type { PreviewPart } from './markdown/shown.ts'
import type { GroupPolicy } from './config/credential-store.ts'
import type { Diagnosis } from './platform.ts'
import type { PlatformId } from './platform-names.ts'
import type { DeliveryRecord, MessageRecord, Page, PageRequest } from './storage/records.ts'
import type { SetupKind, SetupState, SetupView, SetupWay } from './setup/guide.ts'

/** Who asks. The host decides it from the request; every call sees only the channels of this account. */
export interface Principal {
  /** `owner` for the owner token. */
  readonly accountId: string
}

/**
 * An entry of `GET /api/channels`: exactly the fields of the contract. Besides these three, each platform adds its own
 * (`app_id`, `domain`, `bot_id`, `has_token`, `base_url`, `parse_mode`, `client_id`, `allowed_users`).
 */
export interface ChannelEntry {
  readonly platform: PlatformId
  readonly enabled: boolean
  /** True only while the adapter can really receive. */
  readonly running: boolean
  readonly has_config: boolean
  readonly [field: string]: unknown
}

export type ChannelState =
  /** Nothing configured, or disabled; with a `reason`: it must be enabled again by a person. */
  | 'stopped'
  | 'connecting'
  | 'running'
  /** Receiving, but something needs the operator. */
  | 'degraded'
  /** Will try again by itself. */
  | 'backing_off'
  /** Another process holds the connection of this bot. */
  | 'standby'
  /** Needs new credentials. */
  | 'rejected'

export interface ChannelDetails extends ChannelEntry {
  readonly state: ChannelState
  /** Stable code of why it is in this state; `null` when there is nothing to say. */
  readonly reason: string | null
  /** The same as a sentence. */
  readonly message: string | null
  /** When the state was entered, milliseconds since the Unix epoch. */
  readonly since: number
  readonly bot: { readonly id: string; readonly name: string | null } | null
  /** Who is answered in groups. */
  readonly group_policy: GroupPolicy
  /** Next attempt, milliseconds since the Unix epoch, while `backing_off`. */
  readonly retry_at: number | null
  /** Stored secrets by the names of their fields: asterisks and the last four characters, nothing more. */
  readonly secrets: Readonly<Record<string, string>>
  /** The last sign of life of the platform: a frame, a poll, a heartbeat. */
  readonly last_heard_at: number | null
  readonly last_inbound_at: number | null
  readonly last_delivered_at: number | null
  /** Spans in which the platform may have lost messages, newest first. */
  readonly gaps: readonly { readonly from: number; readonly to: number; readonly why: string }[]
  readonly send_budget: {
    /** Messages that could be sent at once now. */
    readonly available: number
    readonly per_second: number
    /** Until when the platform asked us to wait, milliseconds since the Unix epoch. */
    readonly paused_until: number | null
  } | null
  readonly queued: number
  readonly dead: number
}

export interface KnownUser {
  readonly user_id: string
  readonly name: string | null
  readonly username: string | null
  readonly last_seen_at: number
  /** Whether a message can be sent to this person now. */
  readonly reachable: boolean
  /** Why not; `null` when reachable. */
  readonly reason: string | null
  /** Messages that can still be sent until the person writes again; `null`: the platform counts none. */
  readonly sends_left: number | null
  /** Whether the assistant answers this person (`allowed_users`). */
  readonly allowed: boolean
}

/** Something that happened on a channel, as `GET /api/events` tells it. */
export type ChannelEvent = { readonly platform: PlatformId; readonly at: number } & (
  | {
      readonly type: 'state'
      readonly state: ChannelState
      readonly reason: string | null
      readonly message: string | null
    }
  | { readonly type: 'message'; readonly message: MessageRecord }
  | { readonly type: 'delivery'; readonly delivery: DeliveryRecord }
)

/** What `GET /api/doctor` answers. */
export interface DoctorReport {
  /** Nothing failed. */
  readonly ok: boolean
  readonly sections: readonly DoctorSection[]
}
export interface DoctorSection {
  /** `null`: the service itself. */
  readonly platform: PlatformId | null
  readonly title: string
  readonly checks: readonly Diagnosis[]
}

/** Which set-up, and whose. */
export interface OfSetup {
  readonly accountId: string
  readonly platform: PlatformId
  readonly id: string
}

export interface SetupRequest {
  /** `null`: the platform's easiest. */
  readonly kind: SetupKind | null
  /** Saved together with what is found, e.g. the `base_url` of an own server. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** Guided set-ups. They are not stored: after a restart one begins again. */
export interface ChannelSetups {
  ways(platform: PlatformId): readonly SetupWay[]
  /**
   * Resolves when there is something to scan, to open or to answer.
   * @throws {ChannelError} `setup_kind_unknown`, `credentials_invalid`, `too_many_setups`, `config_broken`
   */
  start(who: Principal, platform: PlatformId, how: SetupRequest): Promise<SetupView>
  /** @throws {ChannelError} `unknown_setup` */
  view(of: OfSetup, wait: SetupWait): Promise<SetupView>
  /** @throws {ChannelError} `unknown_setup`, `setup_input_unexpected` */
  answer(of: OfSetup, values: Readonly<Record<string, string>>): SetupView
  /** @throws {ChannelError} `unknown_setup` */
  cancel(of: OfSetup): void
  /**
   * How the set-up stands whose code says `code`; `null`: there is none, or it had ended before `sinceMs`. For the
   * page of the code, which whoever has the code may see.
   */
  stateOf(code: string, sinceMs: number): SetupState | 'expired' | null
}

export interface SetupWait {
  /** Answers as soon as the version is above this one; `null`: above what it is now. */
  readonly version: number | null
  readonly waitMs: number
  readonly signal: AbortSignal
}

/** What the HTTP routes and the command line need from the service. Every method may throw `ChannelError`. */
export interface Channels {
  list(who: Principal): Promise<readonly ChannelEntry[]>
  details(who: Principal, platform: PlatformId): Promise<ChannelDetails>
  /**
   * Takes the body of `POST /api/channels/<platform>`. With a secret: validates with the platform, stores, swaps the
   * running connection. Without: changes the given settings (`enabled`, `allowed_users`, …) of what is stored.
   * @throws {ChannelError} `credentials_invalid` with `details.field`, `credentials_rejected`, `no_credentials`, …
   */
  save(who: Principal, platform: PlatformId, body: unknown): Promise<void>
  disable(who: Principal, platform: PlatformId): Promise<void>
  /**
   * Stops the channel and removes its credentials and settings; a set-up that is under way is cancelled.
   * @throws {ChannelError} `no_credentials`, `config_broken`, `config_unwritable`
   */
  forget(who: Principal, platform: PlatformId): Promise<void>
  /** Validates like `save` and stores nothing. Without a body: what is stored. */
  test(who: Principal, platform: PlatformId, body: unknown): Promise<{ readonly bot: { id: string; name: string } }>
  /** The guided set-ups of this process. */
  readonly setups: ChannelSetups
  users(who: Principal, platform: PlatformId): Promise<readonly KnownUser[]>
  /** What the platform will show of this Markdown, message by message. No channel is needed. */
  preview(platform: PlatformId, message: string): readonly PreviewPart[]
  /** Resolves when the platform has confirmed. @throws `not_running`, `no_known_users`, `delivery_refused`, … */
  send(who: Principal, platform: PlatformId, message: string, userId: string | null): Promise<{ deliveryId: string }>
  messages(who: Principal, platform: PlatformId, page: PageRequest): Promise<Page<MessageRecord>>
  deliveries(
    who: Principal,
    platform: PlatformId,
    page: PageRequest & { readonly dead: boolean },
  ): Promise<Page<DeliveryRecord>>
  /** @throws {ChannelError} `unknown_delivery` */
  delivery(who: Principal, platform: PlatformId, deliveryId: string): Promise<DeliveryRecord>
  /** Puts a dead delivery back into the outbox and waits like `send`. */
  resend(who: Principal, platform: PlatformId, deliveryId: string): Promise<void>
  /** Lets a dead delivery be. @throws {ChannelError} `unknown_delivery`, `delivery_not_dead` */
  dismiss(who: Principal, platform: PlatformId, deliveryId: string): Promise<void>
  /** What all bots of an account have received and sent. */
  readonly history: ChannelHistory
  diagnose(who: Principal, platform: PlatformId, signal: AbortSignal): Promise<readonly Diagnosis[]>
  /** The service itself, and every platform that has credentials. */
  doctor(who: Principal, signal: AbortSignal): Promise<DoctorReport>
  /** What happens on this account's channels from now on, until `signal` aborts. */
  events(who: Principal, signal: AbortSignal): AsyncIterable<ChannelEvent>
  /** Whether every enabled channel of every account is running, and how many are not. Asks the database too. */
  readiness(): Promise<{ readonly database: boolean; readonly enabled: number; readonly running: number }>
  /** Current values and counters for `/metrics`. */
  figures(): Promise<ChannelFigures>
  start(): Promise<void>
  /** Finishes or parks what is in flight, at most `withinMs`; releases the connections. */
  stop(withinMs: number): Promise<void>
}

export interface ChannelFigures {
  readonly channels: readonly { readonly platform: PlatformId; readonly state: ChannelState }[]
  readonly received: number
  readonly ignored: number
  readonly turns: Readonly<Record<'answered' | 'failed' | 'retried', number>>
  readonly deliveries: Readonly<Record<'delivered' | 'refused' | 'unknown' | 'retried', number>>
  /** Deliveries that wait, of the channels that run here; `null`: the database cannot be asked. */
  readonly queued: number | null
  /** From the acceptance of a message to its answer confirmed: upper bounds in ms and how many fell at or under each. */
  readonly answerMs: {
    readonly bounds: readonly number[]
    readonly counts: readonly number[]
    readonly sum: number
    readonly count: number
  }
}
