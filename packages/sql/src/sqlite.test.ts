import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Database } from './database.ts'
import { isUnavailable } from './errors.ts'
import { openDatabase, openOnSqlite } from './open.ts'

interface Tables {
  item: { id: string }
}

let folder: string
let file: string
let database: Database<Tables>

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatepost-sqlite-'))
  file = join(folder, 'a.db')
  database = await openOnSqlite<Tables>(file, 40)
  await sql`create table item (id text)`.execute(database.db)
})
afterEach(async () => {
  await database.close()
  await rm(folder, { recursive: true, force: true })
})

const insert = async (): Promise<unknown> => database.db.insertInto('item').values({ id: 'a' }).execute()
const insertDurably = async (): Promise<unknown> =>
  database.transaction(async (tx) => tx.insertInto('item').values({ id: 'a' }).execute(), { durable: true })
const count = async (): Promise<number> => (await database.db.selectFrom('item').selectAll().execute()).length
const synchronous = async (): Promise<unknown> => (await sql`pragma synchronous`.execute(database.db)).rows

it('keeps its files from other accounts', async () => {
  await insert()
  const modes = await Promise.all(['', '-wal', '-shm'].map(async (suffix) => (await stat(file + suffix)).mode & 0o777))
  expect(modes).toEqual([0o600, 0o600, 0o600])
})

it('is unavailable while another connection holds the lock, and well afterwards', async () => {
  const other = new DatabaseSync(file)
  other.exec('begin immediate')
  const locked = { code: 'database_unavailable', status: 503, details: { reason: 'SQLITE_BUSY' } }
  await expect(insert()).rejects.toMatchObject(locked)
  await expect(insertDurably()).rejects.toMatchObject(locked)
  expect(await count()).toBe(0)
  other.exec('rollback')
  other.close()
  await insert()
  await insertDurably()
  expect(await count()).toBe(2)
})

it('waits for a lock without blocking the process', async () => {
  const patient = await openDatabase<Tables>({ file })
  const other = new DatabaseSync(file)
  other.exec('begin immediate')
  const writes = [
    patient.db.insertInto('item').values({ id: 'b' }).execute(),
    patient.transaction(async (tx) => tx.insertInto('item').values({ id: 'c' }).execute()),
  ]
  setImmediate(() => other.exec('commit'))
  await Promise.all(writes)
  other.close()
  await patient.close()
  expect(await count()).toBe(2)
})

const broken: readonly [reason: string, breakIt: string, mend: string][] = [
  ['SQLITE_READONLY', 'pragma query_only = on', 'pragma query_only = off'],
  ['SQLITE_FULL', 'pragma max_page_count = 1', 'pragma max_page_count = 1000000'],
]
it.each(broken)('is unavailable with %s, and well afterwards', async (reason, breakIt, mend) => {
  await sql.raw(breakIt).execute(database.db)
  const fill = async (): Promise<unknown> =>
    database.transaction(async (tx) =>
      tx
        .insertInto('item')
        .values({ id: 'x'.repeat(100_000) })
        .execute(),
    )
  const error: unknown = await fill().catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'database_unavailable', details: { reason } })
  await sql.raw(mend).execute(database.db)
  await fill()
  expect(await count()).toBe(1)
})

const unopenable: readonly [why: string, make: () => Promise<string>][] = [
  ['in a missing folder', async () => join(folder, 'missing', 'a.db')],
  ['below a file', async () => join(file, 'a.db')],
  [
    'a folder',
    async () => {
      await mkdir(join(folder, 'folder.db'))
      return join(folder, 'folder.db')
    },
  ],
  [
    'not a database',
    async () => {
      await writeFile(join(folder, 'text.db'), 'not a database '.repeat(100))
      return join(folder, 'text.db')
    },
  ],
]
it.each(unopenable)('calls a file unavailable that is %s', async (_why, make) => {
  const error: unknown = await openDatabase({ file: await make() }).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'database_unavailable', status: 503 })
  expect(isUnavailable(error)).toBe(true)
})

it('waits for the disk in durable transactions alone', async () => {
  expect(await synchronous()).toEqual([{ synchronous: 1 }])
  const inside = await database.transaction(async (tx) => (await sql`pragma synchronous`.execute(tx)).rows, {
    durable: true,
  })
  expect(inside).toEqual([{ synchronous: 2 }])
  expect(await synchronous()).toEqual([{ synchronous: 1 }])
})

it('enforces foreign keys', async () => {
  await sql`create table parent (id text primary key)`.execute(database.db)
  await sql`create table child (id text references parent (id))`.execute(database.db)
  await expect(sql`insert into child values ('x')`.execute(database.db)).rejects.toThrow(/FOREIGN KEY/)
})

it('leaves nothing of a transaction that was begun by hand', async () => {
  await database.db.connection().execute(async (connection) => {
    await sql`begin immediate`.execute(connection)
    await connection.insertInto('item').values({ id: 'a' }).execute()
  })
  expect(await count()).toBe(0)
})
