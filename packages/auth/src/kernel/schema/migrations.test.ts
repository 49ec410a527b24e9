import { migrate } from '@gatepost/sql'
import { type TestDatabase, testDatabases } from '@gatepost/sql/testing'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DEFAULT_USER_TABLE, type UserTable } from '../settings/user-table.ts'
import { compareTable } from './compare.ts'
import { inspectTable } from './inspect.sql.ts'
import { authMigrations, DEFAULT_SCHEMA, type SchemaSettings, listRequiredTables } from './migrations.ts'
import type { AuthTables } from './tables.ts'

const people: UserTable = {
  table: 'people',
  idType: 'uuid',
  columns: { ...DEFAULT_USER_TABLE.columns, id: 'person', email: 'mail', username: null },
}
const kinds: readonly [why: string, settings: SchemaSettings][] = [
  ['the usual user table', DEFAULT_SCHEMA],
  ["a site's own user table", { userTable: people, uniqueEmail: true }],
  ['64-bit keys in every table', { ...DEFAULT_SCHEMA, keyType: 'bigint' }],
  ['32-bit keys in every table', { ...DEFAULT_SCHEMA, keyType: 'integer' }],
  ['64-bit keys', { userTable: { ...DEFAULT_USER_TABLE, idType: 'bigint' }, uniqueEmail: false }],
]

describe.each(testDatabases)('an empty database on %s', (dialect, open) => {
  let test: TestDatabase<AuthTables>
  beforeEach(async () => {
    test = await open<AuthTables>()
  })
  afterEach(async () => test.close())
  const run = async (settings: SchemaSettings): Promise<unknown> =>
    migrate(test.database, { owner: 'auth', migrations: authMigrations(settings), nowMs: 0 })

  it.each(kinds)('gets every table, column and index as wanted, with %s', async (_why, settings) => {
    await run(settings)
    for (const table of listRequiredTables(settings)) {
      const found = await inspectTable(test.database.db, table.name, dialect)
      if (found === null) throw new Error(`${table.name} is missing`)
      expect({ table: table.name, ...compareTable(found, table, dialect, settings.userTable) }).toEqual({
        table: table.name,
        missingIndexes: [],
        conflicts: [],
        differences: [],
      })
    }
  })

  it.each([
    [null, ['integer', 'integer', dialect === 'sqlite' ? 'integer' : 'bigint']],
    ['bigint', dialect === 'sqlite' ? ['integer', 'bigint', 'integer'] : ['bigint', 'bigint', 'bigint']],
    ['integer', ['integer', 'integer', 'integer']],
  ] as const)('has keys of the configured type: %s', async (keyType, types) => {
    await run({ ...DEFAULT_SCHEMA, keyType })
    const loadColumnType = async (table: string, column: string): Promise<unknown> =>
      (await inspectTable(test.database.db, table, dialect))?.columns.get(column)?.type
    expect([
      await loadColumnType('account_emailaddress', 'id'),
      await loadColumnType('account_emailconfirmation', 'email_address_id'),
      await loadColumnType('mfa_authenticator', 'id'),
    ]).toEqual(types)
    expect(await loadColumnType('django_site', 'id')).toBe('integer')
  })

  it('is left alone when it has been migrated', async () => {
    await run(DEFAULT_SCHEMA)
    await run(DEFAULT_SCHEMA)
    await sql`delete from gatepost_migration`.execute(test.database.db)
    expect(await run(DEFAULT_SCHEMA)).toEqual(['0001_accounts', '0002_artifacts', '0003_folded', '0004_state'])
  })

  it('lets a row name one that comes later in the same transaction, and none that never comes', async () => {
    await run(DEFAULT_SCHEMA)
    const orphan = sql`insert into account_emailaddress (email, verified, "primary", user_id) values ('a@example.org', ${true}, ${true}, 7)`
    await expect(test.database.transaction(async (tx) => orphan.execute(tx))).rejects.toThrow(/foreign key/i)
    const { columns } = DEFAULT_USER_TABLE
    await test.database.transaction(async (tx) => {
      await orphan.execute(tx)
      await sql`insert into auth_user (${sql.join(Object.values(columns).map((name) => sql.ref(String(name))))})
        values (7, '!', null, ${false}, 'ada', '', '', '', ${false}, ${true}, '2026-01-01 00:00:00.000000+00')`.execute(
        tx,
      )
    })
    expect(await test.database.db.selectFrom('account_emailaddress').select('user_id').execute()).toEqual([
      { user_id: 7 },
    ])
  })
})
