import { botName } from '../bot-handle.ts'
import type { ChannelPlatform, Credentials } from '../bound-platform.ts'
import { ConnectionError } from '../errors.ts'
import type { AccessRules } from '../inbox/access.ts'
import type { Connection, Inbox } from '../platform.ts'
import { createSlots } from '../slots.ts'
import { type BotWorkers, createBotWorkers, type Shared } from './bot-workers.ts'
import { recordGap } from './gaps.sql.ts'
import type { Lease, LeaseStore } from './lease.sql.ts'
import { type ChannelReport, receives } from './report.ts'
import { retryAfter } from './retry.ts'

/** Keeps one enabled channel connected: lease, connection, workers, and tries again after every failure. */
export interface ChannelRuntime {
  readonly bot: string
  readonly leaseName: string
  report(): ChannelReport
  workers(): BotWorkers | null
  /** Resolves when it is known whether the channel runs: connected, failed, or held by another process. */
  settled(): Promise<void>
  /** Takes the name that the platform gave the bot when its credentials were validated. */
  named(name: string): void
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
  readonly onReport: (report: ChannelReport) => void
}

/** What other processes may have stored for us is looked for this often. */
const SWEEP_MS = 1_000
const STANDBY_MS = 2_000
/** A connection that has received for this long starts its back-off afresh when it ends. */
const STEADY_MS = 30_000

