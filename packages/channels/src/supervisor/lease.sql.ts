import type { Database, Presence } from '@gatepost/sql'
import type { Transaction } from 'kysely'
import { ChannelError } from '../errors.ts'
import type { Clock, Log } from '../platform-io.ts'
import type { ChannelTables } from '../storage/schema.ts'

/** The right to hold the connection of one bot. Every write of the connection is fenced by `epoch`. */
export interface Lease {
  readonly name: string
  readonly epoch: number
}

/** Who holds which bot. Of several processes that ask at once exactly one gets it. */
export interface LeaseStore {
  /** `null`: a living process holds it. */
  acquire(name: string, nowMs: number, lifeMs: number): Promise<Lease | null>
  /** False: somebody else holds it now. Stores `report` for the other nodes. */
  renew(lease: Lease, expiresAtMs: number, report: string): Promise<boolean>
  /** Others may take it at once, once they have read `lastWord`; `null`: there is none. */
  release(lease: Lease, lastWord: string | null): Promise<void>
  /** What the last holder left, if nobody holds it now. */
  lastWord(name: string, nowMs: number): Promise<string | null>
  /** What the present holder last reported; `null` when nobody holds it. */
  report(name: string, nowMs: number): Promise<string | null>
}

/** At most one process holds a lease that has not lapsed; a holder that has died is replaced without waiting. */
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
  async release(lease, lastWord) {
    await database.db
      .updateTable('lease')
      .set({ expires_at_ms: 0, report_json: lastWord })
      .where('name', '=', lease.name)
      .where('epoch', '=', lease.epoch)
      .execute()
  },
  async lastWord(name, nowMs) {
    const row = await reportOf(database, name).where('expires_at_ms', '<=', nowMs).executeTakeFirst()
    return row?.report_json ?? null
  },
  async report(name, nowMs) {
    const row = await reportOf(database, name).where('expires_at_ms', '>', nowMs).executeTakeFirst()
    return row?.report_json ?? null
  },
})

const reportOf = ({ db }: Database<ChannelTables>, name: string) =>
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
 * First statement of every transaction that a connection or its workers write in: refuses them once another process has
 * taken over. On PostgreSQL the row stays locked, so a takeover waits until this transaction is over.
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
