import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Migration, migrate } from './migrate.ts'
import { openDatabase } from './open.ts'
import { type TestDatabase, testDatabases } from './testing.ts'

interface Tables {
  gatepost_migration: { owner: string; name: string; applied_at_ms: number }
}

/** Fails when it runs twice. */
const creates = (table: string): Migration => ({
  name: `create_${table}`,
  up: async (db) => db.schema.createTable(table).addColumn('id', 'text').execute(),
})
const fails: Migration = {
  name: 'fails',
  up: async (db) => {
    await sql`create table half (id text)`.execute(db)
    await sql`insert into half values ('x')`.execute(db)
    await sql`select * from nowhere`.execute(db)
  },
}

describe.each(testDatabases)('%s', (dialect, open) => {
  let test: TestDatabase<Tables>
  beforeEach(async () => {
    test = await open<Tables>()
  })
  afterEach(async () => test.close())

  const run = async (migrations: readonly Migration[], owner = 'channels', nowMs = 7): Promise<readonly string[]> =>
    migrate(test.database, { owner, migrations, nowMs })
  const tables = async (): Promise<string[]> =>
    (await test.database.db.introspection.getTables()).map((table) => table.name).toSorted()

  it('applies what is pending, once and in order', async () => {
    expect(await run([creates('one'), creates('two')])).toEqual(['create_one', 'create_two'])
    expect(await run([creates('one'), creates('two')])).toEqual([])
    expect(await run([creates('one'), creates('two'), creates('three')], 'channels', 8)).toEqual(['create_three'])
    expect(
      await test.database.db
        .selectFrom('gatepost_migration')
        .selectAll()
        .orderBy('applied_at_ms')
        .orderBy('name')
        .execute(),
    ).toEqual([
      { owner: 'channels', name: 'create_one', applied_at_ms: 7 },
      { owner: 'channels', name: 'create_two', applied_at_ms: 7 },
      { owner: 'channels', name: 'create_three', applied_at_ms: 8 },
    ])
  })

  it('keeps the owners apart', async () => {
    await run([creates('one')])
    expect(await run([{ ...creates('two'), name: 'create_one' }], 'auth')).toEqual(['create_one'])
    expect(await tables()).toEqual(['gatepost_migration', 'one', 'two'])
  })

  it('tells a migration the dialect', async () => {
    const seen: string[] = []
    await run([{ name: 'look', up: async (_db: Kysely<unknown>, dialect) => void seen.push(dialect) }])
    expect(seen).toEqual([test.database.dialect])
  })

  it('applies each once when two start at the same time', async () => {
    const other = await openDatabase<Tables>(test.options)
    const migrations = ['one', 'two', 'three'].map(creates)
    const applied = await Promise.all(
      [test.database, other].map((database) => migrate(database, { owner: 'channels', migrations, nowMs: 7 })),
    )
    await other.close()
    expect(applied.flat()).toEqual(['create_one', 'create_two', 'create_three'])
  })

  it('leaves nothing of a failed run', async () => {
    await run([creates('one')])
    await expect(run([creates('one'), creates('two'), fails])).rejects.toThrow(/nowhere/)
    expect(await tables()).toEqual(['gatepost_migration', 'one'])
    expect(await run([creates('one'), creates('two')])).toEqual(['create_two'])
  })

  it('takes over the table of an earlier version', async () => {
    await run([creates('one')])
    await sql`alter table gatepost_migration rename to migration`.execute(test.database.db)
    expect(await run([creates('one'), creates('two')])).toEqual(['create_two'])
    expect(await tables()).toEqual(['gatepost_migration', 'one', 'two'])
  })

  it("leaves a site's own table named migration alone", async () => {
    await sql`create table migration (id text, name text)`.execute(test.database.db)
    expect(await run([creates('one')])).toEqual(['create_one'])
    expect(await tables()).toEqual(['gatepost_migration', 'migration', 'one'])
  })

  it.runIf(dialect === 'postgres')('needs no permission to create tables when nothing is pending', async () => {
    await run([creates('one')])
    const role = `writer_${process.pid}_${randomUUID().replaceAll('-', '')}`
    await sql`create role ${sql.id(role)}`.execute(test.database.db)
    await sql`revoke create on schema public from public`.execute(test.database.db)
    await sql`grant select, insert, update, delete on all tables in schema public to ${sql.id(role)}`.execute(
      test.database.db,
    )
    const url = new URL(test.options.url ?? '')
    url.searchParams.set('options', `-c role=${role}`)
    const other = await openDatabase<Tables>({ url: url.href })
    const start = (migrations: readonly Migration[]) => migrate(other, { owner: 'channels', migrations, nowMs: 7 })
    expect(await start([creates('one')])).toEqual([])
    await expect(start([creates('one'), creates('two')])).rejects.toMatchObject({
      code: 'migration_denied',
      details: { owner: 'channels', name: 'create_two' },
    })
    await other.close()
    await sql`drop owned by ${sql.id(role)}`.execute(test.database.db)
    await sql`drop role ${sql.id(role)}`.execute(test.database.db)
  })

  it('refuses a database of a newer version', async () => {
    await run([creates('one'), creates('two')])
    await expect(run([creates('one')])).rejects.toMatchObject({
      code: 'migration_unknown',
      details: { owner: 'channels', name: 'create_two' },
    })
  })

  it('refuses a migration put in before one that has been applied', async () => {
    await run([creates('two')])
    await expect(run([creates('one'), creates('two')])).rejects.toMatchObject({ code: 'migration_out_of_order' })
    expect(await tables()).toEqual(['gatepost_migration', 'two'])
  })
})
