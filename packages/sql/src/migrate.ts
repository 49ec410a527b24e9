import { type Kysely, sql, type Transaction } from 'kysely'
import type { Database } from './database.ts'
import { SqlError } from './errors.ts'
import { withoutDeadline } from './postgres.ts'

/** A migration. `name` is stored and must never change once released. */
export interface Migration {
  readonly name: string
  /** Runs inside the transaction of all pending migrations, whose handle is `db`. */
  up(db: Kysely<unknown>, dialect: 'sqlite' | 'postgres'): Promise<void>
}

/** Options of `migrate`. */
export interface MigrateOptions {
  /** Owner of the migrations, e.g. `channels`. */
  readonly owner: string
  /** All migrations of the owner, oldest first. */
  readonly migrations: readonly Migration[]
  /** Time, milliseconds since the Unix epoch. */
  readonly nowMs: number
}

interface MigrationTables {
  gatepost_migration: { owner: string; name: string; applied_at_ms: number }
}

/** Advisory lock for migrations of all owners: "gatepost" in ASCII. */
const ADVISORY_LOCK = 0x67617465706f7374n

/**
 * Applies pending migrations in order, under a lock and in one transaction: all or nothing.
 * @returns The names of the applied migrations.
 * @throws {SqlError} `migration_denied` if the role lacks permissions, `migration_unknown` when a newer version has migrated this database, `migration_out_of_order`,
 *   `database_unavailable`; and anything a migration throws
 */
export async function migrate<Tables>(database: Database<Tables>, options: MigrateOptions): Promise<readonly string[]> {
  return database.transaction(
    async (outer) => {
      const tx = outer as unknown as Transaction<MigrationTables> // migrations of all owners use it, whatever tables it declares
      return withoutDeadline(async () => applyPending(tx, database.dialect, options))
    },
    { durable: true },
  )
}

async function applyPending(
  tx: Transaction<MigrationTables>,
  dialect: 'sqlite' | 'postgres',
  options: MigrateOptions,
): Promise<readonly string[]> {
  if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(${ADVISORY_LOCK})`.execute(tx)
  const pending = await findPending(tx, dialect, options)
  for (const migration of pending) {
    const untyped = tx as unknown as Kysely<unknown> // a migration must keep working when the table types change
    await explainDenial(options.owner, migration.name, () => migration.up(untyped, dialect))
    await tx
      .insertInto('gatepost_migration')
      .values({ owner: options.owner, name: migration.name, applied_at_ms: options.nowMs })
      .execute()
  }
  return pending.map((migration) => migration.name)
}

async function findPending(
  tx: Transaction<MigrationTables>,
  dialect: 'sqlite' | 'postgres',
  options: MigrateOptions,
): Promise<readonly Migration[]> {
  const { owner, migrations } = options
  await explainDenial(options.owner, 'gatepost_migration', () => createTable(tx, dialect))
  const rows = await tx.selectFrom('gatepost_migration').select('name').where('owner', '=', owner).execute()
  const applied = new Set(rows.map((row) => row.name))
  const known = new Set(migrations.map((migration) => migration.name))
  for (const name of applied) if (!known.has(name)) throw new SqlError('migration_unknown', { owner, name })
  const firstPending = migrations.findIndex((migration) => !applied.has(migration.name))
  if (firstPending === -1) return []
  const late = migrations.slice(firstPending).find((migration) => applied.has(migration.name))
  if (late !== undefined) throw new SqlError('migration_out_of_order', { owner, name: late.name })
  return migrations.slice(firstPending)
}

const INSUFFICIENT_PRIVILEGE = '42501'

/** Runs `work`. @throws {SqlError} `migration_denied` if the database refuses it */
async function explainDenial(owner: string, name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (cause) {
    const isDenied = cause instanceof Error && 'code' in cause && cause.code === INSUFFICIENT_PRIVILEGE
    throw isDenied ? new SqlError('migration_denied', { owner, name }, { cause }) : cause
  }
}

/** Earlier versions called the table `migration`, which may also be a table of the site that the database belongs to. */
const EARLIER = 'migration'

/** Creates or renames the table if needed: a role without the permission to do so can start after that. */
async function createTable(tx: Transaction<MigrationTables>, dialect: 'sqlite' | 'postgres'): Promise<void> {
  const listColumns = async (table: string): Promise<string> => {
    const columns = await (dialect === 'sqlite'
      ? sql<{ name: string }>`select name from pragma_table_info(${table})`
      : sql<{ name: string }>`select attname as name from pg_attribute
          where attrelid = to_regclass(${table}) and attnum > 0 and not attisdropped`
    ).execute(tx)
    return columns.rows
      .map(({ name }) => name)
      .toSorted()
      .join()
  }
  if ((await listColumns('gatepost_migration')) !== '') return
  if ((await listColumns(EARLIER)) === 'applied_at_ms,name,owner') {
    await tx.schema.alterTable(EARLIER).renameTo('gatepost_migration').execute()
    return
  }
  await tx.schema
    .createTable('gatepost_migration')
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('applied_at_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('gatepost_migration_pk', ['owner', 'name'])
    .execute()
}
