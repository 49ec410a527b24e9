import type { Clock, Log } from '../platform-io.ts'
import type { Lease, LeaseStore } from './lease.sql.ts'

export interface LeaseKeeperOptions {
  readonly leases: LeaseStore
  readonly lease: Lease
  readonly leaseMs: number
  /** When the lease lapses unless it is renewed, milliseconds since the Unix epoch. */
  readonly lapsesAtMs: number
  readonly clock: Clock
  readonly log: Log
  /** What the other nodes are to read, as text. */
  readonly report: () => string
  /** Called once: it was taken over, or it could not be renewed and is about to lapse. */
  readonly onLost: () => void
  readonly until: AbortSignal
}

/** Renews a lease, and gives it up in time when that cannot be done. */
export interface LeaseKeeper {
  /** The report has changed: the others are told now, not with the next renewal. */
  tell(): void
  /** Resolves once `until` has aborted and nothing is under way. */
  readonly done: Promise<void>
}

/** Renews every third of `leaseMs`, sooner after a failure, until `until` aborts. */
export function keepLease(options: LeaseKeeperOptions): LeaseKeeper {
  const { leases, lease, leaseMs, clock, log, until } = options
  let { lapsesAtMs } = options
  let changed = new AbortController()

  async function renewAgainAndAgain(): Promise<void> {
    let waitMs = leaseMs / 3
    for (;;) {
      await clock.sleep(waitMs, AbortSignal.any([until, changed.signal]))
      if (until.aborted) return
      changed = new AbortController()
      waitMs = leaseMs / 3
      try {
        const endsAtMs = clock.now() + leaseMs
        if (await leases.renew(lease, endsAtMs, options.report())) lapsesAtMs = endsAtMs
        else if (!until.aborted) {
          log.warn('Lease taken over by another process', { lease: lease.name })
          options.onLost()
        }
      } catch (error) {
        log.warn('Lease not renewed', { lease: lease.name, error })
        waitMs = leaseMs / 10
      }
    }
  }

  /** A renewal that is never answered must not keep it beyond its life: another process may take it then. */
  async function giveUpInTime(): Promise<void> {
    const leftMs = (): number => lapsesAtMs - leaseMs / 6 - clock.now()
    while (!until.aborted && leftMs() > 0) await clock.sleep(leftMs(), until)
    if (until.aborted) return
    log.warn('Lease given up, because it could not be renewed in time', { lease: lease.name })
    options.onLost()
  }

  const done = Promise.all([renewAgainAndAgain(), giveUpInTime()]).then(() => undefined)
  return { tell: () => changed.abort(), done }
}
