import type { ChannelPlatform, Credentials, Platforms } from '../bound-platform.ts'
import type { CredentialStore, StoredChannel } from '../config/credential-store.ts'
import { ChannelError } from '../errors.ts'
import type { PlatformIo } from '../platform-io.ts'
import type { AccessRules } from '../inbox/access.ts'
import type { PlatformId } from '../platform-names.ts'
import type { Shared } from './bot-workers.ts'
import { type ChannelRuntime, startChannel } from './channel-runtime.ts'
import type { LeaseStore } from './lease.sql.ts'
import { type ChannelReport, emptyReport } from './report.ts'

/** Makes what runs here equal to what is stored: starts, stops and swaps channels, each by itself. */
export interface Supervisor {
  start(): Promise<void>
  /**
   * Reads the account's channels again and brings them about. Resolves when every change has been begun.
   * @param changed What a person has changed or asked for: tried again also where it has come to a final end.
   */
  apply(accountId: string, changed?: PlatformId): Promise<void>
  runtime(accountId: string, platform: PlatformId): ChannelRuntime | null
  /** Every channel that should run here. */
  runtimes(): readonly { accountId: string; platform: PlatformId; runtime: ChannelRuntime }[]
  /** Whether a channel of another account uses this bot. */
  usedByAnother(accountId: string, leaseName: string): boolean
  /** When a change stopped the channel, milliseconds since the Unix epoch; `null`: it has not run since the start. */
  stoppedAtMs(accountId: string, platform: PlatformId): number | null
  stop(signal: AbortSignal): Promise<void>
}

export interface SupervisorOptions {
  readonly shared: Shared
  readonly store: CredentialStore
  readonly leases: LeaseStore
  readonly leaseMs: number
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

const rulesOf = ({ allowedUsers, groupPolicy }: StoredChannel): AccessRules => ({ allowedUsers, groupPolicy })

/** Changes made by hand or by another process are noticed within this time. */
const WATCH_MS = 2_000
/** How long a channel that is stopped or swapped may finish what it is sending. */
const SWAP_MS = 3_000

export const createSupervisor = (options: SupervisorOptions): Supervisor => new Reconciler(options)

class Reconciler implements Supervisor {
  readonly #options: SupervisorOptions
  readonly #running = new Map<string, Running>()
  readonly #revisions = new Map<string, string>()
  readonly #stoppedAt = new Map<string, number>()
  /** What each channel was when it was last brought about, as JSON. */
  readonly #known = new Map<string, string>()
  readonly #stopping = new AbortController()
  /** Changes of one account are brought about one after another. */
  readonly #queues = new Map<string, Promise<void>>()
  #watching: Promise<void> = Promise.resolve()

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  get #io(): PlatformIo {
    return this.#options.shared.io
  }

  async start(): Promise<void> {
    for (const accountId of await this.#accountsNow()) {
      await this.apply(accountId).catch((error: unknown) =>
        this.#io.log.error('The channels of an account cannot be started', { accountId, error }),
      )
    }
    this.#watching = this.#watch()
  }

  apply(accountId: string, changed?: PlatformId): Promise<void> {
    return this.#inTurn(accountId, () => this.#reconcile(accountId, changed))
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
    await Promise.allSettled(this.#queues.values())
    await Promise.all(this.runtimes().map(({ runtime }) => runtime.stop(signal)))
    this.#running.clear()
  }

  #inTurn(accountId: string, work: () => Promise<void>): Promise<void> {
    const before = this.#queues.get(accountId) ?? Promise.resolve()
    const after = before.then(work, work)
    this.#queues.set(accountId, after)
    return after
  }

