import type { SealedTable } from '@gatepost/sql'
import type { ChannelHistory } from './history/history.ts'
import type { PreviewPart } from './markdown/shown.ts'
import type { GapReason } from './gap-reasons.ts'
import type { GroupPolicy } from './config/credential-store.ts'
import type { Diagnosis } from './platform.ts'
import type { PlatformId } from './platform-names.ts'
import type { DeliveryRecord, MessageRecord, Page, PageRequest } from './storage/records.ts'
import type { SetupKind, SetupState, SetupView, SetupWay } from './setup/guide.ts'

/** The account of whoever runs the service. It has no limits. */
export const OWNER_ACCOUNT = 'owner'

/** The caller, as the host identified it. Every call sees only the channels of this account. */
export interface Principal {
  /** `OWNER_ACCOUNT` for the owner token. */
  readonly accountId: string
}

/**
 * An entry of `GET /api/channels`: exactly the fields of the contract. Besides these three, each platform adds its own
 * (`app_id`, `domain`, `bot_id`, `has_token`, `base_url`, `parse_mode`, `client_id`, `allowed_users`).
 */
export interface ChannelEntry {
  readonly platform: PlatformId
  readonly enabled: boolean
  /** True only while the channel can actually receive messages. */
  readonly running: boolean
  readonly has_config: boolean
  readonly [field: string]: unknown
}

/** State of a channel. */
export type ChannelState =
  /** Not configured or disabled. With a `reason`: stopped until someone enables it again. */
  | 'stopped'
  | 'connecting'
  | 'running'
  /** Receiving, but something needs the operator's attention. */
  | 'degraded'
  /** Waiting for the next connection attempt. */
  | 'backing_off'
  /** Another process holds the connection of this bot. */
  | 'standby'
  /** Needs new credentials. */
  | 'rejected'

/** A channel as `GET /api/channels/{platform}` returns it. */
export interface ChannelDetails extends ChannelEntry {
  readonly state: ChannelState
  /** Stable code of the reason for this state, or `null`. */
  readonly reason: string | null
  /** The reason as a sentence. */
  readonly message: string | null
  /** When the state was entered, milliseconds since the Unix epoch. */
  readonly since: number
  readonly bot: { readonly id: string; readonly name: string | null } | null
  /** Who gets replies in groups. */
  readonly group_policy: GroupPolicy
  /** Next attempt, milliseconds since the Unix epoch, while `backing_off`. */
  readonly retry_at: number | null
  /** Stored secrets by field name, masked except for the last four characters. */
  readonly secrets: Readonly<Record<string, string>>
  /** Last heartbeat of the platform: a frame, poll or ping. */
  readonly last_heard_at: number | null
  readonly last_inbound_at: number | null
  readonly last_delivered_at: number | null
  /** Time ranges in which the platform may have lost messages, newest first. */
  readonly gaps: readonly (GapReason & { readonly from: number; readonly to: number })[]
  readonly send_budget: {
    /** Messages that can be sent right now without waiting. */
    readonly available: number
    readonly per_second: number
    /** End of the pause that the platform asked for, milliseconds since the Unix epoch. */
    readonly paused_until: number | null
  } | null
  readonly queued: number
  readonly dead: number
}

/** A user who has written to the bot. */
export interface KnownUser {
  readonly user_id: string
  readonly name: string | null
  readonly username: string | null
  readonly last_seen_at: number
  /** Whether a message can be sent to this user now. */
  readonly reachable: boolean
  /** Why not; `null` when reachable. */
  readonly reason: string | null
  /** Code of `reason`; `null` when reachable, or when `reason` is the platform's own text. */
  readonly reason_code: string | null
  /** Messages that can be sent before the user has to write again; `null`: the platform has no such limit. */
  readonly sends_left: number | null
  /** Whether the assistant replies to this user (`allowed_users`). */
  readonly allowed: boolean
}

/** An event of a channel, as `GET /api/events` streams it. */
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

/** The response of `GET /api/doctor`. */
export interface DoctorReport {
  /** No check failed. */
  readonly ok: boolean
  readonly sections: readonly DoctorSection[]
}
/** The checks of one platform, or of the service itself. */
export interface DoctorSection {
  /** `null`: the service itself. */
  readonly platform: PlatformId | null
  /** What is checked, where `platform` is `null`. */
  readonly subject?: 'service' | 'accounts'
  readonly title: string
  readonly checks: readonly Diagnosis[]
}

/** Identifies a setup and its account. */
export interface SetupRef {
  readonly accountId: string
  readonly platform: PlatformId
  readonly id: string
}

