import { toBotKey } from '../storage/bot-handle.ts'
import type { ChannelPlatform, Credentials } from '../bound-platform.ts'
import { ConnectionError } from '../errors.ts'
import type { AccessRules } from '../inbox/access.ts'
import type { ChannelState } from '../channels.ts'
import { listRecentChats } from '../conversations/chats.sql.ts'
import type { Clock, Log } from '../platform-io.ts'
import type { Connection, Inbox } from '../connection.ts'
import { type BotWorkers, createBotWorkers, type Shared } from './bot-workers.ts'
import { recordGap, watchSilence, type SilenceWatch } from './gaps.sql.ts'
import { keepLease, type Lease, type LeaseStore, type LeaseKeeper } from './lease.sql.ts'
import { type ChannelReport, emptyReport, readReport, receives } from './report.ts'
import { type Retry, retryAfter } from '../retry.ts'
import type { ServerAccess } from '../server-access.ts'

/** Keeps one enabled channel connected: lease, connection, workers, and reconnects after failures. */
export interface ChannelRuntime {
  readonly bot: string
  readonly leaseName: string
  report(): ChannelReport
  workers(): BotWorkers | null
  /** Resolves once the channel has connected, failed, or turned out to be held by another process. */
  settled(): Promise<void>
  /** Ends a back-off: connects at once, and resets the failure count. `settled` waits for the result. */
  reconnect(): void
  /** Closes the connection, parks unfinished work when `signal` aborts, and releases the lease. */
  stop(signal: AbortSignal): Promise<void>
}

/** Options of `startChannel`. */
export interface RuntimeOptions {
  readonly shared: Shared
  readonly leases: LeaseStore
  readonly leaseMs: number
  readonly access: ServerAccess
  readonly accountId: string
  readonly platform: ChannelPlatform
  readonly credentials: Credentials
  readonly rules: () => AccessRules
  /** Someone asked for it to run: connect even if the previous connection must not be retried. */
  readonly asked: boolean
  readonly onReport: (report: ChannelReport) => void
}

/** How often to check for work that other processes have stored. */
const SWEEP_MS = 1_000
const STANDBY_MS = 2_000
const LEASE_LOST = "Another process has taken over this bot, or the database couldn't be reached in time."
/** A connection that was alive for this long resets the back-off. */
const STEADY_MS = 30_000

/** Starts a channel: acquires its lease and connects. */
export const startChannel = (options: RuntimeOptions): ChannelRuntime => new Runtime(options)

class Runtime implements ChannelRuntime {
  readonly bot: string
  readonly leaseName: string
  readonly #options: RuntimeOptions
  readonly #stopping = new AbortController()
  #settled = Promise.withResolvers<void>()
  readonly #living: Promise<void>
  /** How long unfinished work may take while stopping. */
  #grace: AbortSignal = AbortSignal.abort()
  #workers: BotWorkers | null = null
  #report: ChannelReport
  #keeper: LeaseKeeper | null = null
  /** Applies to one connection, of any process. */
  #requested: boolean
  /** Ends the wait of a back-off. */
  #retrying = new AbortController()

