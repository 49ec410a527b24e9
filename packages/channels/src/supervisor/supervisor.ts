import type { ChannelPlatform, Credentials } from '../bound-platform.ts'
import type { CredentialStore, StoredChannel } from '../config/credential-store.ts'
import { ChannelError } from '../errors.ts'
import type { PlatformId } from '../platform-names.ts'
import type { Shared } from './bot-workers.ts'
import { type ChannelRuntime, startChannel } from './channel-runtime.ts'
import type { LeaseStore } from './lease.sql.ts'
import type { ChannelReport } from './report.ts'

/** Makes what runs here equal to what is stored: starts, stops and swaps channels, each by itself. */
export interface Supervisor {
  start(): Promise<void>
  /** Reads the account's channels again and brings them about. Resolves when every change has been begun. */
  apply(accountId: string): Promise<void>
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
  readonly platforms: ReadonlyMap<PlatformId, ChannelPlatform>
  readonly onReport: (accountId: string, platform: PlatformId, report: ChannelReport) => void
}

interface Running {
  readonly accountId: string
  readonly platform: PlatformId
  readonly runtime: ChannelRuntime
  /** The credentials it was started with. */
  readonly credentials: string
  rules: { allowedUsers: readonly string[] }
}

/** Changes made by hand or by another process are noticed within this time. */
const WATCH_MS = 2_000
/** How long a channel that is stopped or swapped may finish what it is sending. */
const SWAP_MS = 3_000

export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { shared, store, platforms } = options
  const { clock, log } = shared.io
  const running = new Map<string, Running>()
  const revisions = new Map<string, string>()
  const stoppedAt = new Map<string, number>()
  const stopping = new AbortController()
  /** Changes of one account are brought about one after another. */
  const queues = new Map<string, Promise<void>>()
  let watching: Promise<void> = Promise.resolve()

  function inTurn(accountId: string, work: () => Promise<void>): Promise<void> {
    const before = queues.get(accountId) ?? Promise.resolve()
    const after = before.then(work, work)
    queues.set(accountId, after)
    return after
  }

  async function reconcile(accountId: string): Promise<void> {
    // taken before the read: a change in between is seen again
    const revision = await store.revision(accountId)
    const channels = await store.read(accountId)
    revisions.set(accountId, revision)
    await Promise.all([...platforms.values()].map((platform) => bring(accountId, platform, channels[platform.id])))
  }

  async function bring(
    accountId: string,
    platform: ChannelPlatform,
    channel: StoredChannel | undefined,
  ): Promise<void> {
    const key = `${accountId}/${platform.id}`
    const now = running.get(key)
    const credentials = channel?.enabled ? readOrWarn(accountId, platform, channel) : null
    const wanted = credentials && JSON.stringify(credentials.stored)
    // one that was rejected has ended: it is tried again with whatever change is made
    const ended = now?.runtime.report().state === 'rejected'
    if (now && channel && wanted === now.credentials && !ended) {
      now.rules = { allowedUsers: channel.allowedUsers }
      return
    }
    if (now) {
      running.delete(key)
      await now.runtime.stop(AbortSignal.timeout(SWAP_MS))
      if (!credentials) tellStopped(now)
    }
    if (credentials && wanted !== null && channel && !stopping.signal.aborted) {
      running.set(key, begin(accountId, platform, credentials, wanted, channel))
    }
  }

  function begin(
    accountId: string,
    platform: ChannelPlatform,
    credentials: Credentials,
    wanted: string,
    channel: StoredChannel,
  ): Running {
    const rules = { allowedUsers: channel.allowedUsers }
    const runtime = startChannel({
      ...options,
      accountId,
      platform,
      credentials,
      rules: () => entry.rules,
      onReport: (report) => options.onReport(accountId, platform.id, report),
    })
    const entry: Running = { accountId, platform: platform.id, runtime, credentials: wanted, rules }
    return entry
  }

  function readOrWarn(accountId: string, platform: ChannelPlatform, channel: StoredChannel): Credentials | null {
    try {
      return platform.read(channel.credentials)
    } catch {
      // the reason would quote the value, which may be a secret
      log.warn('channel: the stored credentials do not have the right form', { accountId, platform: platform.id })
      return null
    }
  }

  function tellStopped({ accountId, platform, runtime }: Running): void {
    stoppedAt.set(`${accountId}/${platform}`, clock.now())
    options.onReport(accountId, platform, {
      bot: runtime.bot,
      state: 'stopped',
      reason: null,
      message: null,
      sinceMs: clock.now(),
      retryAtMs: null,
      lastInboundAtMs: null,
      lastDeliveredAtMs: null,
      botName: null,
    })
  }

  async function watch(): Promise<void> {
    const complained = new Map<string, string>()
    while (!stopping.signal.aborted) {
      for (const accountId of await accountsNow()) {
        try {
          const revision = await store.revision(accountId)
          if (revision === revisions.get(accountId) || revision === complained.get(accountId)) continue
          await inTurn(accountId, () => reconcile(accountId)).catch((error: unknown) => {
            // it stays broken until somebody mends it; any other failure passes by itself
            if (error instanceof ChannelError) complained.set(accountId, revision)
            throw error
          })
        } catch (error) {
          // what runs goes on with what was last read
          log.error('config: the changed credentials cannot be used', { accountId, error })
        }
      }
      await clock.sleep(WATCH_MS, stopping.signal)
    }
  }

  async function accountsNow(): Promise<readonly string[]> {
    try {
      return [...new Set([...(await store.accounts()), ...revisions.keys()])]
    } catch (error) {
      log.error('config: the credentials cannot be listed', { error })
      return [...revisions.keys()]
    }
  }

  return {
    async start() {
      for (const accountId of await accountsNow()) {
        await inTurn(accountId, () => reconcile(accountId)).catch((error: unknown) =>
          log.error('config: the channels of an account cannot be started', { accountId, error }),
        )
      }
      watching = watch()
    },
    apply: (accountId) => inTurn(accountId, () => reconcile(accountId)),
    runtime: (accountId, platform) => running.get(`${accountId}/${platform}`)?.runtime ?? null,
    runtimes: () => [...running.values()],
    usedByAnother: (accountId, leaseName) =>
      [...running.values()].some((one) => one.runtime.leaseName === leaseName && one.accountId !== accountId),
    stoppedAtMs: (accountId, platform) => stoppedAt.get(`${accountId}/${platform}`) ?? null,
    async stop(signal) {
      stopping.abort()
      await watching
      await Promise.allSettled(queues.values())
      await Promise.all([...running.values()].map(({ runtime }) => runtime.stop(signal)))
      running.clear()
    },
  }
}