/** How to start a setup. */
export interface SetupRequest {
  /** `null`: the platform's easiest method. */
  readonly kind: SetupKind | null
  /** Saved together with the credentials, e.g. the `base_url` of a self-hosted server. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** Guided setups. Those that show a QR code for Weixin or DingTalk survive a restart, the others don't. */
export interface ChannelSetups {
  ways(platform: PlatformId): readonly SetupWay[]
  /**
   * Starts a setup. Resolves when there is something to scan, open or enter.
   * @throws {ChannelError} `setup_kind_unknown`, `credentials_invalid`, `too_many_setups`, `config_broken`
   */
  start(who: Principal, platform: PlatformId, how: SetupRequest): Promise<SetupView>
  /** @throws {ChannelError} `unknown_setup` */
  view(of: SetupRef, wait: SetupWait): Promise<SetupView>
  /** @throws {ChannelError} `unknown_setup`, `setup_input_unexpected` */
  answer(of: SetupRef, values: Readonly<Record<string, string>>): SetupView
  /** @throws {ChannelError} `unknown_setup` */
  cancel(of: SetupRef): void
  /**
   * Returns the state of the setup that showed this code, or `null` when there is none or it ended before `sinceMs`.
   * Used by the page behind the code, which anyone with the code may open.
   */
  findStateByCode(code: string, sinceMs: number): SetupState | 'expired' | null
  /** Returns whether a setup has shown this code, here or, judging by its host, in another process. */
  isCode(code: string): boolean
}

/** How long to wait for a change of a setup. */
export interface SetupWait {
  /** Returns as soon as the version is above this one; `null`: above the current version. */
  readonly version: number | null
  readonly waitMs: number
  readonly signal: AbortSignal
}

/** The channel service, as the HTTP routes and the CLI use it. Every method may throw `ChannelError`. */
export interface Channels {
  list(who: Principal): Promise<readonly ChannelEntry[]>
  details(who: Principal, platform: PlatformId): Promise<ChannelDetails>
  /**
   * Applies the body of `POST /api/channels/<platform>`. With a secret: validates with the platform, saves, and replaces
   * the running connection. Without: changes the given settings (`enabled`, `allowed_users`, …).
   * @throws {ChannelError} `credentials_invalid` with `details.field`, `credentials_rejected`, `no_credentials`, …
   */
  save(who: Principal, platform: PlatformId, body: unknown): Promise<void>
  disable(who: Principal, platform: PlatformId): Promise<void>
  /**
   * Stops the channel, removes its credentials and settings, and cancels any setup in progress.
   * @throws {ChannelError} `no_credentials`, `config_broken`, `config_unwritable`
   */
  forget(who: Principal, platform: PlatformId): Promise<void>
  /** Validates like `save` without saving. Without a body, validates the stored credentials. */
  test(who: Principal, platform: PlatformId, body: unknown): Promise<{ readonly bot: { id: string; name: string } }>
  /** The guided setups of this process. */
  readonly setups: ChannelSetups
  users(who: Principal, platform: PlatformId): Promise<readonly KnownUser[]>
  /** Returns what the platform will show for this Markdown, message by message. Works without a configured channel. */
  preview(who: Principal, platform: PlatformId, message: string): Promise<readonly PreviewPart[]>
  /** Sends and waits for the platform to confirm. @throws `not_running`, `no_known_users`, `delivery_refused`, … */
  send(who: Principal, platform: PlatformId, message: string, userId: string | null): Promise<{ deliveryId: string }>
  messages(who: Principal, platform: PlatformId, page: PageRequest): Promise<Page<MessageRecord>>
  deliveries(
    who: Principal,
    platform: PlatformId,
    page: PageRequest & { readonly dead: boolean },
  ): Promise<Page<DeliveryRecord>>
  /** @throws {ChannelError} `unknown_delivery` */
  delivery(who: Principal, platform: PlatformId, deliveryId: string): Promise<DeliveryRecord>
  /** Retries a failed delivery and waits like `send`. */
  resend(who: Principal, platform: PlatformId, deliveryId: string): Promise<void>
  /** Dismisses a failed delivery. @throws {ChannelError} `unknown_delivery`, `delivery_not_dead` */
  dismiss(who: Principal, platform: PlatformId, deliveryId: string): Promise<void>
  /** What the bots of an account have received and sent. */
  readonly history: ChannelHistory
  diagnose(who: Principal, platform: PlatformId, signal: AbortSignal): Promise<readonly Diagnosis[]>
  /** Diagnoses the service and every channel with credentials. */
  doctor(who: Principal, signal: AbortSignal): Promise<DoctorReport>
  /** Streams the events of this account's channels from now on, until `signal` aborts. */
  events(who: Principal, signal: AbortSignal): AsyncIterable<ChannelEvent>
  /** Returns whether the database responds, and how many channels are enabled and running. */
  readiness(): Promise<{ readonly database: boolean; readonly enabled: number; readonly running: number }>
  /** Current values and counters for `/metrics`. */
  metrics(): Promise<ChannelMetrics>
  /** Returns the tables that depend on the secret key. */
  sealedTables(): readonly SealedTable[]
  start(): Promise<void>
  /** Finishes or parks work in flight within `withinMs`, then releases the connections. */
  stop(withinMs: number): Promise<void>
}

/** Values and counters for `/metrics`. */
export interface ChannelMetrics {
  readonly channels: readonly { readonly platform: PlatformId; readonly state: ChannelState }[]
  readonly received: number
  readonly ignored: number
  readonly turns: Readonly<Record<'answered' | 'failed' | 'retried', number>>
  readonly deliveries: Readonly<Record<'delivered' | 'refused' | 'unknown' | 'retried', number>>
  /** Queued deliveries of the channels that run here; `null`: the database is unavailable. */
  readonly queued: number | null
  /** Time from receiving a message to the confirmed delivery of its reply: upper bounds in ms, and counts per bucket. */
  readonly answerMs: {
    readonly bounds: readonly number[]
    readonly counts: readonly number[]
    readonly sum: number
    readonly count: number
  }
}
