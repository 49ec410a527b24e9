import path from 'node:path'
import type { Database, Presence } from '@gatepost/sql'
import type { Assistant } from './assistant/assistant.ts'
import type { HistoryBudget } from './assistant/history.ts'
import type { ChannelPlatform } from './bound-platform.ts'
import type { ChannelDetails, ChannelEntry, Channels, Principal } from './channels.ts'
import type { CredentialStore, StoredChannel } from './config/credential-store.ts'
import { fileCredentialStore } from './config/file-store.ts'
import { readSave, savedChannel } from './config/save.ts'
import { sealedCredentialStore } from './config/sealed-store.sql.ts'
import { diagnoseChannel } from './doctor/diagnose.ts'
import { ChannelError } from './errors.ts'
import { createEventBus } from './event-bus.ts'
import { createFigures } from './figures.ts'
import { keepRetention } from './retention.sql.ts'
import { createLists } from './lists.ts'
import { createSender } from './outbox/sender.ts'
import { countDeliveries, countWaiting, findDelivery } from './outbox/deliveries.sql.ts'
import type { Clock, Log, PlatformIo } from './platform.ts'
import { PLATFORM_IDS, type PlatformId } from './platform-names.ts'
import { describeUnbuilt, platforms as registeredPlatforms, showsAllowedUsers } from './platforms/registry.ts'
import { deliveryRecord } from './records.ts'
import type { ChannelTables } from './schema.ts'
import type { Secret } from './secret.ts'
import { createSlots } from './slots.ts'
import type { ChannelRuntime } from './supervisor/channel-runtime.ts'
import { readGaps } from './supervisor/gaps.sql.ts'
import { sqlLeaseStore } from './supervisor/lease.sql.ts'
import { type ChannelReport, readReport, receives } from './supervisor/report.ts'
import { createSupervisor } from './supervisor/supervisor.ts'

export interface ChannelsOptions {
  readonly database: Database<ChannelTables>
  /** Tells which processes are alive, so that a dead one's connections are taken over at once. */
  readonly presence: Presence
  /** Folder of credentials and files; on PostgreSQL of files only. */
  readonly dataDir: string
  readonly secretKey: Secret
  readonly assistant: Assistant
  readonly clock: Clock
  readonly random: () => number
  readonly fetch: typeof fetch
  readonly log: Log
  /** Base URLs that replace the platforms' own, by the setting's name. */
  readonly hosts: Readonly<Record<string, string>>
  readonly settings: ChannelSettings
  /** Instead of those of the registry: for tests. */
  readonly platforms?: ReadonlyMap<PlatformId, ChannelPlatform>
}

export interface ChannelSettings {
  /** Life of a lease that is not renewed, in milliseconds. */
  readonly leaseMs: number
  /** Most turns at the same time in this process. */
  readonly concurrentTurns: number
  /** How much of the past the assistant is shown. */
  readonly history: HistoryBudget
  /** Messages, deliveries and files older than this are deleted. At least 8 days: dedupe keys live with them. */
  readonly retentionMs: number
  /** False: send at once and rely on the platform's own requests to wait. */
  readonly pacing: boolean
}

/** How long `save` waits for the channel to run or fail, and `send` for the platform's confirmation. */
const SETTLE_MS = 5_000
const CONFIRM_MS = 10_000
const VALIDATE_MS = 15_000