export function startChannel(options: RuntimeOptions): ChannelRuntime {
  const { shared, leases, leaseMs, platform, credentials } = options
  const { clock, log, random } = shared.io
  const bot = botName(options.accountId, platform.id, credentials.identity)
  const leaseName = `${platform.id}/${credentials.identity}`
  const stopping = new AbortController()
  const settled = Promise.withResolvers<void>()
  let stopSignal: AbortSignal = AbortSignal.abort()
  let workers: BotWorkers | null = null
  let report: ChannelReport = {
    state: 'connecting',
    reason: null,
    message: null,
    sinceMs: clock.now(),
    retryAtMs: null,
    lastInboundAtMs: null,
    lastDeliveredAtMs: null,
    botName: null,
  }

  function enter(
    state: ChannelReport['state'],
    why: { reason?: string; message?: string; retryAtMs?: number } = {},
  ): void {
    const next = { state, reason: why.reason ?? null, message: why.message ?? null, retryAtMs: why.retryAtMs ?? null }
    const same = state === report.state && next.reason === report.reason && next.message === report.message
    report = { ...report, ...next, sinceMs: same ? report.sinceMs : clock.now() }
    if (state !== 'connecting') settled.resolve()
    if (same) return
    log.info('channel: state', { bot, state, reason: next.reason, why: next.message })
    options.onReport(report)
  }

  /** Holds the lease until the stop, its loss, or a rejection of the credentials. */
  async function hold(lease: Lease): Promise<void> {
    const ending = new AbortController()
    const until = AbortSignal.any([stopping.signal, ending.signal])
    const onLeaseLost = (): void => ending.abort()
    const connection = credentials.connect(shared.io)
    let rejected: string | null = null
    const held = createBotWorkers(
      shared,
      {
        ...options,
        bot,
        connection,
        lease,
        onLeaseLost,
        onRejected: (detail) => {
          rejected = detail
          ending.abort()
        },
        onInbound: (atMs) => {
          report = { ...report, lastInboundAtMs: atMs }
        },
        onDelivered: (atMs) => {
          report = { ...report, lastDeliveredAtMs: atMs }
        },
      },
      createSlots,
    )
    workers = held
    const renewing = renew(lease, ending)
    let sweeping: Promise<void> | null = null
    try {
      // before anything new comes in: what waited is answered and sent first
      await recover(held, until)
      sweeping = sweep(held, until)
      await connectAgainAndAgain(connection, held, until)
      if (rejected !== null) enter('rejected', { reason: 'credentials_rejected', message: rejected })
    } finally {
      workers = null
      ending.abort()
      await Promise.all([renewing, sweeping, held.stop(stopping.signal.aborted ? stopSignal : AbortSignal.abort())])
      await leases
        .release(lease)
        .catch((error: unknown) => log.warn('lease: not released', { lease: lease.name, error }))
    }
  }

  async function renew(lease: Lease, ending: AbortController): Promise<void> {
    let validUntilMs = clock.now() + leaseMs
    while (!ending.signal.aborted) {
      await clock.sleep(leaseMs / 3, ending.signal)
      if (ending.signal.aborted) return
      try {
        const expiresAtMs = clock.now() + leaseMs
        if (!(await leases.renew(lease, expiresAtMs, JSON.stringify(report)))) {
          log.warn('lease: taken over by another process', { lease: lease.name })
          ending.abort()
        } else validUntilMs = expiresAtMs
      } catch (error) {
        log.warn('lease: not renewed', { lease: lease.name, error })
        // another process may take it from now on
        if (clock.now() >= validUntilMs) ending.abort()
      }
    }
  }

  async function recover(held: BotWorkers, until: AbortSignal): Promise<void> {
    while (!until.aborted && !(await readable(() => held.recover(), until))) await clock.sleep(SWEEP_MS, until)
  }

  async function sweep(held: BotWorkers, until: AbortSignal): Promise<void> {
    for (;;) {
      await clock.sleep(SWEEP_MS, until)
      if (until.aborted) return
      await readable(() => held.outbox.sweep(), until)
    }
  }

  /** @returns whether what waits could be read. */
  async function readable(read: () => Promise<void>, until: AbortSignal): Promise<boolean> {
    try {
      await read()
      return true
    } catch (error) {
      if (!until.aborted) log.warn('channel: what waits could not be read', { bot, error })
      return false
    }
  }

  async function connectAgainAndAgain(connection: Connection, held: BotWorkers, until: AbortSignal): Promise<void> {
    let failures = 0
    while (!until.aborted) {
      let aliveSinceMs: number | null = null
      const inbox = inboxOf(held, () => {
        aliveSinceMs ??= clock.now()
      })
      enter('connecting', report.state === 'connecting' ? {} : { reason: 'reconnecting' })
      const error = await connection.run(inbox, until).then(
        () => new ConnectionError('network', 'The connection ended without a reason.'),
        (thrown: unknown) => thrown,
      )
      if (until.aborted) return
      if (aliveSinceMs !== null && clock.now() - aliveSinceMs >= STEADY_MS) failures = 0
      failures += 1
      if (!(error instanceof ConnectionError)) log.error('channel: connection failed', { bot, error })
      const retry = retryAfter(error, failures, random)
      if (retry.state === 'rejected') {
        enter('rejected', retry)
        return
      }
      enter('backing_off', { ...retry, retryAtMs: clock.now() + retry.afterMs })
      await clock.sleep(retry.afterMs, until)
    }
  }

  function inboxOf(held: BotWorkers, onAlive: () => void): Inbox {
    return {
      cursor: () => held.cursor(),
      accept: (batch, cursor) => held.accept(batch, cursor),
      alive() {
        onAlive()
        if (!receives(report.state)) enter('running')
      },
      degraded(problem) {
        if (problem) enter('degraded', { reason: problem.code, message: problem.message })
        else if (report.state === 'degraded') enter('running')
      },
      gap(fromMs, toMs, why) {
        log.warn('channel: messages may have been lost', { bot, fromMs, toMs, why })
        recordGap(held.handle, { from: fromMs, to: toMs, why }).catch((error: unknown) =>
          log.error('channel: a gap could not be stored', { bot, error }),
        )
      },
    }
  }

  async function live(): Promise<void> {
    while (!stopping.signal.aborted) {
      let lease: Lease | null = null
      try {
        lease = await leases.acquire(leaseName, clock.now(), leaseMs)
        if (lease) await hold(lease)
        else
          enter('standby', { reason: 'held_elsewhere', message: 'Another process holds the connection of this bot.' })
      } catch (error) {
        log.error('channel: stopped by an unforeseen failure', { bot, error })
        enter('backing_off', { reason: 'internal', message: 'The channel could not be started; the log says more.' })
      }
      if (report.state === 'rejected') return
      await clock.sleep(STANDBY_MS, stopping.signal)
    }
  }

  const living = live().finally(() => settled.resolve())

  return {
    bot,
    leaseName,
    report: () => report,
    workers: () => workers,
    settled: () => settled.promise,
    named(name) {
      report = { ...report, botName: name }
    },
    async stop(signal) {
      stopSignal = signal
      stopping.abort()
      await living
    },
  }
}
