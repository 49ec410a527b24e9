import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'
import type { Database } from './database.ts'
import { openDatabase } from './open.ts'
import { openPostgresClient } from './postgres.ts'

/** A database on the server of the tests. */
export interface PostgresForTest {
  readonly name: string
  readonly url: string
  /** As it was when all that was prepared was there; `null`: it is used once. */
  readonly clean: CleanState | null
}

/** What a database has when a test gets it. */
interface CleanState {
  readonly prepared: string
  /** Changes with every table, column, index, function and other definition. */
  readonly catalogue: string
  /** Tables with rows, and a digest of these. */
  readonly filled: ReadonlyMap<string, string>
  /** The last value of each; empty: none has been taken. */
  readonly sequences: ReadonlyMap<string, string>
}

/** To make and remove one takes many times as long as to remove the rows of a test. */
const atRest: (PostgresForTest & { readonly clean: CleanState })[] = []

/** Marks databases of one run, which `removeOfRun` removes. */
const prefixOfRun = (): string => `test_${process.env['TEST_DATABASE_RUN'] ?? 'one'}_`

/** A new database on `server`, as `prepared` leaves it. */
export async function createOnPostgres<Tables>(server: string, prepared?: Prepared<Tables>): Promise<PostgresForTest> {
  const name = `${prefixOfRun()}${randomBytes(8).toString('hex')}`
  // Without fsync a copy of the files is quicker than the default, a copy by the log.
  await onDatabase(server, (client) => client.query(`create database ${name} template template0 strategy file_copy`))
  const url = new URL(server)
  url.pathname = `/${name}`
  if (prepared === undefined) return { name, url: url.href, clean: null }
  const database = await openDatabase<Tables>({ url: url.href })
  try {
    await prepared.run(database)
  } finally {
    await database.close()
  }
  const clean = await onDatabase(url.href, (client) => cleanState(client, prepared.name))
  return { name, url: url.href, clean }
}

/** One that a test has given back, without a trace of that test; `null`: there is none. */
export async function takeFromRest<Tables>(
  server: string,
  prepared?: Prepared<Tables>,
): Promise<PostgresForTest | null> {
  for (;;) {
    const place = atRest.find(({ clean }) => clean.prepared === prepared?.name)
    if (place === undefined) return null
    atRest.splice(atRest.indexOf(place), 1)
    if (await onDatabase(place.url, (client) => becomesClean(client, place.clean))) return place
    await remove(server, place)
  }
}

/** Gives a database back when a test has ended. */
export async function restOnPostgres(server: string, place: PostgresForTest): Promise<void> {
  const { clean } = place
  if (clean === null) await remove(server, place)
  else atRest.push({ ...place, clean })
}

/** Removes what a run has left on a server that outlives it. */
export async function removeOfRun(server: string): Promise<void> {
  await onDatabase(server, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      'select datname as name from pg_database where starts_with(datname, $1)',
      [prefixOfRun()],
    )
    for (const { name } of rows) await client.query(`drop database if exists ${name} with (force)`)
  })
}

const remove = (server: string, { name }: PostgresForTest): Promise<unknown> =>
  onDatabase(server, (client) => client.query(`drop database if exists ${name} with (force)`))

async function onDatabase<R>(url: string, work: (client: Client) => Promise<R>): Promise<R> {
  const client = await openPostgresClient(url)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Every definition has a row with a number of its own, and every change makes a new version of the row. */
const CATALOGUES = (
  'class attrdef constraint namespace proc rewrite statistic_ext ' +
  'trigger type extension event_trigger policy collation default_acl'
)
  .split(' ')
  .map((name) => `pg_${name}`)
  .map((catalogue) => `select '${catalogue} ' || oid || ' ' || xmin as entry from ${catalogue} where oid >= 16384`)

/** Rows of `Found`. What the server brings along has numbers below 16384. */
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

interface Found {
  readonly kind: 'catalogue' | 'table' | 'sequence'
  readonly name: string
  readonly value: string
}

/** Tables are those that have ever had a row. */
async function find(client: Client): Promise<Omit<CleanState, 'prepared' | 'filled'> & { tables: readonly string[] }> {
  const { rows } = await client.query<Found>(FIND)
  return {
    catalogue: rows.find(({ kind }) => kind === 'catalogue')?.value ?? '',
    tables: rows.flatMap(({ kind, name }) => (kind === 'table' ? [name] : [])),
    sequences: new Map(rows.flatMap(({ kind, name, value }) => (kind === 'sequence' ? [[name, value]] : []))),
  }
}

/** `null`: whoever the tests are on the server, they cannot empty tables regardless of foreign keys. */
async function cleanState(client: Client, prepared: string): Promise<CleanState | null> {
  const { rows } = await client.query<{ is: string }>(`select current_setting('is_superuser') as is`)
  if (rows[0]?.is !== 'on') return null
  const { catalogue, tables, sequences } = await find(client)
  const filled = new Map<string, string>()
  for (const name of tables) {
    const digest = await digestOf(client, name)
    if (digest !== null) filled.set(name, digest)
  }
  return { prepared, catalogue, filled, sequences }
}

/** Ends whatever still uses the database, and empties it. @returns whether it is as it was */
async function becomesClean(client: Client, clean: CleanState): Promise<boolean> {
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
  // foreign keys are not looked at: all rows go
  await client.query(['set session_replication_role = replica', ...removals, ...restarts].join('; '))
  // new rows are read in the order in which they come only where no old ones have left gaps
  if (used.length > 0) await client.query(`vacuum (skip_database_stats) ${used.join(', ')}`)
  for (const [name, digest] of clean.filled) if ((await digestOf(client, name)) !== digest) return false
  return true
}

/** `null`: it has no rows. */
async function digestOf(client: Client, table: string): Promise<string | null> {
  const digest = `select md5(string_agg(entry::text, ',' order by entry::text)) as digest from ${table} entry`
  return (await client.query<{ digest: string | null }>(digest)).rows[0]?.digest ?? null
}

/** What many tests begin with, above all migrations: it is done once in a process, and its outcome used again. */
export interface Prepared<Tables> {
  /** Names the outcome: the same name stands for the same tables and rows. */
  readonly name: string
  run(database: Database<Tables>): Promise<void>
}
