import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'
import type { Database } from './database.ts'
import { openDatabase } from './open.ts'
import { openPostgresClient } from './postgres.ts'

/** A database on the test server. */
export interface PostgresForTest {
  readonly name: string
  readonly url: string
  /** The state to restore before reuse; `null` if the database is used only once. */
  readonly clean: CleanState | null
}

/** The state of a database when a test gets it. */
interface CleanState {
  readonly prepared: string
  /** A digest of all definitions, such as tables, columns, indexes, and functions. */
  readonly catalogue: string
  /** Digests of the rows, by table; only tables with rows. */
  readonly filled: ReadonlyMap<string, string>
  /** The last value of each sequence; empty if none was taken. */
  readonly sequences: ReadonlyMap<string, string>
}

/** Databases for reuse. Creating and dropping one takes many times as long as deleting a test's rows. */
const idleDatabases: (PostgresForTest & { readonly clean: CleanState })[] = []

/** Returns the name prefix of this run's databases, which `removeRunDatabases` removes. */
const getRunPrefix = (): string => `test_${process.env['TEST_DATABASE_RUN'] ?? 'one'}_`

/** Creates a database on `server`, set up by `prepared`. */
export async function createOnPostgres<Tables>(server: string, prepared?: Prepared<Tables>): Promise<PostgresForTest> {
  const name = `${getRunPrefix()}${randomBytes(8).toString('hex')}`
  // Without fsync, copying files is faster than the default, which copies through the log.
  await withClient(server, (client) => client.query(`create database ${name} template template0 strategy file_copy`))
  const url = new URL(server)
  url.pathname = `/${name}`
  if (prepared === undefined) return { name, url: url.href, clean: null }
  const database = await openDatabase<Tables>({ url: url.href })
  try {
    await prepared.run(database)
  } finally {
    await database.close()
  }
  const clean = await withClient(url.href, (client) => recordCleanState(client, prepared.name))
  return { name, url: url.href, clean }
}

/** Returns a cleaned database that another test released, or `null`. */
export async function takeIdleDatabase<Tables>(
  server: string,
  prepared?: Prepared<Tables>,
): Promise<PostgresForTest | null> {
  for (;;) {
    const place = idleDatabases.find(({ clean }) => clean.prepared === prepared?.name)
    if (place === undefined) return null
    idleDatabases.splice(idleDatabases.indexOf(place), 1)
    if (await withClient(place.url, (client) => restoreCleanState(client, place.clean))) return place
    await remove(server, place)
  }
}

/** Releases a database after a test. */
export async function releasePostgres(server: string, place: PostgresForTest): Promise<void> {
  const { clean } = place
  if (clean === null) await remove(server, place)
  else idleDatabases.push({ ...place, clean })
}

/** Removes the databases of this run from the server. */
export async function removeRunDatabases(server: string): Promise<void> {
  await withClient(server, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      'select datname as name from pg_database where starts_with(datname, $1)',
      [getRunPrefix()],
    )
    for (const { name } of rows) await client.query(`drop database if exists ${name} with (force)`)
  })
}

const remove = (server: string, { name }: PostgresForTest): Promise<unknown> =>
  withClient(server, (client) => client.query(`drop database if exists ${name} with (force)`))

