import { botName } from '../storage/bot-handle.ts'
import type { ChannelPlatform, Credentials } from '../bound-platform.ts'
import { ConnectionError } from '../errors.ts'
import type { AccessRules } from '../inbox/access.ts'
import type { ChannelState } from '../channels.ts'
import { liveliestChats } from '../conversations/chats.sql.ts'
import type { Clock, Log } from '../platform-io.ts'
import type { Connection, Inbox } from '../connection.ts'
import { type BotWorkers, createBotWorkers, type Shared } from './bot-workers.ts'
import { recordGap, watchSilence, type SilenceWatch } from './gaps.sql.ts'
import { keepLease, type Lease, type LeaseStore, type LeaseKeeper } from './lease.sql.ts'
import { type ChannelReport, emptyReport, readReport, receives } from './report.ts'
import { retryAfter } from '../retry.ts'

/** Keeps one enabled channel connected: lease, connection, workers, and tries again after every failure. */
export interface ChannelRuntime {
  readonly bot: string
  readonly leaseName: string
  report(): ChannelReport
  workers(): BotWorkers | null
  /** Resolves when it is known whether the channel runs: connected, failed, or held by another process. */
  settled(): Promise<void>
  /** Ends the connection, parks what is unfinished when `signal` aborts, releases the lease. */
  stop(signal: AbortSignal): Promise<void>
}

export interface RuntimeOptions {
  readonly shared: Shared
  readonly leases: LeaseStore
  readonly leaseMs: number
  readonly accountId: string
  readonly platform: ChannelPlatform
  readonly credentials: Credentials
  readonly rules: () => AccessRules
  /** A person wants it to run: also where the connection before was told to stay away. */
  readonly asked: boolean
  readonly onReport: (report: ChannelReport) => void
}

/** What other processes may have stored for us is looked for this often. */
const SWEEP_MS = 1_000
const STANDBY_MS = 2_000
const LEASE_LOST = 'Another process has taken this bot over, or the database could not be reached in time.'
/** A connection that has received for this long starts its back-off afresh when it ends. */
const STEADY_MS = 30_000

export const startChannel = (options: RuntimeOptions): ChannelRuntime => new Runtime(options)

class Runtime implements ChannelRuntime {
  readonly bot: string
  readonly leaseName: string
  readonly #options: RuntimeOptions
  readonly #stopping = new AbortController()
  readonly #settled = Promise.withResolvers<void>()
  readonly #living: Promise<void>
  /** How long what is unfinished may take once it is stopping. */
  #patience: AbortSignal = AbortSignal.abort()
  #workers: BotWorkers | null = null
  #report: ChannelReport
  #keeper: LeaseKeeper | null = null
  /** Counts for one connection, by whichever process. */
  #asked: boolean

  constructor(options: RuntimeOptions) {
    const { accountId, platform, credentials } = options
    this.#options = options
    this.#asked = options.asked
    this.bot = botName(accountId, platform.id, credentials.identity)
    this.leaseName = `${platform.id}/${credentials.identity}`
    this.#report = emptyReport(this.bot, 'connecting', this.#clock.now())
    this.#living = this.#live().finally(() => this.#settled.resolve())
  }

