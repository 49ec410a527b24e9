import fs from 'node:fs'
import { copyFile, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
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

it('gives up together on many that wait for the same lock', async () => {
  const other = new DatabaseSync(file)
  other.exec('begin immediate')
  const [first, ...rest] = Array.from({ length: 20 }, () => insert())
  const all = Promise.allSettled(rest)
  await expect(first).rejects.toMatchObject({ code: 'database_unavailable' })
  // whoever had a patience of its own left would get through now
  await new Promise((resolve) => setImmediate(resolve))
  other.exec('rollback')
  expect((await all).filter(({ status }) => status === 'fulfilled')).toEqual([])
  other.close()
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

describe('what must outlive a loss of power', () => {
  let synced: MockInstance<typeof fs.fdatasync>
  beforeEach(() => {
    synced = vi.spyOn(fs, 'fdatasync')
  })
  afterEach(() => synced.mockRestore())

  it('waits for the disk in durable transactions alone', async () => {
    await insert()
    await database.transaction(async (tx) => tx.insertInto('item').values({ id: 'a' }).execute())
    expect(synced).toHaveBeenCalledTimes(0)
    await insertDurably()
    expect(synced).toHaveBeenCalledTimes(1)
    await database.flush()
    expect(synced).toHaveBeenCalledTimes(2)
  })

  it('waits once for all that come together, and again for what came too late', async () => {
    await Promise.all([insertDurably(), insertDurably(), insertDurably(), database.flush()])
    expect(synced).toHaveBeenCalledTimes(1)
    let finish = (): void => {}
    synced.mockImplementationOnce((_file, done) => {
      finish = () => done(null)
    })
    const early = insertDurably()
    await vi.waitFor(() => expect(synced).toHaveBeenCalledTimes(2), 100_000)
    const late = insertDurably()
    finish()
    await Promise.all([early, late])
    expect([await count(), synced.mock.calls.length]).toEqual([5, 3])
  })

  const fault = Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
  const gone = { code: 'database_unavailable', status: 503, details: { reason: 'sync_failed' } }

  it('confirms nothing any more once a sync has failed, although the next one would succeed', async () => {
    await database.transaction(async (tx) => tx.insertInto('item').values({ id: 'a' }).execute())
    synced.mockImplementationOnce((_file, done) => done(fault))
    const together = [insertDurably(), database.flush()]
    for (const result of await Promise.allSettled(together))
      expect(result).toMatchObject({ reason: { code: 'database_unavailable', details: { reason: 'EIO' } } })
    expect(await database.failed).toMatchObject({ ...gone, cause: fault })
    await expect(database.flush()).rejects.toMatchObject(gone)
    await expect(insertDurably()).rejects.toMatchObject(gone)
    await expect(insert()).rejects.toMatchObject(gone)
    await expect(count()).rejects.toMatchObject(gone)
    await expect(database.prepareRead('select 1')([])).rejects.toMatchObject(gone)
    expect(synced).toHaveBeenCalledTimes(1)
  })

  it('fails a commit that was under way when the sync failed', async () => {
    const midway = Promise.withResolvers<void>()
    const slow = database.transaction(async (tx) => {
      await tx.insertInto('item').values({ id: 'a' }).execute()
      await midway.promise
    })
    synced.mockImplementationOnce((_file, done) => done(fault))
    await expect(database.flush()).rejects.toMatchObject({ details: { reason: 'EIO' } })
    midway.resolve()
    await expect(slow).rejects.toMatchObject(gone)
  })

  it.each([
    ['SQLITE_IOERR_FSYNC', 1034],
    ['SQLITE_IOERR_DIR_FSYNC', 1290],
  ])('takes a sync of SQLite that failed (%s) in the same way', async (_name, errcode) => {
    const commit = vi.spyOn(StatementSync.prototype, 'run').mockImplementationOnce(() => {
      throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode })
    })
    await expect(insert()).rejects.toMatchObject({ code: 'database_unavailable', details: { reason: 'SQLITE_IOERR' } })
    commit.mockRestore()
    expect(await database.failed).toMatchObject(gone)
    await expect(insert()).rejects.toMatchObject(gone)
  })

  it('copies what a killed process left in its log into the database before anything is confirmed', async () => {
    await insertDurably()
    await insert()
    const copy = join(folder, 'copy.db')
    for (const suffix of ['', '-wal']) await copyFile(file + suffix, copy + suffix)
    expect((await stat(`${copy}-wal`)).size).toBeGreaterThan(0)
    const reopened = await openDatabase<Tables>({ file: copy })
    expect((await stat(`${copy}-wal`)).size).toBe(0)
    expect(await reopened.db.selectFrom('item').selectAll().execute()).toHaveLength(2)
    await reopened.close()
  })
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

it('holds no file any more once it is closed, also for a commit that asks for the disk too late', async () => {
  const late = await openDatabase<Tables>({ file })
  await late.transaction(async (tx) => tx.insertInto('item').values({ id: 'd' }).execute(), { durable: true })
  await late.close()
  await expect(late.flush()).rejects.toMatchObject({ code: 'database_unavailable', details: { reason: 'closed' } })
})
