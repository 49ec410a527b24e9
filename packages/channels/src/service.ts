import path from 'node:path'
import {
  type Database,
  isUnavailable,
  type Presence,
  type PublicNetwork,
  type SealedTable,
  SqlError,
} from '@gatepost/sql'
import type { Assistant } from './assistant/assistant.ts'
import type { HistoryBudget } from './assistant/limits.ts'
import { toBotKey } from './storage/bot-handle.ts'
import { readStored } from './bound-platform.ts'
import type {
  ChannelDetails,
  ChannelEntry,
  ChannelEvent,
  ChannelMetrics,
  Channels,
  DoctorReport,
  KnownUser,
  Principal,
} from './channels.ts'
import type { CredentialStore, StoredChannel } from './config/credential-store.ts'
import { openCredentialStore } from './config/open-store.ts'
import { sealedCredentials } from './config/sealed-store.sql.ts'
import { createSaver, type Saver } from './config/saver.ts'
import { watchClock, createDoctor, type Doctor } from './doctor/doctor.ts'
import { ChannelError } from './errors.ts'
import { createEventBus, type EventBus } from './event-bus.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { configuredBots } from './history/bots.ts'
import { createHistory } from './history/create-history.ts'
import type { ChannelHistory } from './history/history.ts'
import { createMediaQuota } from './inbox/media-quota.ts'
import { createLists, type Lists } from './storage/lists.ts'
import { createReplyContextSealer, sealedReplyContexts } from './inbox/reply-contexts.sql.ts'
import type { PreviewPart } from './markdown/shown.ts'
import { countWaiting, findDelivery } from './outbox/deliveries.sql.ts'
import { createRenderer, type Renderer } from './outbox/renderer.ts'
import { createSender, type Sender } from './outbox/sender.ts'
import type { PlatformIo, Clock, Log } from './platform-io.ts'
import { PLATFORM_IDS, type PlatformId } from './platform-names.ts'
import type { Diagnosis } from './platform.ts'
import { platforms } from './platforms/registry.ts'
import {
  deliveryRecord,
  type DeliveryRecord,
  type MessageRecord,
  type Page,
  type PageRequest,
} from './storage/records.ts'
import { keepRetention } from './storage/retention.sql.ts'
import type { ChannelTables } from './storage/schema.ts'
import type { SecretKeys } from './secret.ts'
import { createServerAccess, type ServerAccess } from './server-access.ts'
import { sealedSetups, sqlSetupStore } from './setup/setup-store.sql.ts'
import { createSetups, type Setups } from './setup/setups.ts'
import { createSemaphore } from './semaphore.ts'
import { type ChannelStatus, createStatus } from './status.ts'
import type { ChannelRuntime } from './supervisor/channel-runtime.ts'
import { type LeaseStore, sqlLeaseStore } from './supervisor/lease.sql.ts'
import { receives } from './supervisor/report.ts'
import { createSupervisor, type Supervisor } from './supervisor/supervisor.ts'

/** How long `send` waits for the platform's confirmation. */
const CONFIRM_MS = 10_000

/** Creates the channel service. Nothing runs before `start`. */
export const createChannels = (options: ChannelsOptions): Channels => new ChannelService(options)

class ChannelService implements Channels {
  readonly #options: ChannelsOptions
  readonly #io: PlatformIo
  readonly #access: ServerAccess
  readonly #store: CredentialStore
  readonly #bus: EventBus = createEventBus()
  readonly #metrics: Metrics = createMetrics()
  readonly #supervisor: Supervisor
  readonly #status: ChannelStatus
  readonly #saver: Saver
  readonly setups: Setups
  readonly history: ChannelHistory
  readonly #lists: Lists
  readonly #doctor: Doctor
  readonly #sender: Sender
  readonly #renderer: Renderer = createRenderer()
  readonly #stopping = new AbortController()
  #cleaning: Promise<void> = Promise.resolve()

