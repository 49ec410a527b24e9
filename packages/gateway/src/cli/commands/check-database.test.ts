import { createAuth } from '@gatepost/auth'
import { openDatabase } from '@gatepost/sql'
import { type TestDatabase, testDatabases } from '@gatepost/sql/testing'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli } from '../testing/test-io.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatepost-check-test-'))
})
afterEach(() => rm(folder, { recursive: true }))

const check = (where: string, ...more: string[]): ReturnType<typeof runCli> =>
  runCli(['auth', 'check-database', where, ...more])

describe.each(testDatabases)('a database with accounts on %s', (name, open) => {
  it('can be taken over, and is told in numbers', async () => {
    const site = await open<object>()
    const auth = await createAuth({ database: site.database, secretKey: 'a made-up key that only tests use' })
    await auth.close()
    const where = site.options.url ?? site.options.file ?? ''
    const run = await check(where, '--json')
    expect([run.code, run.json()]).toMatchObject([0, { adoptable: true, dialect: name, accounts: { users: 0 } }])
    const text = await check(where)
    expect([text.code, text.out]).toEqual([0, expect.stringMatching(/can adopt this database as it is[^]*auth_user/)])
    await site.close()
  })

  it('stores its secrets in either form', async () => {
    const site = await open<object>()
    const where = site.options.url ?? site.options.file ?? ''
    const change = (verb: string, ...more: string[]): ReturnType<typeof runCli> =>
      runCli(['auth', verb, where, ...more], { env: { GATEPOST_DATA_DIR: folder } })
    const early = await change('seal', '--json')
    expect([early.code, early.json()]).toMatchObject([1, { code: 'database_foreign' }])
    const auth = await createAuth({ database: site.database, secretKey: 'a made-up key that only tests use' })
    await auth.close()
    const none = { authenticators: 0, apps: 0, tokens: 0, unreadable: 0 }
    const sealed = await change('seal', '--json')
    expect([sealed.code, sealed.json()]).toEqual([0, none])
    const plain = await change('unseal')
    expect([plain.code, plain.out]).toEqual([0, expect.stringContaining('Restart the service')])
    const states = await sql`select value from gatepost_state`.execute(site.database.db)
    expect(states.rows).toEqual([{ value: 'plain' }])
    await site.close()
  })

  it('is refused when there are no accounts in it', async () => {
    const site = await open<object>()
    const run = await check(site.options.url ?? site.options.file ?? '', '--json')
    expect([run.code, run.json()]).toMatchObject([1, { ok: false, code: 'database_foreign' }])
    await site.close()
  })
})

describe('the file of a site', () => {
  it('is not touched, whatever its journal', async () => {
    const file = join(folder, 'db.sqlite3')
    const site = new DatabaseSync(file)
    site.exec('create table auth_user (id integer primary key, password text)')
    site.close()
    const before = await readFile(file)
    const run = await check(`sqlite://${file}`)
    expect([run.code, run.out]).toEqual([
      1,
      expect.stringMatching(/can't adopt this database[^]*Conflicts[^]*auth_user/),
    ])
    expect([await readdir(folder), (await readFile(file)).equals(before)]).toEqual([['db.sqlite3'], true])
  })

  it('must be there: none is made', async () => {
    const run = await check(join(folder, 'none.db'))
    expect([run.code, run.err]).toEqual([2, expect.stringContaining('ENOENT')])
    expect(await readdir(folder)).toEqual([])
  })
})

describe.skipIf(testDatabases.length === 1)('a PostgreSQL database of a site', () => {
  let site: TestDatabase<object>
  const withOptions = (options: string): string => {
    const url = new URL(site.options.url ?? '')
    url.searchParams.set('options', options)
    return url.href
  }
  beforeEach(async () => {
    const postgres = testDatabases.find(([name]) => name === 'postgres')
    if (postgres === undefined) throw new Error('There is no PostgreSQL.')
    site = await postgres[1]<object>()
  })
  afterEach(() => site.close())

  it('is read in a transaction that cannot write', async () => {
    const { readExistingDatabase } = await import('../../accounts/existing-database.ts')
    const writing = readExistingDatabase(site.options.url ?? '', ({ db }) =>
      db.schema.createTable('x').addColumn('a', 'text').execute(),
    )
    await expect(writing).rejects.toMatchObject({ cause: { code: '25006' } })
    expect(await site.database.db.introspection.getTables()).toEqual([])
  })

  it('is searched where the options of its URL say', async () => {
    await sql`create schema old_site`.execute(site.database.db)
    const where = withOptions('-c search_path=old_site')
    const elsewhere = await check(where, '--json')
    expect(elsewhere.json()).toMatchObject({ code: 'database_foreign' })
    const database = await openDatabase<object>({ url: where })
    await (await createAuth({ database, secretKey: 'a made-up key that only tests use' })).close()
    await database.close()
    expect((await check(where)).code).toBe(0)
    expect((await check(site.options.url ?? '', '--json')).json()).toMatchObject({ code: 'database_foreign' })
  })

  it('is migrated by its owner, and then used by a role that may not create tables', async () => {
    const { db } = site.database
    const role = `writer_${randomUUID().replaceAll('-', '')}`
    await sql`create role ${sql.id(role)}`.execute(db)
    await sql`revoke create on schema public from public`.execute(db)
    const where = withOptions(`-c role=${role}`)
    const migrateAs = (url: string): ReturnType<typeof runCli> =>
      runCli(['auth', 'migrate', url, '--json'], { env: { GATEPOST_DATA_DIR: folder } })
    const denied = await migrateAs(where)
    expect([denied.code, denied.json()]).toMatchObject([1, { code: 'migration_denied' }])
    const migrated = await migrateAs(site.options.url ?? '')
    expect([migrated.code, migrated.json()]).toMatchObject([0, { applied: expect.arrayContaining(['0001_accounts']) }])
    await sql`grant select, insert, update, delete on all tables in schema public to ${sql.id(role)}`.execute(db)
    const again = await migrateAs(where)
    expect([again.code, again.json()]).toEqual([0, { applied: [] }])
    const database = await openDatabase<object>({ url: where })
    const auth = await createAuth({ database, secretKey: 'a made-up key that only tests use' })
    const { id } = await auth.accounts.create({ email: 'ada@example.org' })
    expect(await auth.accounts.byEmail('Ada@example.org')).toMatchObject([{ id }])
    await auth.close()
    await database.close()
    await sql`drop owned by ${sql.id(role)}`.execute(db)
    await sql`drop role ${sql.id(role)}`.execute(db)
  })
})

it.each([
  ['postgres://user:hunter2@127.0.0.1:1/x', 'database_unavailable'],
  ['postgres://user:hunter2@[x', 'database_url_invalid'],
])('says nothing of the password in %s', async (url, code) => {
  const run = await check(url, '--json')
  expect([run.code, run.json()]).toMatchObject([1, { code }])
  expect(run.out + run.err).not.toContain('hunter2')
})

it('is told by the settings where the users are', async () => {
  const file = join(folder, 'own.db')
  const database = await openDatabase<object>({ file })
  await database.close()
  const run = await runCli(['auth', 'check-database', file, '--json'], {
    env: { ACCOUNT_LOGIN_METHODS: 'carrier pigeon' },
  })
  expect([run.code, run.json()]).toMatchObject([1, { code: 'settings_invalid' }])
})
