import type { Database } from '@gatepost/sql'
import { type RawBuilder, sql } from 'kysely'
import { AuthError } from '../../errors.ts'
import { quoteTable } from '../schema/ddl.ts'
import { ACCOUNT_TABLES } from '../schema/physical.ts'
import type { AuthTables } from '../schema/tables.ts'
import type { UserTable } from '../settings/user-table.ts'
import { userRows } from './user-rows.sql.ts'
import type { AuthDb, UserId } from './user.ts'

/**
 * Prepares the removal of a user for the foreign keys of an old site's own tables, other than those that cascade: deletes
 * group memberships, permissions, and the entries in Django's admin log.
 * @throws {AuthError} `account_referenced` if rows of other tables refer to the user; `details.tables` lists them
 */
export async function releaseUser(
  db: AuthDb,
  { dialect }: Pick<Database<AuthTables>, 'dialect'>,
  userTable: UserTable,
  userId: UserId,
): Promise<void> {
  const key = userRows(userTable, dialect).key(userId)
  const django = ['groups', 'user_permissions'].map((suffix) => `${userTable.table}_${suffix}`)
  const removed = new Set([...django, 'django_admin_log'])
  const holding = new Set<string>()
  for (const { name, column } of await listReferences(db, dialect, userTable.table)) {
    const plain = name.replaceAll('"', '')
    if (ACCOUNT_TABLES.some((table) => table.name === plain)) continue
    const which = sql`from ${sql.raw(name)} where ${sql.ref(column)} = ${key}`
    if (removed.has(plain)) await sql`delete ${which}`.execute(db)
    else if ((await sql`select 1 ${which} limit 1`.execute(db)).rows.length > 0) holding.add(plain)
  }
  if (holding.size > 0) {
    throw new AuthError('account_referenced', { details: { tables: [...holding].toSorted().join(', ') } })
  }
}

interface Reference {
  /** Quoted for SQL. */
  readonly name: string
  readonly column: string
}

/** Lists the foreign keys to a table that prevent the deletion of its rows. */
async function listReferences(
  db: AuthDb,
  dialect: Database<AuthTables>['dialect'],
  table: string,
): Promise<readonly Reference[]> {
  const query: RawBuilder<Reference> =
    dialect === 'sqlite'
      ? sql`select m.name as name, f."from" as "column" from sqlite_master m, pragma_foreign_key_list(m.name) f
          where m.type = 'table' and f."table" = ${table} collate nocase and f.on_delete in ('NO ACTION', 'RESTRICT')`
      : sql`select c.conrelid::regclass::text as name, a.attname as "column"
          from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
          where c.contype = 'f' and c.confdeltype in ('a', 'r') and c.confrelid = to_regclass(${quoteTable(table)})`
  const { rows } = await query.execute(db)
  return dialect === 'sqlite' ? rows.map(({ name, column }) => ({ name: quoteTable(name), column })) : rows
}
