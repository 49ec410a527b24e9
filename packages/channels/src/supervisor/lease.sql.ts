import type { Database, Presence } from '@gatepost/sql'
import type { Transaction } from 'kysely'
import { ChannelError } from '../errors.ts'
import type { Clock, Log } from '../platform-io.ts'
import type { ChannelTables } from '../storage/schema.ts'

/** The right to hold one bot's connection. `epoch` fences every write of the connection. */
export interface Lease {
  readonly name: string
  readonly epoch: number
}

/** Assigns bots to processes. When several processes ask at once, exactly one gets the bot. */
export interface LeaseStore {
  /** Acquires a lease; `null`: another live process holds it. */
  acquire(name: string, nowMs: number, lifeMs: number): Promise<Lease | null>
  /** Renews a lease and stores `report` for the other nodes. @returns false when another process holds it. */
  renew(lease: Lease, expiresAtMs: number, report: string): Promise<boolean>
  /** Releases a lease and leaves `finalReport` for the next holder, if any. */
  release(lease: Lease, finalReport: string | null): Promise<void>
  /** Returns the final report of the last holder, if the lease is free. */
  finalReport(name: string, nowMs: number): Promise<string | null>
  /** Returns the current holder's latest report; `null` when the lease is free. */
  report(name: string, nowMs: number): Promise<string | null>
}

/** Creates the store. At most one process holds an unexpired lease; a dead holder is replaced without waiting. */
export const sqlLeaseStore = (database: Database<ChannelTables>, presence: Presence): LeaseStore => ({
  acquire: (name, nowMs, lifeMs) => acquire(database, presence, name, nowMs, lifeMs),
  async renew(lease, expiresAtMs, report) {
    const row = await database.db
      .updateTable('lease')
      .set({ expires_at_ms: expiresAtMs, report_json: report })
      .where('name', '=', lease.name)
      .where('epoch', '=', lease.epoch)
      .returning('epoch')
      .executeTakeFirst()
    return row !== undefined
  },
  async release(lease, finalReport) {
    await database.db
      .updateTable('lease')
      .set({ expires_at_ms: 0, report_json: finalReport })
      .where('name', '=', lease.name)
      .where('epoch', '=', lease.epoch)
      .execute()
  },
  async finalReport(name, nowMs) {
    const row = await selectReport(database, name).where('expires_at_ms', '<=', nowMs).executeTakeFirst()
    return row?.report_json ?? null
  },
  async report(name, nowMs) {
    const row = await selectReport(database, name).where('expires_at_ms', '>', nowMs).executeTakeFirst()
    return row?.report_json ?? null
  },
})

const selectReport = ({ db }: Database<ChannelTables>, name: string) =>
  db.selectFrom('lease').select('report_json').where('name', '=', name)

async function acquire(
  { db }: Database<ChannelTables>,
  presence: Presence,
  name: string,
  nowMs: number,
  lifeMs: number,
): Promise<Lease | null> {
  const held = await db.selectFrom('lease').selectAll().where('name', '=', name).executeTakeFirst()
  const free = { holder: presence.id, expires_at_ms: nowMs + lifeMs, report_json: null }
  if (!held) {
    const row = await db
      .insertInto('lease')
      .values({ name, epoch: 1, ...free })
      .onConflict((c) => c.column('name').doNothing())
      .returning('epoch')
      .executeTakeFirst()
    return row ? { name, epoch: row.epoch } : null
  }
  const lapsed = held.expires_at_ms <= nowMs
  if (!lapsed && (await presence.isAlive(held.holder))) return null
  const row = await db
    .updateTable('lease')
    .set({ ...free, epoch: held.epoch + 1 })
    .where('name', '=', name)
    .where('epoch', '=', held.epoch)
    .where('expires_at_ms', '=', held.expires_at_ms)
    .returning('epoch')
    .executeTakeFirst()
  return row ? { name, epoch: row.epoch } : null
}

/**
 * First statement of every write transaction of a connection and its workers: fails once another process has taken over.
 * On PostgreSQL the row stays locked, so a takeover waits for the end of this transaction.
 * @throws {ChannelError} `lease_lost`
 */
export async function fence(
  tx: Transaction<ChannelTables>,
  lease: Lease,
  dialect: Database<ChannelTables>['dialect'],
): Promise<void> {
  const query = tx.selectFrom('lease').select('epoch').where('name', '=', lease.name).where('epoch', '=', lease.epoch)
  const row = await (dialect === 'postgres' ? query.forShare() : query).executeTakeFirst()
  if (!row) throw new ChannelError('lease_lost')
}

interface LeaseKeeperOptions {
  readonly leases: LeaseStore
  readonly lease: Lease
  readonly leaseMs: number
  /** When the lease expires unless it is renewed, milliseconds since the Unix epoch. */
  readonly lapsesAtMs: number
  readonly clock: Clock
  readonly log: Log
  /** Returns the report for the other nodes, as JSON. */
  readonly report: () => string
  /** Called once when the lease was taken over, or is about to expire because renewing failed. */
  readonly onLost: () => void
  readonly until: AbortSignal
}

/** Renews a lease, and gives it up before it expires when renewing fails. */
export interface LeaseKeeper {
  /** Publishes a changed report now instead of with the next renewal. */
  tell(): void
  /** Resolves once `until` has aborted and no request is in flight. */
  readonly done: Promise<void>
}

/** Renews every third of `leaseMs`, sooner after a failure, until `until` aborts. */
export function keepLease(options: LeaseKeeperOptions): LeaseKeeper {
  const { leases, lease, leaseMs, clock, log, until } = options
  let { lapsesAtMs } = options
  let changed = new AbortController()

  async function renewLoop(): Promise<void> {
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
          log.warn('Another process has taken over a lease', { lease: lease.name })
          options.onLost()
        }
      } catch (error) {
        log.warn("Couldn't renew a lease", { lease: lease.name, error })
        waitMs = leaseMs / 10
      }
    }
  }

  /** A renewal without a response must not extend the lease: another process may acquire it after it expires. */
  async function releaseBeforeExpiry(): Promise<void> {
    const leftMs = (): number => lapsesAtMs - leaseMs / 6 - clock.now()
    while (!until.aborted && leftMs() > 0) await clock.sleep(leftMs(), until)
    if (until.aborted) return
    log.warn('Released a lease that could not be renewed in time', { lease: lease.name })
    options.onLost()
  }

  const done = Promise.all([renewLoop(), releaseBeforeExpiry()]).then(() => undefined)
  return { tell: () => changed.abort(), done }
}
