import type { Database, Presence } from '@gatepost/sql'
import type { Transaction } from 'kysely'
import { ChannelError } from '../errors.ts'
import type { ChannelTables } from '../schema.ts'

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
