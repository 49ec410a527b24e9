import type { Database } from '@gatepost/sql'
import { toBotKey } from './storage/bot-handle.ts'
import { type ChannelPlatform, type Platforms, readOrWhy } from './bound-platform.ts'
import type { ChannelDetails, ChannelEntry } from './channels.ts'
import type { StoredChannel } from './config/credential-store.ts'
import { isGiven } from './config/save-request.ts'
import { CHANNEL_ERRORS, ChannelError } from './errors.ts'
import { lastInbound } from './storage/lists.ts'
import { countDeliveries } from './outbox/deliveries.sql.ts'
import type { PlatformIo } from './platform-io.ts'
import type { PlatformId } from './platform-names.ts'
import { mask } from './secret.ts'
import type { ChannelTables } from './storage/schema.ts'
import type { ChannelRuntime } from './supervisor/channel-runtime.ts'
import { readGaps } from './supervisor/gaps.sql.ts'
import type { LeaseStore } from './supervisor/lease.sql.ts'
import { type ChannelReport, readReport, receives } from './supervisor/report.ts'

/** Builds the channel entries and details that the API returns. */
export interface ChannelStatus {
  /** Returns the report of this process or of the one that holds the bot; `null`: not enabled. */
  report(runtime: ChannelRuntime | null): Promise<ChannelReport | null>
  entry(platform: PlatformId, channel: StoredChannel | undefined, report: ChannelReport | null): ChannelEntry
  details(of: DetailsRequest): Promise<ChannelDetails>
}

/** A channel, and what the details are built from. */
export interface DetailsRequest {
  readonly accountId: string
  readonly platform: PlatformId
  readonly channel: StoredChannel | undefined
  readonly runtime: ChannelRuntime | null
  /** When it was stopped by a change. */
  readonly stoppedAtMs: number | null
}

/** Options of `createStatus`. */
export interface StatusOptions {
  readonly database: Database<ChannelTables>
  readonly leases: LeaseStore
  readonly platforms: Platforms
  readonly io: PlatformIo
}

/** Creates the builder of channel entries and details. */
export function createStatus({ database, leases, platforms, io }: StatusOptions): ChannelStatus {
  const startedAtMs = io.clock.now()

  const report: ChannelStatus['report'] = async (runtime) => {
    const own = runtime?.report() ?? null
    if (!runtime || own?.state !== 'standby') return own
    const holder = readReport(await leases.report(runtime.leaseName, io.clock.now()))
    if (holder === null || holder.bot === runtime.bot) return holder ?? own
    return { ...own, reason: 'bot_in_use', message: CHANNEL_ERRORS.bot_in_use.message }
  }

  const entry: ChannelStatus['entry'] = (platform, channel, reported) => ({
    platform,
    enabled: channel?.enabled ?? false,
    running: channel?.enabled === true && receives(reported?.state ?? 'stopped'),
    has_config: channel !== undefined && hasCredentials(platforms[platform], channel),
    ...platforms[platform].describe(channel?.credentials ?? null, io),
    ...(platforms[platform].answersSomeOnly ? { allowed_users: channel?.allowedUsers ?? [] } : {}),
  })

  const details: ChannelStatus['details'] = async ({ accountId, platform, channel, runtime, stoppedAtMs }) => {
    const reported = await report(runtime)
    const credentials = channel ? readOrWhy(platforms[platform], channel) : null
    const identity = credentials instanceof ChannelError ? null : (credentials?.identity ?? null)
    const why = credentials instanceof ChannelError ? credentials : null
    const stored = identity === null ? null : await loadStoredState(database, toBotKey(accountId, platform, identity))
    return {
      ...entry(platform, channel, reported),
      state: reported?.state ?? 'stopped',
      reason: reported?.reason ?? why?.code ?? null,
      message: reported?.message ?? why?.message ?? null,
      since: reported?.sinceMs ?? stoppedAtMs ?? startedAtMs,
      bot: identity === null ? null : { id: identity, name: reported?.toBotKey ?? null },
      group_policy: channel?.groupPolicy ?? 'allowed',
      secrets: channel ? maskedSecrets(platforms[platform], channel) : {},
      retry_at: reported?.retryAtMs ?? null,
      last_heard_at: reported?.lastHeardAtMs ?? null,
      last_inbound_at: reported?.lastInboundAtMs ?? stored?.lastInboundAtMs ?? null,
      last_delivered_at: reported?.lastDeliveredAtMs ?? stored?.lastDeliveredAtMs ?? null,
      gaps: stored?.gaps ?? [],
      send_budget: readSendBudget(runtime),
      queued: stored?.queued ?? 0,
      dead: stored?.dead ?? 0,
    }
  }
  return { report, entry, details }
}

const loadStoredState = async (database: Database<ChannelTables>, bot: string) => ({
  ...(await countDeliveries(database, bot)),
  lastInboundAtMs: await lastInbound(database, bot),
  gaps: await readGaps(database, bot),
})

/** They may be present but malformed when the file was edited by hand. */
const hasCredentials = (platform: ChannelPlatform, { credentials }: StoredChannel): boolean =>
  platform.secrets.every((name) => isGiven(credentials[name]))

function readSendBudget(runtime: ChannelRuntime | null): ChannelDetails['send_budget'] {
  const budget = runtime?.workers()?.pace.budget()
  if (!budget) return null
  return { available: budget.available, per_second: budget.perSecond, paused_until: budget.pausedUntilMs }
}

const maskedSecrets = (platform: ChannelPlatform, { credentials }: StoredChannel): ChannelDetails['secrets'] =>
  Object.fromEntries(
    platform.secrets.flatMap((name) => {
      const value = credentials[name]
      return typeof value === 'string' && value !== '' ? [[name, mask(value)]] : []
    }),
  )