  async #reconcile(accountId: string, changed: PlatformId | undefined): Promise<void> {
    // taken before the read: a change in between is seen again
    const revision = await this.#options.store.revision(accountId)
    const channels = await this.#options.store.read(accountId)
    this.#revisions.set(accountId, revision)
    await Promise.all(
      Object.values(this.#options.platforms).map((platform) =>
        this.#bring(accountId, platform, channels[platform.id], platform.id === changed),
      ),
    )
  }

  async #bring(
    accountId: string,
    platform: ChannelPlatform,
    channel: StoredChannel | undefined,
    asked: boolean,
  ): Promise<void> {
    const key = `${accountId}/${platform.id}`
    const isChanged = this.#isChanged(key, channel)
    const now = this.#running.get(key)
    const credentials = channel?.enabled ? this.#readOrWarn(accountId, platform, channel) : null
    const wanted = credentials && JSON.stringify(credentials.stored)
    // rejected credentials do no harm when they are tried again with whatever change is made
    const ended = now?.runtime.report().state
    const again = ended === 'rejected' || (ended === 'stopped' && asked)
    if (now && channel && wanted === now.credentials && !again) {
      now.rules = rulesOf(channel)
      if (isChanged) this.#options.onReport(accountId, platform.id, now.runtime.report())
      return
    }
    if (now) {
      this.#running.delete(key)
      await now.runtime.stop(AbortSignal.timeout(SWAP_MS))
      if (!credentials) this.#tellStopped(now)
    } else if (!credentials && isChanged) this.#tellStillStopped(accountId, platform.id)
    if (credentials && wanted !== null && channel && !this.#stopping.signal.aborted) {
      const isWanted = asked || now?.credentials !== wanted
      this.#running.set(key, this.#begin(accountId, platform, credentials, channel, isWanted))
    }
  }

  #begin(
    accountId: string,
    platform: ChannelPlatform,
    credentials: Credentials,
    channel: StoredChannel,
    asked: boolean,
  ): Running {
    const rules = rulesOf(channel)
    const runtime = startChannel({
      ...this.#options,
      accountId,
      platform,
      credentials,
      rules: () => entry.rules,
      asked,
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
      // the reason would quote the value, which may be a secret
      this.#io.log.warn('The stored credentials do not have the right form', {
        accountId,
        platform: platform.id,
      })
      return null
    }
  }

  /** Whether it is stored in another way than when it was last looked at. */
  #isChanged(key: string, channel: StoredChannel | undefined): boolean {
    const stored = JSON.stringify(channel)
    const before = this.#known.get(key)
    if (stored === undefined) this.#known.delete(key)
    else this.#known.set(key, stored)
    return stored !== before
  }

  #tellStillStopped(accountId: string, platform: PlatformId): void {
    const nowMs = this.#io.clock.now()
    this.#options.onReport(accountId, platform, emptyReport('', 'stopped', nowMs))
  }

  #tellStopped({ accountId, platform, runtime }: Running): void {
    const nowMs = this.#io.clock.now()
    this.#stoppedAt.set(`${accountId}/${platform}`, nowMs)
    this.#options.onReport(accountId, platform, emptyReport(runtime.bot, 'stopped', nowMs))
  }

  async #watch(): Promise<void> {
    const complained = new Map<string, string>()
    while (!this.#stopping.signal.aborted) {
      for (const accountId of await this.#accountsNow()) {
        try {
          const revision = await this.#options.store.revision(accountId)
          if (revision === this.#revisions.get(accountId) || revision === complained.get(accountId)) continue
          await this.apply(accountId).catch((error: unknown) => {
            // it stays broken until somebody mends it; any other failure passes by itself
            if (error instanceof ChannelError) complained.set(accountId, revision)
            throw error
          })
        } catch (error) {
          // what runs goes on with what was last read
          this.#io.log.error('The changed credentials cannot be used', { accountId, error })
        }
      }
      await this.#io.clock.sleep(WATCH_MS, this.#stopping.signal)
    }
  }

  async #accountsNow(): Promise<readonly string[]> {
    try {
      return [...new Set([...(await this.#options.store.accounts()), ...this.#revisions.keys()])]
    } catch (error) {
      this.#io.log.error('The stored credentials cannot be listed', { error })
      return [...this.#revisions.keys()]
    }
  }
}
