import type { Database } from '@gatepost/sql'
import { AuthError } from '../errors.ts'
import { compareTable, type Finding } from '../kernel/schema/compare.ts'
import type { Dialect } from '../kernel/schema/ddl.ts'
import { inspectTable } from '../kernel/schema/inspect.sql.ts'
import { toAdoptedTable, type SchemaSettings, listRequiredTables } from '../kernel/schema/migrations.ts'
import { ACCOUNT_TABLES, type PhysicalTable } from '../kernel/schema/physical.ts'
import { type AccountCounts, countAccounts, countDuplicates, countLargeKeys } from './account-counts.sql.ts'

/** Whether an existing site's database can be adopted in place. Nobody's data is in it, only names of columns and counts. */
export interface AdoptionReport {
  readonly dialect: Dialect
  /** Nothing is in the way. */
  readonly adoptable: boolean
  /** Tables that are there and stay as they are, by name. */
  readonly present: readonly string[]
  /** Tables and indexes that would be added. */
  readonly additions: readonly Finding[]
  /** What is in the way. */
  readonly conflicts: readonly Finding[]
  /** What is otherwise than in a database of our own, and does no harm. */
  readonly differences: readonly Finding[]
  /** `null` when the tables do not let themselves be read. */
  readonly accounts: AccountCounts | null
}

/**
 * Compares the database with the tables of these settings. Changes nothing.
 * @throws {AuthError} `database_foreign` when it holds no accounts at all
 */
export async function checkDatabase<Tables>(
  database: CheckedDatabase<Tables>,
  settings: SchemaSettings,
): Promise<AdoptionReport> {
  const [users, addresses] = [settings.userTable.table, 'account_emailaddress']
  const results: TableResult[] = []
  for (const table of listRequiredTables(settings)) results.push(await checkTable(database, table, settings))
  const present = results.filter((result) => result.isPresent).map(({ name }) => name)
  if (!present.includes(users) && !present.includes(addresses)) throw new AuthError('database_foreign')
  const conflicts = results.flatMap((result) => result.conflicts)
  if (!present.includes(users)) {
    const text = 'the user table is missing: the setting AUTH_USER_TABLE names another'
    conflicts.unshift({ table: users, column: null, text })
  }
  const readable = [users, addresses].every(
    (name) => present.includes(name) && conflicts.every(({ table }) => table !== name),
  )
  const largeKeys = readable ? await countLargeKeys(database, settings.userTable) : 0
  if (largeKeys > 0) {
    const text = `${largeKeys} keys are larger than ${Number.MAX_SAFE_INTEGER}: their users could not sign in`
    conflicts.push({ table: users, column: settings.userTable.columns.id, text })
  }
  return {
    dialect: database.dialect,
    adoptable: conflicts.length === 0,
    present,
    additions: results.flatMap((result) => result.additions),
    conflicts,
    differences: results.flatMap((result) => result.differences),
    accounts: readable ? await countAccounts(database, settings.userTable) : null,
  }
}

/** A database, or a transaction of it. */
type CheckedDatabase<Tables> = Pick<Database<Tables>, 'db' | 'dialect'>

interface TableResult {
  readonly name: string
  readonly isPresent: boolean
  readonly additions: readonly Finding[]
  readonly conflicts: readonly Finding[]
  readonly differences: readonly Finding[]
}

async function checkTable<Tables>(
  database: CheckedDatabase<Tables>,
  wanted: PhysicalTable,
  { userTable }: SchemaSettings,
): Promise<TableResult> {
  const { name } = wanted
  const found = await inspectTable(database.db, name, database.dialect)
  if (found === null) {
    const isOurs = name !== userTable.table && !ACCOUNT_TABLES.some((table) => table.name === name)
    const text = isOurs ? 'the table, which is ours, would be created' : 'the table would be created'
    return { name, isPresent: false, additions: [{ table: name, column: null, text }], conflicts: [], differences: [] }
  }
  const { missingIndexes, conflicts, differences } = compareTable(
    found,
    toAdoptedTable(wanted),
    database.dialect,
    userTable,
  )
  const additions: Finding[] = []
  const all = [...conflicts]
  for (const index of missingIndexes) {
    const columns = index.columns.join(' and ')
    const count = index.unique === true && conflicts.length === 0 ? await countDuplicates(database, name, index) : 0
    if (count > 0)
      all.push({ table: name, column: null, text: `${count} times, rows share ${columns}, which must be unique` })
    else additions.push({ table: name, column: null, text: `the index ${index.name} on ${columns} would be created` })
  }
  return { name, isPresent: true, additions, conflicts: all, differences }
}
