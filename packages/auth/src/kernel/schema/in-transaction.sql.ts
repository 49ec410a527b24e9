import { type Database, isUniqueViolation } from '@gatepost/sql'
import { type RawBuilder, sql } from 'kysely'
import type { AuthDb } from '../users/user.ts'
import { ACCOUNT_TABLES } from './physical.ts'
import type { AuthTables } from './tables.ts'

/** Runs `work` in the transaction of `db`, or in a new one if `db` isn't in a transaction. */
export const inTransaction = async <R>(
  database: Database<AuthTables>,
  db: AuthDb,
  work: (tx: AuthDb) => Promise<R>,
): Promise<R> => (db.isTransaction ? work(db) : database.transaction(work))

/**
 * Runs `work`, and returns `null` if it violates a unique constraint. A current transaction can continue, thanks to a
 * savepoint: without one, PostgreSQL would reject all further statements.
 */
export async function nullOnUniqueViolation<R>(db: AuthDb, work: () => Promise<R>): Promise<R | null> {
  if (db.isTransaction) await sql`savepoint unless_taken`.execute(db)
  try {
    const result = await work()
    if (db.isTransaction) await sql`release savepoint unless_taken`.execute(db)
    return result
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    if (db.isTransaction) {
      await sql`rollback to savepoint unless_taken`.execute(db)
      await sql`release savepoint unless_taken`.execute(db)
    }
    return null
  }
}

/** The advisory lock class for usernames: "user" in ASCII. */
const NAME_LOCKS = 0x75736572

/** Locks a username until the end of the transaction. Not needed on SQLite, where other writers wait anyway. */
export async function lockName(database: Database<AuthTables>, tx: AuthDb, name: string): Promise<void> {
  if (database.dialect === 'sqlite') return
  await sql`select pg_advisory_xact_lock(cast(${NAME_LOCKS} as integer), hashtext(${name}))`.execute(tx)
}

/**
 * Deletes rows and the rows that depend on them, because the foreign keys don't cascade. Needs a transaction.
 * @param rows `table` is a name in `ACCOUNT_TABLES` or `user`, `target` the same table in SQL, `key` its key in SQL,
 *   and `which` the condition on its rows.
 */
export async function removeRows(
  tx: AuthDb,
  rows: {
    readonly table: string
    readonly target: RawBuilder<unknown>
    readonly key: RawBuilder<unknown>
    readonly which: RawBuilder<unknown>
  },
): Promise<void> {
  for (const child of ACCOUNT_TABLES) {
    for (const column of child.columns) {
      if (column.references !== rows.table) continue
      const target = sql.table(child.name)
      const name = sql.ref(column.name)
      const which = sql`${name} in (select ${rows.key} from ${rows.target} where ${rows.which})`
      if (column.cleared === true) await sql`update ${target} set ${name} = null where ${which}`.execute(tx)
      else await removeRows(tx, { table: child.name, target, key: sql.ref('id'), which })
    }
  }
  await sql`delete from ${rows.target} where ${rows.which}`.execute(tx)
}
