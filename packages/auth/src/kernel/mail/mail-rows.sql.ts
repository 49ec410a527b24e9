import type { Database } from '@gatepost/sql'
import { sql } from 'kysely'
import type { AuthTables } from '../schema/tables.ts'
import type { AuthDb } from '../users/user.ts'

/** A waiting mail that this process alone may send until `claimedUntilMs`. */
export interface ClaimedMail {
  readonly id: string
  readonly sealed: string
  /** This one included. */
  readonly attempts: number
  readonly createdAtMs: number
  readonly claimedUntilMs: number
}

/** Rows of `gatepost_mail`. */
export interface MailRows {
  add(db: AuthDb, mail: { readonly id: string; readonly sealed: string }, nowMs: number): Promise<void>
  /**
   * Takes up to `limit` mails that are due and nobody's. First tries go before others, so that mail nobody takes does not
   * hold up the rest. A time further ahead than any pause was written by a clock that has been set back since, and does
   * not count.
   */
  claim(limit: number, nowMs: number, untilMs: number): Promise<readonly ClaimedMail[]>
  remove(mail: ClaimedMail): Promise<void>
  /** Nothing happens when the claim has passed to somebody else. */
  putBack(mail: ClaimedMail, dueAtMs: number): Promise<void>
  /** When the next mail may be claimed; `null`: there is none. */
  nextMs(): Promise<number | null>
}

/** Longer than any pause or claim. */
const FARTHEST_MS = 6 * 3_600_000

/** Every process that shares the database may claim; a mail is claimed by one of them at a time. */
export function sqlMailRows(database: Database<AuthTables>): MailRows {
  const { db } = database
  return {
    async add(on, { id, sealed }, nowMs) {
      const times = { due_at_ms: nowMs, created_at_ms: nowMs, claimed_until_ms: null }
      await on
        .insertInto('gatepost_mail')
        .values({ id, message: sealed, attempts: 0, ...times })
        .execute()
    },
    claim: async (limit, nowMs, untilMs) => claim(database, { limit, nowMs, untilMs }),
    async remove({ id }) {
      await db.deleteFrom('gatepost_mail').where('id', '=', id).execute()
    },
    async putBack({ id, claimedUntilMs }, dueAtMs) {
      await db
        .updateTable('gatepost_mail')
        .set({ claimed_until_ms: null, due_at_ms: dueAtMs })
        .where('id', '=', id)
        .where('claimed_until_ms', '=', claimedUntilMs)
        .execute()
    },
    async nextMs() {
      const due = sql<
        number | null
      >`min(case when claimed_until_ms > due_at_ms then claimed_until_ms else due_at_ms end)`
      const row = await db.selectFrom('gatepost_mail').select(due.as('next')).executeTakeFirst()
      return row?.next ?? null
    },
  }
}

interface Claim {
  readonly limit: number
  readonly nowMs: number
  readonly untilMs: number
}

/** The choice stands on its own, since PostgreSQL might run a subquery several times and choose others each time. */
async function claim({ db, dialect }: Database<AuthTables>, { limit, nowMs, untilMs }: Claim): Promise<ClaimedMail[]> {
  const due = db
    .selectFrom('gatepost_mail')
    .select('id')
    .where((row) => row.or([row('due_at_ms', '<=', nowMs), row('due_at_ms', '>', nowMs + FARTHEST_MS)]))
    .where((row) =>
      row.or([
        row('claimed_until_ms', 'is', null),
        row('claimed_until_ms', '<=', nowMs),
        row('claimed_until_ms', '>', nowMs + FARTHEST_MS),
      ]),
    )
    .orderBy('attempts')
    .orderBy('due_at_ms')
    .limit(limit)
    .$if(dialect === 'postgres', (query) => query.forUpdate().skipLocked())
  const rows = await db
    .with(
      (chosen) => chosen('chosen').materialized(),
      () => due,
    )
    .updateTable('gatepost_mail')
    .set((row) => ({ claimed_until_ms: untilMs, attempts: row('attempts', '+', 1) }))
    .where('id', 'in', (row) => row.selectFrom('chosen').select('chosen.id'))
    .returning(['id', 'message', 'attempts', 'created_at_ms'])
    .execute()
  return rows.map(({ id, message, attempts, created_at_ms }) => ({
    id,
    sealed: message,
    attempts,
    createdAtMs: created_at_ms,
    claimedUntilMs: untilMs,
  }))
}