  get #clock(): Clock {
    return this.#options.shared.io.clock
  }

  get #log(): Log {
    return this.#options.shared.io.log
  }

  report(): ChannelReport {
    return this.#report
  }

  workers(): BotWorkers | null {
    return this.#workers
  }

  settled(): Promise<void> {
    return this.#settled.promise
  }

  async stop(patience: AbortSignal): Promise<void> {
    this.#patience = patience
    this.#stopping.abort()
    await this.#living
  }

  #enter(state: ChannelState, why: Partial<Pick<ChannelReport, 'reason' | 'message' | 'retryAtMs'>> = {}): void {
    const before = this.#report
    const next = { state, reason: why.reason ?? null, message: why.message ?? null, retryAtMs: why.retryAtMs ?? null }
    const same = state === before.state && next.reason === before.reason && next.message === before.message
    this.#report = { ...before, ...next, sinceMs: same ? before.sinceMs : this.#clock.now() }
    if (state !== 'connecting') this.#settled.resolve()
    if (same) return
    this.#log.info('Channel state', { bot: this.bot, state, reason: next.reason, why: next.message })
    this.#options.onReport(this.#report)
    this.#keeper?.tell()
  }

  /** Takes the lease as soon as nobody else holds it, until the stop or the rejection of the credentials. */
  async #live(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        if (!(await this.#staysAway())) await this.#take()
      } catch (error) {
        this.#log.error('The channel was stopped by an unforeseen failure', { bot: this.bot, error })
        this.#enter('backing_off', { reason: 'internal', message: 'It could not be started; the log says more.' })
      }
      if (this.#report.state === 'rejected') return
      await this.#clock.sleep(STANDBY_MS, this.#stopping.signal)
    }
  }

  async #take(): Promise<void> {
    const nowMs = this.#clock.now()
    const lease = await this.#options.leases.acquire(this.leaseName, nowMs, this.#options.leaseMs)
    this.#asked = false
    if (lease) await this.#hold(lease, nowMs + this.#options.leaseMs)
    else this.#enter('standby', { reason: 'held_elsewhere', message: 'Another process holds this bot.' })
  }

  /** Whether the last connection of this bot, of any process, ended so that only a person may make another. */
  async #staysAway(): Promise<boolean> {
    if (this.#asked) return false
    const last = readReport(await this.#options.leases.lastWord(this.leaseName, this.#clock.now()))
    if (last?.state !== 'stopped') return false
    this.#enter('stopped', last)
    return true
  }

  /** Holds the lease until the stop, its loss, or the rejection of the credentials; renews it until all work has ended. */
  async #hold(lease: Lease, lapsesAtMs: number): Promise<void> {
    const { leases, leaseMs, shared } = this.#options
    const { clock, log } = shared.io
    const lost = new AbortController()
    const released = new AbortController()
    const onLost = (): void => {
      if (lost.signal.aborted) return
      lost.abort()
      if (!this.#stopping.signal.aborted) this.#enter('backing_off', { reason: 'lease_lost', message: LEASE_LOST })
    }
    const until = AbortSignal.any([lost.signal, released.signal])
    const report = (): string => JSON.stringify(this.#report)
    const keeper = keepLease({ leases, lease, leaseMs, lapsesAtMs, clock, log, report, onLost, until })
    this.#keeper = keeper
    try {
      await this.#work(lease, onLost, lost.signal)
    } finally {
      this.#keeper = null
      released.abort()
      await keeper.done
      const lastWord = this.#report.state === 'stopped' ? report() : null
      await leases.release(lease, lastWord).catch((error: unknown) => {
        this.#log.warn('Lease not released', { lease: lease.name, error })
      })
    }
  }

  async #work(lease: Lease, onLost: () => void, lost: AbortSignal): Promise<void> {
    const { platform, credentials, shared } = this.#options
    const ending = new AbortController()
    const until = AbortSignal.any([this.#stopping.signal, lost, ending.signal])
    const connection = credentials.connect(shared.io)
    const workers = this.#startWorkers(connection, lease, ending, onLost)
    this.#workers = workers
    let sweeping: Promise<void> | null = null
    try {
      // before anything new comes in: what waited is answered and sent first
      await this.#recover(workers, until)
      sweeping = this.#sweep(workers, until)
      const silence = await watchSilence({ ...shared.io, handle: workers.handle, replayMs: platform.limits.replayMs })
      await this.#connectAgainAndAgain(connection, workers, silence, until)
    } finally {
      this.#workers = null
      ending.abort()
      const patience = this.#stopping.signal.aborted ? AbortSignal.any([this.#patience, lost]) : AbortSignal.abort()
      await Promise.all([sweeping, workers.stop(patience)])
    }
  }

  #startWorkers(connection: Connection, lease: Lease, ending: AbortController, onLeaseLost: () => void): BotWorkers {
    return createBotWorkers(this.#options.shared, {
      ...this.#options,
      bot: this.bot,
      connection,
      lease,
      onLeaseLost,
      onRejected: (detail) => {
        this.#enter('rejected', { reason: 'credentials_rejected', message: detail })
        ending.abort()
      },
      onInbound: (atMs) => {
        this.#report = { ...this.#report, lastInboundAtMs: atMs }
      },
      onDelivered: (atMs) => {
        this.#report = { ...this.#report, lastDeliveredAtMs: atMs }
      },
    })
  }

  async #recover(workers: BotWorkers, until: AbortSignal): Promise<void> {
    while (!until.aborted && !(await this.#readable(() => workers.recover(), until))) {
      await this.#clock.sleep(SWEEP_MS, until)
    }
  }

  async #sweep(workers: BotWorkers, until: AbortSignal): Promise<void> {
    for (;;) {
      await this.#clock.sleep(SWEEP_MS, until)
      if (until.aborted) return
      await this.#readable(() => workers.recover(), until)
    }
  }

  /** @returns whether what waits could be read. */
  async #readable(read: () => Promise<void>, until: AbortSignal): Promise<boolean> {
    try {
      await read()
      return true
    } catch (error) {
      if (!until.aborted)
        this.#log.warn('What waits to be answered or sent could not be read', { bot: this.bot, error })
      return false
    }
  }

  async #connectAgainAndAgain(
    connection: Connection,
    workers: BotWorkers,
    silence: SilenceWatch,
    until: AbortSignal,
  ): Promise<void> {
    let failures = 0
    while (!until.aborted) {
      let aliveSinceMs: number | null = null
      const inbox = this.#inboxOf(workers, silence.lastHeardMs(), until, () => {
        aliveSinceMs ??= this.#clock.now()
        silence.heard()
      })
      this.#enter('connecting', this.#report.state === 'connecting' ? {} : { reason: 'reconnecting' })
      const error = await connection.run(inbox, until).then(
        () => new ConnectionError('network', 'The connection ended without a reason.'),
        (thrown: unknown) => thrown,
      )
      if (until.aborted) return
      if (aliveSinceMs !== null && this.#clock.now() - aliveSinceMs >= STEADY_MS) failures = 0
      failures += 1
      if (!(error instanceof ConnectionError))
        this.#log.error('The connection of the channel failed', { bot: this.bot, error })
      const retry = retryAfter(error, failures, this.#options.shared.io.random)
      if (retry.state !== 'backing_off') return this.#enter(retry.state, retry)
      this.#enter('backing_off', { ...retry, retryAtMs: this.#clock.now() + retry.afterMs })
      await this.#clock.sleep(retry.afterMs, until)
    }
  }

  /** @param until What a connection that has been ended still says is not heard any more. */
  #inboxOf(workers: BotWorkers, lastHeardMs: number | null, until: AbortSignal, onAlive: () => void): Inbox {
    return {
      cursor: () => workers.cursor(),
      lastHeardMs: () => Promise.resolve(lastHeardMs),
      chats: (limit) => liveliestChats(workers.handle, limit),
      accept: (batch, cursor) => workers.accept(batch, cursor),
      named: (name) => {
        this.#report = { ...this.#report, botName: name }
      },
      alive: () => {
        if (until.aborted) return
        onAlive()
        this.#report = { ...this.#report, lastHeardAtMs: this.#clock.now() }
        if (!receives(this.#report.state)) this.#enter('running')
      },
      degraded: (problem) => {
        if (until.aborted) return
        if (problem) this.#enter('degraded', { reason: problem.code, message: problem.message })
        else if (this.#report.state === 'degraded') this.#enter('running')
      },
      gap: (fromMs, toMs, why) => {
        this.#log.warn('Messages may have been lost by the platform', { bot: this.bot, fromMs, toMs, why })
        recordGap(workers.handle, { from: fromMs, to: toMs, why }).catch((error: unknown) => {
          this.#log.error('A gap of the channel could not be stored', { bot: this.bot, error })
        })
      },
    }
  }
}
