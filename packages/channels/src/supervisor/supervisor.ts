import type { ChannelPlatform, Credentials, Platforms } from '../bound-platform.ts'
import type { CredentialStore, StoredChannel } from '../config/credential-store.ts'
import { ChannelError } from '../errors.ts'
import type { PlatformIo } from '../platform-io.ts'
import { createKeyedLimiter } from '../semaphore.ts'
import type { AccessRules } from '../inbox/access.ts'
import type { PlatformId } from '../platform-names.ts'
import type { Shared } from './bot-workers.ts'
import type { ServerAccess } from '../server-access.ts'
import { type ChannelRuntime, startChannel } from './channel-runtime.ts'
import type { LeaseStore } from './lease.sql.ts'
import { type ChannelReport, emptyReport } from './report.ts'

/** Keeps the running channels in line with the stored ones: starts, stops and replaces each independently. */
export interface Supervisor {
  start(): Promise<void>
  /**
   * Re-reads the account's channels and applies the changes. Resolves when every change has started.
   * @param changed The channel that a user changed or enabled: reconnects at once, even after a final failure.
   */
  apply(accountId: string, changed?: PlatformId): Promise<void>
  runtime(accountId: string, platform: PlatformId): ChannelRuntime | null
  /** Returns every channel that should run here. */
  runtimes(): readonly { accountId: string; platform: PlatformId; runtime: ChannelRuntime }[]
  /** Returns whether a channel of another account uses this bot. */
  usedByAnother(accountId: string, leaseName: string): boolean
  /** Returns when a change stopped the channel, milliseconds since the Unix epoch; `null`: not since the start. */
  stoppedAtMs(accountId: string, platform: PlatformId): number | null
  stop(signal: AbortSignal): Promise<void>
}

/** Options of `createSupervisor`. */
export interface SupervisorOptions {
  readonly shared: Shared
  readonly store: CredentialStore
  readonly leases: LeaseStore
  readonly leaseMs: number
  readonly access: ServerAccess
  readonly platforms: Platforms
  readonly onReport: (accountId: string, platform: PlatformId, report: ChannelReport) => void
}

interface Running {
  readonly accountId: string
  readonly platform: PlatformId
  readonly runtime: ChannelRuntime
  /** The credentials it was started with. */
  readonly credentials: string
  rules: AccessRules
}

/** Why an account's channels are re-read. */
interface ApplyCause {
  /** The channel that a user changed or enabled through this process. */
  readonly changed?: PlatformId | undefined
  /** The account was changed by hand or by another process: it doesn't say which channel. */
  readonly elsewhere?: true
}

const toAccessRules = ({ allowedUsers, groupPolicy }: StoredChannel): AccessRules => ({ allowedUsers, groupPolicy })

/** How often to check for changes made by hand or by another process. */
const WATCH_MS = 2_000
/** How long a channel may finish its sends when it is stopped or replaced. */
const SWAP_MS = 3_000

/** Creates the supervisor of this process. */
export const createSupervisor = (options: SupervisorOptions): Supervisor => new Reconciler(options)