  constructor(options: ChannelsOptions) {
    const { database, fetch, clock, random, log, hosts } = options
    this.#options = options
    const host: PlatformIo['host'] = (setting, fallback) => (hosts[setting] ?? fallback).replace(/\/+$/, '')
    const clockWatch = watchClock(fetch, clock)
    this.#io = { fetch: clockWatch.fetch, clock, random, log, host }
    this.#access = createServerAccess(this.#io, options.publicNetwork)
    this.#store = openCredentialStore(options)
    const leases = sqlLeaseStore(database, options.presence)
    this.#supervisor = this.#supervise(leases)
    this.#status = createStatus({ database, leases, platforms, io: this.#io })
    this.#saver = createSaver({
      store: this.#store,
      supervisor: this.#supervisor,
      io: this.#io,
      access: this.#access,
      maxChannels: options.settings.maxChannels,
      report: this.#status.report,
      isHeld: async (leaseName) => (await leases.report(leaseName, clock.now())) !== null,
    })
    this.setups = createSetups({
      io: this.#io,
      platforms,
      store: this.#store,
      saver: this.#saver,
      setupStore: sqlSetupStore(database, options),
      isRejected: async (...of) => (await this.#status.report(this.#supervisor.runtime(...of)))?.state === 'rejected',
    })
    this.#lists = createLists(database)
    this.history = createHistory({
      database,
      clock,
      bots: (accountId) => configuredBots(this.#store, platforms, accountId),
    })
    this.#doctor = createDoctor({
      io: this.#io,
      access: this.#access,
      store: this.#store,
      platforms,
      clockWatch,
      details: (who, platform) => this.details(who, platform),
      users: (who, platform) => this.users(who, platform),
      databaseAnswers: () => this.#lists.answers(),
      todaysLog: options.todaysLog,
    })
    this.#sender = createSender({ database, bus: this.#bus, clock, renderer: this.#renderer, confirmMs: CONFIRM_MS })
  }

  #supervise(leases: LeaseStore): Supervisor {
    const { database, clock, settings } = this.#options
    const mediaDir = path.join(path.resolve(this.#options.dataDir), 'media')
    return createSupervisor({
      shared: {
        database,
        io: this.#io,
        assistant: this.#options.assistant,
        bus: this.#bus,
        metrics: this.#metrics,
        turnSemaphore: createSemaphore(settings.concurrentTurns),
        mediaDir,
        renderer: this.#renderer,
        mediaQuota: createMediaQuota(mediaDir, settings.maxStoredBytes, clock),
        replyContexts: createReplyContextSealer(this.#options.secretKeys),
        history: settings.history,
        pacing: settings.pacing,
      },
      store: this.#store,
      access: this.#access,
      leases,
      leaseMs: settings.leaseMs,
      platforms,
      onReport: (accountId, platform, { state, reason, message }) =>
        this.#bus.emit(accountId, () => ({ platform, at: clock.now(), type: 'state', state, reason, message })),
    })
  }

  async list({ accountId }: Principal): Promise<readonly ChannelEntry[]> {
    const channels = await this.#store.read(accountId)
    return Promise.all(
      PLATFORM_IDS.map(async (id) =>
        this.#status.entry(id, channels[id], await this.#status.report(this.#supervisor.runtime(accountId, id))),
      ),
    )
  }

  async details({ accountId }: Principal, id: PlatformId): Promise<ChannelDetails> {
    const channel = (await this.#store.read(accountId))[id]
    const runtime = this.#supervisor.runtime(accountId, id)
    return this.#status.details({
      accountId,
      platform: id,
      channel,
      runtime,
      stoppedAtMs: this.#supervisor.stoppedAtMs(accountId, id),
    })
  }

  save({ accountId }: Principal, id: PlatformId, body: unknown): Promise<void> {
    return this.#saver.save(accountId, platforms[id], body)
  }

  disable({ accountId }: Principal, id: PlatformId): Promise<void> {
    return this.#saver.disable(accountId, platforms[id])
  }

  async forget({ accountId }: Principal, id: PlatformId): Promise<void> {
    this.setups.cancelAll(accountId, id)
    await this.#saver.forget(accountId, platforms[id])
  }

  test({ accountId }: Principal, id: PlatformId, body: unknown): Promise<{ bot: { id: string; name: string } }> {
    return this.#saver.test(accountId, platforms[id], body)
  }

  async users({ accountId }: Principal, id: PlatformId): Promise<readonly KnownUser[]> {
    const { bot, channel } = await this.#requireBot(accountId, id)
    const workers = this.#supervisor.runtime(accountId, id)?.workers()
    return this.#lists.users(
      bot,
      channel.allowedUsers,
      (chatId) => workers?.allowance({ id: chatId, kind: 'direct' }) ?? null,
    )
  }

  preview({ accountId }: Principal, id: PlatformId, message: string): Promise<readonly PreviewPart[]> {
    return this.#renderer.preview(message, platforms[id], accountId)
  }

  async send(
    { accountId }: Principal,
    id: PlatformId,
    message: string,
    userId: string | null,
  ): Promise<{ deliveryId: string }> {
    const platform = platforms[id]
    const runtime = await this.#requireRunning(accountId, id)
    return this.#sender.send({ bot: runtime.bot, platform, message, userId, workers: runtime.workers() })
  }

  async messages({ accountId }: Principal, id: PlatformId, page: PageRequest): Promise<Page<MessageRecord>> {
    return this.#lists.messages((await this.#requireBot(accountId, id)).bot, page)
  }

  async deliveries(
    { accountId }: Principal,
    id: PlatformId,
    page: PageRequest & { readonly dead: boolean },
  ): Promise<Page<DeliveryRecord>> {
    return this.#lists.deliveries((await this.#requireBot(accountId, id)).bot, page)
  }

  async delivery({ accountId }: Principal, id: PlatformId, deliveryId: string): Promise<DeliveryRecord> {
    const { bot } = await this.#requireBot(accountId, id)
    const row = await findDelivery(this.#options.database, bot, deliveryId)
    if (!row) throw new ChannelError('unknown_delivery')
    return deliveryRecord(row)
  }

  async resend({ accountId }: Principal, id: PlatformId, deliveryId: string): Promise<void> {
    const { bot } = await this.#requireBot(accountId, id)
    const runtime = await this.#requireRunning(accountId, id)
    await this.#sender.resend(bot, deliveryId, runtime.workers())
  }

  async dismiss({ accountId }: Principal, id: PlatformId, deliveryId: string): Promise<void> {
    const { bot } = await this.#requireBot(accountId, id)
    await this.#sender.dismiss({ accountId, platform: id, bot }, deliveryId)
  }

  diagnose(who: Principal, id: PlatformId, signal: AbortSignal): Promise<readonly Diagnosis[]> {
    return this.#doctor.channel(who, platforms[id], signal)
  }

  doctor(who: Principal, signal: AbortSignal): Promise<DoctorReport> {
    return this.#doctor.report(who, signal)
  }

  events({ accountId }: Principal, signal: AbortSignal): AsyncIterable<ChannelEvent> {
    return this.#bus.listen(accountId, signal)
  }

  async readiness(): Promise<{ database: boolean; enabled: number; running: number }> {
    const here = this.#supervisor.runtimes()
    const database = await this.#lists.answers()
    const states = database ? await Promise.all(here.map(({ runtime }) => this.#status.report(runtime))) : []
    return {
      database,
      enabled: here.length,
      running: states.filter((report) => report && receives(report.state)).length,
    }
  }

  async metrics(): Promise<ChannelMetrics> {
    const here = this.#supervisor.runtimes()
    const bots = here.map(({ runtime }) => runtime.bot)
    return {
      ...this.#metrics,
      channels: here.map(({ platform, runtime }) => ({ platform, state: runtime.report().state })),
      queued: await countWaiting(this.#options.database, bots).catch((error: unknown) => {
        if (isUnavailable(error)) return null
        throw error
      }),
    }
  }

  sealedTables(): readonly SealedTable[] {
    const { database, secretKeys } = this.#options
    return [
      // on SQLite, credentials are in a file
      ...(database.dialect === 'postgres' ? [sealedCredentials(database, secretKeys)] : []),
      sealedReplyContexts(database, createReplyContextSealer(secretKeys)),
      sealedSetups(database, secretKeys),
    ]
  }

  async start(): Promise<void> {
    await this.#supervisor.start()
    const { retentionMs } = this.#options.settings
    this.#cleaning = keepRetention({ ...this.#options, retentionMs, signal: this.#stopping.signal })
  }

  async stop(withinMs: number): Promise<void> {
    this.#stopping.abort()
    this.setups.close()
    this.#bus.close()
    await this.#supervisor.stop(AbortSignal.timeout(withinMs))
    await this.#cleaning
    this.#renderer.close()
  }

  /**
   * Returns the runtime of a channel that runs here or in another process.
   * @throws {ChannelError} `not_running` with the reason
   * @throws {SqlError} `database_unavailable` when that is the reason
   */
  async #requireRunning(accountId: string, id: PlatformId): Promise<ChannelRuntime> {
    const runtime = this.#supervisor.runtime(accountId, id)
    const report = await this.#status.report(runtime)
    if (runtime && report && receives(report.state)) return runtime
    if (report?.reason === 'database_unavailable') throw new SqlError('database_unavailable')
    throw new ChannelError(
      'not_running',
      report?.message ? { message: `The channel isn't running: ${report.message}` } : {},
    )
  }

  /** @throws {ChannelError} `no_credentials` */
  async #requireBot(accountId: string, id: PlatformId): Promise<{ bot: string; channel: StoredChannel }> {
    const platform = platforms[id]
    const channel = (await this.#store.read(accountId))[id]
    if (!channel) throw new ChannelError('no_credentials')
    return { bot: toBotKey(accountId, id, readStored(platform, channel).identity), channel }
  }
}