  constructor(options: RuntimeOptions) {
    const { accountId, platform, credentials } = options
    this.#options = options
    this.#requested = options.asked
    this.bot = toBotKey(accountId, platform.id, credentials.identity)
    this.leaseName = credentials.leaseName(options.shared.io)
    this.#report = emptyReport(this.bot, 'connecting', this.#clock.now())
    this.#living = this.#run().finally(() => this.#settled.resolve())
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

  reconnect(): void {
    if (this.#report.state !== 'backing_off' || this.#stopping.signal.aborted) return
    this.#settled = Promise.withResolvers<void>()
    this.#enter('connecting', { reason: 'reconnecting' })
    this.#retrying.abort()
  }

  async stop(patience: AbortSignal): Promise<void> {
    this.#grace = patience
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

  /** Acquires the lease whenever it is free, until it is stopped or the credentials are rejected. */
  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        if (!(await this.#mustStayStopped())) await this.#tryAcquire()
      } catch (error) {
        this.#log.error('The channel stopped unexpectedly', { bot: this.bot, error })
        this.#enter('backing_off', { reason: 'internal', message: "Couldn't start the channel. See the server log." })
      }
      if (this.#report.state === 'rejected') return
      this.#retrying = new AbortController()
      await this.#clock.sleep(STANDBY_MS, AbortSignal.any([this.#stopping.signal, this.#retrying.signal]))
    }
  }

  async #tryAcquire(): Promise<void> {
    const nowMs = this.#clock.now()
    const lease = await this.#options.leases.acquire(this.leaseName, nowMs, this.#options.leaseMs)
    this.#requested = false
    if (lease) await this.#holdLease(lease, nowMs + this.#options.leaseMs)
    else this.#enter('standby', { reason: 'held_elsewhere', message: 'Another process holds this bot.' })
  }

  /** Returns whether this bot's last connection, of any process, must not be retried until someone enables it. */
  async #mustStayStopped(): Promise<boolean> {
    if (this.#requested) return false
    const last = readReport(await this.#options.leases.finalReport(this.leaseName, this.#clock.now()))
    if (last?.state !== 'stopped') return false
    this.#enter('stopped', last)
    return true
  }

  /** Holds the lease until it is lost, stopped or rejected, and renews it until all work has ended. */
  async #holdLease(lease: Lease, lapsesAtMs: number): Promise<void> {
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
      await this.#runWorkers(lease, onLost, lost.signal)
    } finally {
      this.#keeper = null
      released.abort()
      await keeper.done
      const finalReport = this.#report.state === 'stopped' ? report() : null
      await leases.release(lease, finalReport).catch((error: unknown) => {
        this.#log.warn("Couldn't release a lease", { lease: lease.name, error })
      })
    }
  }

  async #runWorkers(lease: Lease, onLost: () => void, lost: AbortSignal): Promise<void> {
    const { access, accountId, platform, credentials } = this.#options
    const ending = new AbortController()
    const until = AbortSignal.any([this.#stopping.signal, lost, ending.signal])
    const connection = credentials.connect(access.ioFor(accountId, credentials))
    const workers = this.#startWorkers(connection, lease, ending, onLost)
    this.#workers = workers
    let sweeping: Promise<void> | null = null
    try {
      // before anything new comes in: pending work goes first
      await this.#recover(workers, until)
      sweeping = this.#sweep(workers, until)
      const silence = await watchSilence({
        ...this.#options.shared.io,
        handle: workers.handle,
        replayMs: platform.limits.replayMs,
      })
      await this.#reconnectLoop(connection, workers, silence, until)
    } finally {
      this.#workers = null
      ending.abort()
      const patience = this.#stopping.signal.aborted ? AbortSignal.any([this.#grace, lost]) : AbortSignal.abort()
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
    while (!until.aborted && !(await this.#tryRead(() => workers.recover(), until))) {
      await this.#clock.sleep(SWEEP_MS, until)
    }
  }

  async #sweep(workers: BotWorkers, until: AbortSignal): Promise<void> {
    for (;;) {
      await this.#clock.sleep(SWEEP_MS, until)
      if (until.aborted) return
      await this.#tryRead(() => workers.recover(), until)
    }
  }

  /** @returns whether the read succeeded. */
  async #tryRead(read: () => Promise<void>, until: AbortSignal): Promise<boolean> {
    try {
      await read()
      return true
    } catch (error) {
      if (!until.aborted) this.#log.warn("Couldn't read pending messages and deliveries", { bot: this.bot, error })
      return false
    }
  }

  async #reconnectLoop(
    connection: Connection,
    workers: BotWorkers,
    silence: SilenceWatch,
    until: AbortSignal,
  ): Promise<void> {
    let failures = 0
    while (!until.aborted) {
      let aliveSinceMs: number | null = null
      const inbox = this.#createInbox(workers, silence.lastHeardMs(), until, (isComplete) => {
        aliveSinceMs ??= this.#clock.now()
        if (isComplete) silence.heard()
      })
      this.#enter('connecting', this.#report.state === 'connecting' ? {} : { reason: 'reconnecting' })
      const error = await connection.run(inbox, until).then(
        () => new ConnectionError('network', 'The connection closed without a reason.'),
        (thrown: unknown) => thrown,
      )
      if (until.aborted) return
      if (aliveSinceMs !== null && this.#clock.now() - aliveSinceMs >= STEADY_MS) failures = 0
      failures += 1
      if (!(error instanceof ConnectionError))
        this.#log.error('The connection of a channel failed', { bot: this.bot, error })
      const retry = retryAfter(error, failures, this.#options.shared.io.random)
      if (retry.state !== 'backing_off') return this.#enter(retry.state, retry)
      if (await this.#backOff(retry, until)) failures = 0
    }
  }

  /** Waits before the next connection. @returns whether `reconnect` ended the wait. */
  async #backOff(retry: Extract<Retry, { state: 'backing_off' }>, until: AbortSignal): Promise<boolean> {
    this.#retrying = new AbortController()
    const { signal } = this.#retrying
    this.#enter('backing_off', { ...retry, retryAtMs: this.#clock.now() + retry.afterMs })
    await this.#clock.sleep(retry.afterMs, AbortSignal.any([until, signal]))
    return signal.aborted
  }

  /** @param until Once it has aborted, events of the closed connection are ignored. */
  #createInbox(
    workers: BotWorkers,
    lastHeardMs: number | null,
    until: AbortSignal,
    onAlive: (isComplete: boolean) => void,
  ): Inbox {
    return {
      cursor: () => workers.cursor(),
      lastHeardMs: () => Promise.resolve(lastHeardMs),
      chats: (limit) => listRecentChats(workers.handle, limit),
      accept: (batch, cursor) => workers.accept(batch, cursor),
      named: (name) => {
        this.#report = { ...this.#report, toBotKey: name }
      },
      alive: ({ isComplete } = { isComplete: true }) => {
        if (until.aborted) return
        onAlive(isComplete)
        this.#report = { ...this.#report, lastHeardAtMs: this.#clock.now() }
        if (!receives(this.#report.state)) this.#enter('running')
      },
      degraded: (problem) => {
        if (until.aborted) return
        if (problem) this.#enter('degraded', { reason: problem.code, message: problem.message })
        else if (this.#report.state === 'degraded') this.#enter('running')
      },
      gap: (fromMs, toMs, reason) => {
        this.#log.warn('The platform may have lost messages', { bot: this.bot, fromMs, toMs, why: reason.why })
        recordGap(workers.handle, { from: fromMs, to: toMs, ...reason }).catch((error: unknown) => {
          this.#log.error("Couldn't store a gap of the channel", { bot: this.bot, error })
        })
      },
    }
  }
}