class Reconciler implements Supervisor {
  readonly #options: SupervisorOptions
  readonly #running = new Map<string, Running>()
  readonly #revisions = new Map<string, string>()
  readonly #stoppedAt = new Map<string, number>()
  /** Each channel as it was last applied, as JSON. */
  readonly #known = new Map<string, string>()
  readonly #stopping = new AbortController()
  /** Applies the changes of one account one after another. */
  readonly #queues = createKeyedLimiter()
  #watching: Promise<void> = Promise.resolve()

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  get #io(): PlatformIo {
    return this.#options.shared.io
  }

  async start(): Promise<void> {
    for (const accountId of await this.#listAccounts()) {
      await this.apply(accountId).catch((error: unknown) =>
        this.#io.log.error("Couldn't start the channels of an account", { accountId, error }),
      )
    }
    this.#watching = this.#watch()
  }

  apply(accountId: string, changed?: PlatformId): Promise<void> {
    return this.#queues.run(accountId, () => this.#reconcile(accountId, { changed }))
  }

  runtime(accountId: string, platform: PlatformId): ChannelRuntime | null {
    return this.#running.get(`${accountId}/${platform}`)?.runtime ?? null
  }

  runtimes(): readonly Running[] {
    return [...this.#running.values()]
  }

  usedByAnother(accountId: string, leaseName: string): boolean {
    return this.runtimes().some((one) => one.runtime.leaseName === leaseName && one.accountId !== accountId)
  }

  stoppedAtMs(accountId: string, platform: PlatformId): number | null {
    return this.#stoppedAt.get(`${accountId}/${platform}`) ?? null
  }

  async stop(signal: AbortSignal): Promise<void> {
    this.#stopping.abort()
    await this.#watching
    await this.#queues.whenIdle()
    await Promise.all(this.runtimes().map(({ runtime }) => runtime.stop(signal)))
    this.#running.clear()
  }

  async #reconcile(accountId: string, cause: ApplyCause): Promise<void> {
    // read first: a change in between is picked up again
    const revision = await this.#options.store.revision(accountId)
    const channels = await this.#options.store.read(accountId)
    this.#revisions.set(accountId, revision)
    await Promise.all(
      Object.values(this.#options.platforms).map((platform) =>
        this.#reconcileChannel(accountId, platform, channels[platform.id], cause),
      ),
    )
  }

  async #reconcileChannel(
    accountId: string,
    platform: ChannelPlatform,
    channel: StoredChannel | undefined,
    { changed, elsewhere }: ApplyCause,
  ): Promise<void> {
    const requested = platform.id === changed
    const key = `${accountId}/${platform.id}`
    const isChanged = this.#isChanged(key, channel)
    const now = this.#running.get(key)
    const credentials = channel?.enabled ? this.#readOrWarn(accountId, platform, channel) : null
    const wanted = credentials && JSON.stringify(credentials.stored)
    // trying rejected credentials again with any change does no harm
    const ended = now?.runtime.report().state
    const again = ended === 'rejected' || (ended === 'stopped' && requested)
    if (now && channel && wanted === now.credentials && !again) {
      now.rules = toAccessRules(channel)
      if (requested || elsewhere) now.runtime.reconnect()
      if (isChanged) this.#options.onReport(accountId, platform.id, now.runtime.report())
      return
    }
    if (now) {
      this.#running.delete(key)
      await now.runtime.stop(AbortSignal.timeout(SWAP_MS))
      if (!credentials) this.#reportStopped(now)
    } else if (!credentials && isChanged) this.#reportStillStopped(accountId, platform.id)
    if (credentials && wanted !== null && channel && !this.#stopping.signal.aborted) {
      const isWanted = requested || now?.credentials !== wanted
      this.#running.set(key, this.#startRuntime(accountId, platform, credentials, channel, isWanted))
    }
  }

  #startRuntime(
    accountId: string,
    platform: ChannelPlatform,
    credentials: Credentials,
    channel: StoredChannel,
    requested: boolean,
  ): Running {
    const rules = toAccessRules(channel)
    const runtime = startChannel({
      ...this.#options,
      accountId,
      platform,
      credentials,
      rules: () => entry.rules,
      asked: requested,
      onReport: (report) => this.#options.onReport(accountId, platform.id, report),
    })
    const stored = JSON.stringify(credentials.stored)
    const entry: Running = { accountId, platform: platform.id, runtime, credentials: stored, rules }
    return entry
  }

  #readOrWarn(accountId: string, platform: ChannelPlatform, channel: StoredChannel): Credentials | null {
    try {
      return platform.read(channel.credentials)
    } catch {
      // the cause would quote the value, which may be a secret
      this.#io.log.warn('The stored credentials are malformed', {
        accountId,
        platform: platform.id,
      })
      return null
    }
  }

  /** Returns whether the stored channel has changed since the last check. */
  #isChanged(key: string, channel: StoredChannel | undefined): boolean {
    const stored = JSON.stringify(channel)
    const before = this.#known.get(key)
    if (stored === undefined) this.#known.delete(key)
    else this.#known.set(key, stored)
    return stored !== before
  }

  #reportStillStopped(accountId: string, platform: PlatformId): void {
    const nowMs = this.#io.clock.now()
    this.#options.onReport(accountId, platform, emptyReport('', 'stopped', nowMs))
  }

  #reportStopped({ accountId, platform, runtime }: Running): void {
    const nowMs = this.#io.clock.now()
    this.#stoppedAt.set(`${accountId}/${platform}`, nowMs)
    this.#options.onReport(accountId, platform, emptyReport(runtime.bot, 'stopped', nowMs))
  }

  async #watch(): Promise<void> {
    const reportedRevisions = new Map<string, string>()
    while (!this.#stopping.signal.aborted) {
      for (const accountId of await this.#listAccounts()) {
        try {
          const revision = await this.#options.store.revision(accountId)
          if (revision === this.#revisions.get(accountId) || revision === reportedRevisions.get(accountId)) continue
          const again = this.#queues.run(accountId, () => this.#reconcile(accountId, { elsewhere: true }))
          await again.catch((error: unknown) => {
            // it stays broken until someone fixes it; any other failure is temporary
            if (error instanceof ChannelError) reportedRevisions.set(accountId, revision)
            throw error
          })
        } catch (error) {
          // running channels continue with what was last read
          this.#io.log.error("Couldn't apply the changed credentials", { accountId, error })
        }
      }
      await this.#io.clock.sleep(WATCH_MS, this.#stopping.signal)
    }
  }

  async #listAccounts(): Promise<readonly string[]> {
    try {
      return [...new Set([...(await this.#options.store.accounts()), ...this.#revisions.keys()])]
    } catch (error) {
      this.#io.log.error("Couldn't list the stored credentials", { error })
      return [...this.#revisions.keys()]
    }
  }
}
