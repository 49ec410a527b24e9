import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Database, DatabaseOptions } from './database.ts'
import { openDatabase } from './open.ts'
import { createOnPostgres, type PostgresForTest, restOnPostgres, takeFromRest } from './testing-postgres.ts'
import type { Prepared } from './testing-prepared.ts'
import { preparedFile } from './testing-sqlite.ts'

export type { Prepared } from './testing-prepared.ts'
export { startPostgres } from './testing-server.ts'

/** A fresh database of one test. */
export interface TestDatabase<Tables> {
  readonly database: Database<Tables>
  /** What opens it again, also from another process. */
  readonly options: DatabaseOptions
  /** Closes `database` and removes what it stored. */
  close(): Promise<void>
}

/**
 * For `describe.each(testDatabases)`. PostgreSQL is the server of the environment's `TEST_DATABASE_URL`; it is left out when
 * `TEST_QUICK` is 1. Every database is empty, or as `prepared` leaves it.
 */
export const testDatabases: readonly (readonly [
  name: 'sqlite' | 'postgres',
  open: <Tables>(prepared?: Prepared<Tables>) => Promise<TestDatabase<Tables>>,
])[] = [
  ['sqlite', openSqliteForTest],
  ...(process.env['TEST_QUICK'] === '1' ? [] : [['postgres', openPostgresForTest] as const]),
]

/** Until a transaction waits for an advisory lock of another one; on SQLite at once, as there all wait for the one that writes. */
export async function untilOneWaits<Tables>({ db, dialect }: Pick<Database<Tables>, 'db' | 'dialect'>): Promise<void> {
  if (dialect === 'sqlite') return
  const waiting = sql`select 1 from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`
  while ((await waiting.execute(db)).rows.length === 0);
}

async function openSqliteForTest<Tables>(prepared?: Prepared<Tables>): Promise<TestDatabase<Tables>> {
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-sql-'))
  const options = { file: join(folder, 'test.db') }
  if (prepared !== undefined) await writeFile(options.file, await preparedFile(prepared), { mode: 0o600 })
  const database = await openDatabase<Tables>(options)
  // what a loss of power would leave matters to no test, and waiting for the disk is much of the time of a short one
  await sql`pragma synchronous = off`.execute(database.db)
  return {
    database,
    options,
    close: async () => {
      await database.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function openPostgresForTest<Tables>(prepared?: Prepared<Tables>): Promise<TestDatabase<Tables>> {
  const server = process.env['TEST_DATABASE_URL']
  if (server === undefined) throw new Error('TEST_DATABASE_URL is not set: run vitest from the root of the repository')
  const place: PostgresForTest = (await takeFromRest(server, prepared)) ?? (await createOnPostgres(server, prepared))
  const options = { url: place.url }
  const database = await openDatabase<Tables>(options)
  return {
    database,
    options,
    close: async () => {
      await database.close()
      await restOnPostgres(server, place)
    },
  }
}