/** Options of `createChannels`. */
export interface ChannelsOptions {
  readonly database: Database<ChannelTables>
  /** Reports which processes are alive, so that the connections of a dead one are taken over at once. */
  readonly presence: Presence
  /** Folder of credentials and files; on PostgreSQL of files only. */
  readonly dataDir: string
  /** Texts of at least 32 random characters, newest first. */
  readonly secretKeys: SecretKeys
  readonly assistant: Assistant
  readonly clock: Clock
  readonly random: () => number
  readonly fetch: typeof fetch
  /** For servers that accounts choose. */
  readonly publicNetwork: PublicNetwork
  readonly log: Log
  /** Base URLs that replace the platforms' own, by the setting's name. */
  readonly hosts: Readonly<Record<string, string>>
  readonly settings: ChannelSettings
  /** Returns the lines of today's log file, oldest first; `null`: no file. */
  readonly todaysLog: () => AsyncIterable<string> | null
}

interface ChannelSettings {
  /** Life of a lease that is not renewed, in milliseconds. */
  readonly leaseMs: number
  /** Most turns at the same time in this process. */
  readonly concurrentTurns: number
  /** How much of the conversation the assistant receives. */
  readonly history: HistoryBudget
  /** Messages, deliveries and files older than this are deleted. At least 8 days: dedupe keys live with them. */
  readonly retentionMs: number
  /** False: send immediately and rely on the platform's rate limit responses. */
  readonly pacing: boolean
  /** Most channels of an account, and bytes of its files; the owner's account has no such limits. */
  readonly maxChannels: number
  readonly maxStoredBytes: number
}
