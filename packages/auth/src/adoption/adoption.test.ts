import { createHash } from 'node:crypto'
import { migrate } from '@gatepost/sql'
import { type TestDatabase, testDatabases } from '@gatepost/sql/testing'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { authMigrations, DEFAULT_SCHEMA } from '../kernel/schema/migrations.ts'
import type { AuthTables } from '../kernel/schema/tables.ts'
import { DEFAULT_USER_TABLE } from '../kernel/settings/user-table.ts'
import { existingSite } from '../testing/existing-site.ts'
import { storesOn } from '../testing/stores.ts'
import { checkDatabase } from './check-database.ts'

const NOW_MS = Date.UTC(2026, 0, 15, 12)

describe.each(testDatabases)("an existing site's database on %s", (dialect, open) => {
  let test: TestDatabase<AuthTables>
  beforeEach(async () => {
    test = await open<AuthTables>()
  })
  afterEach(async () => test.close())
  const run = async (statement: string): Promise<unknown> => sql.raw(statement).execute(test.database.db)
  const migrated = async (): Promise<unknown> =>
    migrate(test.database, { owner: 'auth', migrations: authMigrations(), nowMs: 0 })
  const check = async () => checkDatabase(test.database, DEFAULT_SCHEMA)

  /** All that there is, so that a difference shows. */
  const everything = async (): Promise<string> => {
    const query =
      dialect === 'sqlite'
        ? sql`select type, name, sql from sqlite_master order by name`
        : sql`select tablename, indexname, indexdef from pg_indexes where schemaname = 'public' order by indexname`
    const users = await sql`select * from auth_user order by id`.execute(test.database.db)
    return JSON.stringify([(await query.execute(test.database.db)).rows, users.rows])
  }

  it('is found to be adoptable, and is not changed by looking', async () => {
    await existingSite(test)
    const before = await everything()
    const report = await check()
    expect(report).toMatchObject({
      dialect,
      adoptable: true,
      conflicts: [],
      differences: [],
      accounts: {
        users: 3,
        addresses: 3,
        verifiedAddresses: 1,
        passwords: { md5: 1, unusable: 1, unknown: 1 },
        collidingUsernames: 0,
        severalPrimary: 0,
        severalVerified: 0,
      },
    })
    expect(report.present).toContain('mfa_authenticator')
    const added = report.additions.map(({ table, text }) => `${table}: ${text}`)
    expect(added).toContain('socialaccount_socialaccount: the table would be created')
    expect(added).toContain('gatepost_session: the table, which is ours, would be created')
    expect(added).toContain('auth_user: the index auth_user_email_lower on lower(email) would be created')
    expect(added.join()).not.toMatch(/unique_|emailaddress_user_id/)
    expect(await everything()).toBe(before)
  })

  it('gets nothing more once adopted, and keeps every row as it was', async () => {
    await existingSite(test)
    const rows = async () => sql`select * from auth_user order by id`.execute(test.database.db)
    const before = await rows()
    await migrated()
    expect((await rows()).rows).toEqual(before.rows)
    expect(await check()).toMatchObject({ adoptable: true, additions: [], conflicts: [] })
  })

  it('is read and written by the stores, in formats that the old site reads', async () => {
    await existingSite(test)
    await migrated()
    const { db } = test.database
    const { users, emails, confirmations } = storesOn(test)
    const ada = await users.byUsername(db, 'ADA')
    expect(ada).toEqual({
      id: 3,
      username: 'Ada',
      email: 'Ada@Example.org',
      firstName: 'Ada',
      lastName: 'Lovelace',
      isActive: true,
      isStaff: true,
      isSuperuser: true,
      lastLoginMs: Date.UTC(2024, 4, 6, 7, 8, 9, 123),
      dateJoinedMs: Date.UTC(2020, 0, 2, 3, 4, 5),
      hasUsablePassword: true,
    })
    expect(await users.byEmail(db, 'ada@example.ORG', { preferVerified: true, activeOnly: true })).toEqual([ada])
    expect(await users.byUsername(db, 'ÄSA')).toMatchObject({ id: 7 })
    expect(await users.byId(db, 4)).toMatchObject({ isActive: false, hasUsablePassword: false, lastLoginMs: null })
    expect(createHash('md5').update('seasaltpassword').digest('hex')).toBe(
      (await users.loadPasswordHash(db, 3))?.split('$')[2],
    )
    expect(await emails.find(db, 3, 'ADA@example.org')).toMatchObject({ id: 11, verified: true, primary: true })
    expect(await emails.isTaken(db, 'ada@EXAMPLE.org', 4)).toBe(true)
    expect(await confirmations.find(db, 'ABCDEFGH', NOW_MS - 2 * 86_400_000)).toMatchObject({ id: 12, userId: 3 })
    expect(await confirmations.find(db, 'neversent', 0)).toBeNull()

    await users.update(db, 3, { lastLoginMs: NOW_MS + 7, email: 'New@example.org' })
    const second = await emails.byId(db, 12)
    if (second === null) throw new Error('the row is gone')
    await emails.markVerified(db, 12)
    await emails.makePrimary(db, second)
    const created = await users.insert(db, { username: 'new' }, 'md5$$', NOW_MS)
    await confirmations.insert(db, 12, 'AbC', NOW_MS)
    const text = (column: string) =>
      dialect === 'sqlite'
        ? sql.ref(column)
        : sql`to_char(${sql.ref(column)} at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS.US')`
    const seen = await sql`select id, email, ${text('last_login')} as login, ${text('date_joined')} as joined,
      cast(is_active as integer) as active from auth_user where id in (3, ${created.id}) order by id`.execute(db)
    expect(seen.rows).toEqual([
      {
        id: 3,
        email: 'new@example.org',
        login: '2026-01-15 12:00:00.007000',
        joined: expect.stringContaining('2020-01-02 03:04:05'),
        active: 1,
      },
      { id: created.id, email: '', login: null, joined: '2026-01-15 12:00:00.000000', active: 1 },
    ])
    const addresses = await sql`select id, email, cast(verified as integer) as verified,
      cast("primary" as integer) as first from account_emailaddress where user_id = 3 order by id`.execute(db)
    expect(addresses.rows).toEqual([
      { id: 11, email: 'Ada@Example.org', verified: 1, first: 0 },
      { id: 12, email: 'second@example.org', verified: 1, first: 1 },
    ])
    const keys =
      await sql`select key, ${text('sent')} as sent from account_emailconfirmation where key = 'abc'`.execute(db)
    expect(keys.rows).toEqual([{ key: 'abc', sent: '2026-01-15 12:00:00.000000' }])
  })

  it('lets the old site delete a user who has rows in tables that were added', async () => {
    await existingSite(test)
    await migrated()
    const time = '2026-01-01 00:00:00+00'
    await run(`insert into socialaccount_socialapp (id, provider, name, client_id, secret, key, provider_id, settings)
      values (1, 'p', '', '', '', '', '', '{}')`)
    for (const [id, user] of [
      [1, 3],
      [2, 7],
    ] as const) {
      await run(`insert into socialaccount_socialaccount (id, provider, uid, last_login, date_joined, extra_data, user_id)
        values (${id}, 'p', '${id}', '${time}', '${time}', '{}', ${user})`)
      await run(
        `insert into socialaccount_socialtoken (token, token_secret, account_id, app_id) values ('t', '', ${id}, 1)`,
      )
    }
    await run('delete from auth_user where id = 7')
    const left = await test.database.db
      .selectFrom('socialaccount_socialtoken')
      .select(['account_id', 'app_id'])
      .execute()
    expect(left).toEqual([{ account_id: 1, app_id: 1 }])
    await run('delete from socialaccount_socialapp')
    const cleared = await test.database.db
      .selectFrom('socialaccount_socialtoken')
      .select(['account_id', 'app_id'])
      .execute()
    expect(cleared).toEqual([{ account_id: 1, app_id: null }])
  })

  it('may hold user names that differ in case alone, but gets no more of them', async () => {
    await existingSite(test)
    await run(
      `insert into auth_user select 8, password, null, is_superuser, 'ADA', '', '', is_staff, is_active, date_joined, '' from auth_user where id = 3`,
    )
    await run(
      `insert into auth_user select 9, password, null, is_superuser, 'äSA', '', '', is_staff, is_active, date_joined, '' from auth_user where id = 3`,
    )
    expect(await check()).toMatchObject({ adoptable: true, accounts: { collidingUsernames: 2 } })
    await migrated()
    const { users } = storesOn(test)
    const { db } = test.database
    expect(await users.byUsername(db, 'ADA')).toMatchObject({ id: 8 })
    expect(await users.byUsername(db, 'Ada')).toMatchObject({ id: 3 })
    await expect(users.insert(db, { username: 'ada' }, '!', NOW_MS)).rejects.toMatchObject({ code: 'row_exists' })
  })

  const conflicts: readonly [why: string, statements: readonly string[], table: string, text: RegExp][] = [
    [
      'a column is missing',
      ['alter table account_emailaddress rename column verified to confirmed'],
      'account_emailaddress',
      /missing/,
    ],
    [
      'rows must have what nobody gives them',
      [`alter table auth_user rename to old_user`, `create table auth_user as select * from old_user`],
      'auth_user',
      /unique|generated/,
    ],
    [
      'an address is verified twice',
      [
        'drop index unique_verified_email',
        `insert into account_emailaddress (email, verified, "primary", user_id) values ('Ada@Example.org', true, false, 7)`,
      ],
      'account_emailaddress',
      /1 times, rows share email/,
    ],
    [
      'a user has two primary addresses',
      ['drop index unique_primary_email', 'update account_emailaddress set "primary" = true'],
      'account_emailaddress',
      /rows share user_id and primary/,
    ],
  ]
  it.each(conflicts)('is refused when %s', async (_why, statements, table, text) => {
    await existingSite(test)
    for (const statement of statements) await run(statement)
    const report = await check()
    expect(report.adoptable).toBe(false)
    expect(report.conflicts).toContainEqual(expect.objectContaining({ table, text: expect.stringMatching(text) }))
    const before = await everything()
    await expect(migrated()).rejects.toMatchObject({ code: 'database_foreign', details: { table } })
    expect(await everything()).toBe(before)
  })

  it('is refused when a column of its own must be filled, and not when it has a default', async () => {
    await existingSite(test)
    await run(`alter table auth_user add column shoe_size integer not null default 40`)
    const report = await check()
    expect(report).toMatchObject({ adoptable: true, differences: [{ table: 'auth_user', column: 'shoe_size' }] })
  })

  it('is refused with keys of another kind, and tolerated with longer ones', async () => {
    await existingSite(test)
    const { database } = test
    const as = async (idType: 'bigint' | 'uuid') =>
      checkDatabase(database, { userTable: { ...DEFAULT_USER_TABLE, idType }, uniqueEmail: true })
    expect((await as('bigint')).adoptable).toBe(true)
    expect((await as('uuid')).conflicts).toContainEqual(expect.objectContaining({ table: 'auth_user', column: 'id' }))
  })

  it('is refused with keys that are too large for numbers', async () => {
    await existingSite(test)
    if (dialect === 'postgres') await run('alter table auth_user alter column id type bigint')
    await run('update auth_user set id = 9007199254740992 where id = 7')
    const report = await checkDatabase(test.database, {
      userTable: { ...DEFAULT_USER_TABLE, idType: 'bigint' },
      uniqueEmail: true,
    })
    expect(report).toMatchObject({ adoptable: false, accounts: { users: 3 } })
    expect(report.conflicts).toMatchObject([
      { table: 'auth_user', column: 'id', text: expect.stringMatching(/^1 keys/) },
    ])
  })

  it('is not one when it holds no accounts, and asks for the name of a user table that is elsewhere', async () => {
    await expect(check()).rejects.toMatchObject({ code: 'database_foreign' })
    await existingSite(test)
    const report = await checkDatabase(test.database, {
      userTable: { ...DEFAULT_USER_TABLE, table: 'people' },
      uniqueEmail: true,
    })
    expect(report).toMatchObject({ adoptable: false, accounts: null })
    expect(report.conflicts[0]).toMatchObject({ table: 'people', text: expect.stringContaining('AUTH_USER_TABLE') })
  })
})