async function withClient<R>(url: string, work: (client: Client) => Promise<R>): Promise<R> {
  const client = await openPostgresClient(url)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Queries of the system catalogs. Each definition has a row with an ID, and each change creates a new row version. */
const CATALOGUES = (
  'class attrdef constraint namespace proc rewrite statistic_ext ' +
  'trigger type extension event_trigger policy collation default_acl'
)
  .split(' ')
  .map((name) => `pg_${name}`)
  .map((catalogue) => `select '${catalogue} ' || oid || ' ' || xmin as entry from ${catalogue} where oid >= 16384`)

/** A query that returns `CatalogueRow`s. Built-in objects have IDs below 16384. */
const FIND = `select 'catalogue' as kind, '' as name, md5(string_agg(entry, ',' order by entry)) as value from (
    ${CATALOGUES.join(' union all ')}
    union all select 'column ' || attrelid || ' ' || attnum || ' ' || xmin from pg_attribute where attrelid >= 16384
    union all select 'index ' || indexrelid || ' ' || xmin from pg_index where indexrelid >= 16384
    union all select 'setting ' || setrole || array_to_string(setconfig, ' ') from pg_db_role_setting
      where setdatabase = (select oid from pg_database where datname = current_database())
  ) entries
  union all select 'table', oid::regclass::text, '' from pg_class
    where relkind = 'r' and oid >= 16384 and pg_relation_size(oid) > 0
  union all select 'sequence', oid::regclass::text, coalesce(pg_sequence_last_value(oid)::text, '') from pg_class
    where relkind = 'S'`

interface CatalogueRow {
  readonly kind: 'catalogue' | 'table' | 'sequence'
  readonly name: string
  readonly value: string
}

/** Reads the definitions, the sequences, and the tables that have ever had rows. */
async function find(client: Client): Promise<Omit<CleanState, 'prepared' | 'filled'> & { tables: readonly string[] }> {
  const { rows } = await client.query<CatalogueRow>(FIND)
  return {
    catalogue: rows.find(({ kind }) => kind === 'catalogue')?.value ?? '',
    tables: rows.flatMap(({ kind, name }) => (kind === 'table' ? [name] : [])),
    sequences: new Map(rows.flatMap(({ kind, name, value }) => (kind === 'sequence' ? [[name, value]] : []))),
  }
}

/** Resolves to the state of a database, or `null` when the test user can't empty tables regardless of foreign keys. */
async function recordCleanState(client: Client, prepared: string): Promise<CleanState | null> {
  const { rows } = await client.query<{ is: string }>(`select current_setting('is_superuser') as is`)
  if (rows[0]?.is !== 'on') return null
  const { catalogue, tables, sequences } = await find(client)
  const filled = new Map<string, string>()
  for (const name of tables) {
    const digest = await digestTable(client, name)
    if (digest !== null) filled.set(name, digest)
  }
  return { prepared, catalogue, filled, sequences }
}

/** Ends connections to the database and restores its initial rows. Resolves to whether its clean state is restored. */
async function restoreCleanState(client: Client, clean: CleanState): Promise<boolean> {
  await client.query(`select pg_terminate_backend(pid, 10000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`)
  const { catalogue, tables, sequences } = await find(client)
  if (catalogue !== clean.catalogue) return false
  const used = tables.filter((name) => !clean.filled.has(name))
  const removals = used.map((name) => `delete from ${name}`)
  const restarts = [...clean.sequences].flatMap(([name, value]) => {
    if (sequences.get(name) === value) return []
    const start = `(select seqstart from pg_sequence where seqrelid = '${name}'::regclass)`
    return [value === '' ? `select setval('${name}', ${start}, false)` : `select setval('${name}', ${value})`]
  })
  // ignore foreign keys: all rows are deleted
  await client.query(['set session_replication_role = replica', ...removals, ...restarts].join('; '))
  // without gaps of deleted rows, new rows are read in insertion order
  if (used.length > 0) await client.query(`vacuum (skip_database_stats) ${used.join(', ')}`)
  for (const [name, digest] of clean.filled) if ((await digestTable(client, name)) !== digest) return false
  return true
}

/** Resolves to a digest of a table's rows, or `null` when it is empty. */
async function digestTable(client: Client, table: string): Promise<string | null> {
  const digest = `select md5(string_agg(entry::text, ',' order by entry::text)) as digest from ${table} entry`
  return (await client.query<{ digest: string | null }>(digest)).rows[0]?.digest ?? null
}

/** Setup that many tests share, mainly migrations: runs once per process, and its result is reused. */
export interface Prepared<Tables> {
  /** Identifies the result: the same name means the same tables and rows. */
  readonly name: string
  run(database: Database<Tables>): Promise<void>
}