export function createChannels(options: ChannelsOptions): Channels {
  const { database, clock, log, platforms: builtPlatforms = registeredPlatforms } = options
  const bus = createEventBus()
  const figures = createFigures()
  const io: PlatformIo = {
    fetch: options.fetch,
    clock,
    random: options.random,
    log,
    host: (setting, fallback) => (options.hosts[setting] ?? fallback).replace(/\/+$/, ''),
  }
  const leases = sqlLeaseStore(database, options.presence)
  const store = credentialStore(options)
  const supervisor = createSupervisor({
    shared: {
      database,
      io,
      assistant: options.assistant,
      bus,
      figures,
      turnSlots: createSlots(options.settings.concurrentTurns),
      mediaDir: path.join(path.resolve(options.dataDir), 'media'),
      history: options.settings.history,
      pacing: options.settings.pacing,
    },
    store,
    leases,
    leaseMs: options.settings.leaseMs,
    platforms: builtPlatforms,
    onReport: (accountId, platform, { state, reason, message }) =>
      bus.emit(accountId, () => ({ platform, at: clock.now(), type: 'state', state, reason, message })),
  })
  const stopping = new AbortController()
  let cleaning: Promise<void> = Promise.resolve()

  /** @throws {ChannelError} `no_credentials` */
  async function botOf(accountId: string, platform: ChannelPlatform): Promise<{ bot: string; channel: StoredChannel }> {
    const channel = (await store.read(accountId))[platform.id]
    if (!channel) throw new ChannelError('no_credentials')
    const { identity } = readStored(platform, channel)
    return { bot: `${accountId}/${platform.id}/${identity}`, channel }
  }

  /** How the channel is: by this process, or by what the process that holds it has reported. */
  async function reportOf(runtime: ChannelRuntime | null): Promise<ChannelReport | null> {
    const own = runtime?.report() ?? null
    if (!runtime || own?.state !== 'standby') return own
    const other = await leases.report(runtime.leaseName, clock.now())
    return (other === null ? null : readReport(other)) ?? own
  }

  function entryOf(
    platform: PlatformId,
    channel: StoredChannel | undefined,
    report: ChannelReport | null,
  ): ChannelEntry {
    const built = builtPlatforms.get(platform)
    const state = report?.state ?? 'stopped'
    return {
      platform,
      enabled: channel?.enabled ?? false,
      running: channel?.enabled === true && receives(state),
      has_config: channel !== undefined,
      ...(built ? built.describe(channel?.credentials ?? null, io) : describeUnbuilt(platform)),
      ...(showsAllowedUsers(platform) ? { allowed_users: channel?.allowedUsers ?? [] } : {}),
    }
  }

  async function details({ accountId }: Principal, platform: PlatformId): Promise<ChannelDetails> {
    const channel = (await store.read(accountId))[platform]
    const built = builtPlatforms.get(platform)
    const runtime = supervisor.runtime(accountId, platform)
    const report = await reportOf(runtime)
    const identity = built && channel ? readStored(built, channel).identity : null
    const bot = identity === null ? null : `${accountId}/${platform}/${identity}`
    const counts = bot === null ? null : await countDeliveries(database, bot)
    const budget = runtime?.workers()?.pace.budget()
    return {
      ...entryOf(platform, channel, report),
      state: report?.state ?? 'stopped',
      reason: report?.reason ?? null,
      message: report?.message ?? null,
      since: report?.sinceMs ?? startedAtMs,
      bot: identity === null ? null : { id: identity, name: report?.botName ?? null },
      retry_at: report?.retryAtMs ?? null,
      last_inbound_at: report?.lastInboundAtMs ?? (bot === null ? null : await lists.lastInbound(bot)),
      last_delivered_at: report?.lastDeliveredAtMs ?? counts?.lastDeliveredAtMs ?? null,
      gaps: bot === null ? [] : await readGaps(database, bot),
      send_budget: budget
        ? { available: budget.available, per_second: budget.perSecond, paused_until: budget.pausedUntilMs }
        : null,
      queued: counts?.queued ?? 0,
      dead: counts?.dead ?? 0,
    }
  }

  /** @throws {ChannelError} `platform_not_built` */
  function built(platform: PlatformId): ChannelPlatform {
    const found = builtPlatforms.get(platform)
    if (!found)
      throw new ChannelError('platform_not_built', { message: `${platform} is not available in this version yet.` })
    return found
  }

  async function save({ accountId }: Principal, id: PlatformId, body: unknown): Promise<void> {
    const platform = built(id)
    const request = readSave(platform, body)
    let name: string | null = null
    if (request.credentials) {
      const current = (await store.read(accountId))[id]
      const candidate = savedChannel(platform, current, request)
      const credentials = readStored(platform, candidate)
      const owner = supervisor.accountOf(`${id}/${credentials.identity}`)
      if (owner !== null && owner !== accountId) throw new ChannelError('bot_in_use')
      name = (await validated(platform, candidate)).name
    }
    await store.change(accountId, id, (current) => savedChannel(platform, current, request))
    await supervisor.apply(accountId)
    const runtime = supervisor.runtime(accountId, id)
    if (name !== null) runtime?.named(name)
    await Promise.race([runtime?.settled(), clock.sleep(SETTLE_MS)])
  }

  /** @throws {ChannelError} `credentials_rejected` (with the platform's words), `platform_unreachable` */
  async function validated(
    platform: ChannelPlatform,
    channel: StoredChannel,
  ): Promise<{ identity: string; name: string }> {
    const answer = await readStored(platform, channel).validate(io, AbortSignal.timeout(VALIDATE_MS))
    if (answer.ok) return answer
    const code = answer.reason === 'rejected' ? 'credentials_rejected' : 'platform_unreachable'
    throw new ChannelError(code, { message: answer.message })
  }

  const lists = createLists(database)
  const sender = createSender({ database, bus, clock, confirmMs: CONFIRM_MS })
  const startedAtMs = clock.now()

  return {
    async list({ accountId }) {
      const channels = await store.read(accountId)
      return Promise.all(
        PLATFORM_IDS.map(async (id) => entryOf(id, channels[id], await reportOf(supervisor.runtime(accountId, id)))),
      )
    },
    details,
    save,
    async disable({ accountId }, id) {
      built(id)
      await store.change(accountId, id, (current) => {
        if (!current) throw new ChannelError('no_credentials')
        return { ...current, enabled: false }
      })
      await supervisor.apply(accountId)
    },
    async test({ accountId }, id, body) {
      const platform = built(id)
      const current = (await store.read(accountId))[id]
      const request = body === undefined ? null : readSave(platform, body)
      if (!request?.credentials && !current) throw new ChannelError('no_credentials')
      const candidate = request ? savedChannel(platform, current, request) : current
      if (!candidate) throw new ChannelError('no_credentials')
      const { identity, name } = await validated(platform, candidate)
      return { bot: { id: identity, name } }
    },
    async users({ accountId }, id) {
      const { bot, channel } = await botOf(accountId, built(id))
      return lists.users(bot, channel.allowedUsers)
    },
    async send({ accountId }, id, message, userId) {
      const platform = built(id)
      const runtime = supervisor.runtime(accountId, id)
      const report = await reportOf(runtime)
      if (!runtime || !report || !receives(report.state)) throw new ChannelError('not_running')
      return sender.send({ bot: runtime.bot, platform, message, userId, workers: runtime.workers() })
    },
    async messages({ accountId }, id, page) {
      const { bot } = await botOf(accountId, built(id))
      return lists.messages(bot, page)
    },
    async deliveries({ accountId }, id, page) {
      const { bot } = await botOf(accountId, built(id))
      return lists.deliveries(bot, page)
    },
    async delivery({ accountId }, id, deliveryId) {
      const { bot } = await botOf(accountId, built(id))
      const row = await findDelivery(database, bot, deliveryId)
      if (!row) throw new ChannelError('unknown_delivery')
      return deliveryRecord(row)
    },
    async resend({ accountId }, id, deliveryId) {
      const { bot } = await botOf(accountId, built(id))
      await sender.resend(bot, deliveryId, supervisor.runtime(accountId, id)?.workers() ?? null)
    },
    async diagnose({ accountId }, id, signal) {
      const platform = built(id)
      const runtime = supervisor.runtime(accountId, id)
      const report = await reportOf(runtime)
      return diagnoseChannel({ platform, io, report, signal, read: async () => (await store.read(accountId))[id] })
    },
    events: ({ accountId }, signal) => bus.listen(accountId, signal),
    async readiness() {
      const up = supervisor.runtimes()
      const states = await Promise.all(up.map(({ runtime }) => reportOf(runtime).catch(() => null)))
      return {
        database: await lists.answers(),
        enabled: up.length,
        running: states.filter((report) => report && receives(report.state)).length,
      }
    },
    async figures() {
      const here = supervisor.runtimes()
      return {
        ...figures,
        channels: here.map(({ platform, runtime }) => ({ platform, state: runtime.report().state })),
        queued: await countWaiting(
          database,
          here.map(({ runtime }) => runtime.bot),
        ),
      }
    },
    async start() {
      await supervisor.start()
      cleaning = keepRetention({ ...options, retentionMs: options.settings.retentionMs, signal: stopping.signal })
    },
    async stop(withinMs) {
      stopping.abort()
      bus.close()
      await supervisor.stop(AbortSignal.timeout(withinMs))
      await cleaning
    },
  }
}

function credentialStore({ database, dataDir, secretKey, clock }: ChannelsOptions): CredentialStore {
  if (database.dialect === 'postgres') return sealedCredentialStore(database, secretKey, clock)
  // the database's write lock keeps other processes of this data folder away from the file as well
  return fileCredentialStore({ dataDir, exclusive: (work) => database.transaction(() => work()) })
}

/** @throws {ChannelError} `config_broken`, without the values */
function readStored(platform: ChannelPlatform, channel: StoredChannel): ReturnType<ChannelPlatform['read']> {
  try {
    return platform.read(channel.credentials)
  } catch {
    // the reason would quote the value, which may be a secret
    throw new ChannelError('config_broken', {
      message: `The stored credentials of ${platform.id} do not have the right form. Save them again.`,
    })
  }
}
