import { type RawBuilder, sql } from 'kysely'
import type { AuthDb } from '../users/user.ts'
import { ACCOUNT_TABLES } from './physical.ts'

/**
 * Removes rows and their dependent rows, since the databases only check references. Needs a transaction.
 * @param table As in `ACCOUNT_TABLES`, or `user`.
 * @param target The table in SQL.
 * @param key Its key, in SQL.
 * @param which Condition on its rows.
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
