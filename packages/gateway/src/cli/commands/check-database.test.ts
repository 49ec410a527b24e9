import { createAuth } from '@gatepost/auth'
import { openDatabase } from '@gatepost/sql'
import { testDatabases } from '@gatepost/sql/testing'
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

it.skipIf(testDatabases.length === 1)('reads PostgreSQL in sessions that cannot write', async () => {
  const [, [, open] = []] = testDatabases
  const site = await open?.<object>()
  const { openReadOnlyDatabase: openExisting } = await import('../../accounts/existing-database.ts')
  const existing = await openExisting(site?.options.url ?? '')
  const writing = existing.database.db.schema.createTable('x').addColumn('a', 'text').execute()
  await expect(writing).rejects.toThrow()
  await existing.close()
  expect(await site?.database.db.introspection.getTables()).toEqual([])
  await site?.close()
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
