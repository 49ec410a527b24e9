import { isUniqueViolation } from '@gatepost/sql'
import { testDatabases } from '@gatepost/sql/testing'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { DEFAULT_USER_TABLE, type UserTable } from '../settings/user-table.ts'
import { type StoreWorld, storeWorld } from '../../testing/stores.ts'
import type { NewUser, User } from './user.ts'

const NOW_MS = Date.UTC(2026, 0, 15, 12, 30, 5, 250)

const tables: readonly [why: string, userTable: UserTable][] = [
  ['counted keys', DEFAULT_USER_TABLE],
  ['64-bit keys', { ...DEFAULT_USER_TABLE, idType: 'bigint' }],
  ['UUIDs', { ...DEFAULT_USER_TABLE, table: 'people', idType: 'uuid' }],
  ['text keys', { ...DEFAULT_USER_TABLE, idType: 'text' }],
  [
    'a bare table of other names',
    {
      table: 'member',
      idType: 'uuid',
      columns: {
        ...DEFAULT_USER_TABLE.columns,
        id: 'key',
        email: 'mail',
        isStaff: null,
        isSuperuser: null,
        firstName: null,
        lastLogin: null,
        dateJoined: null,
        isActive: null,
      },
    },
  ],
]

describe.each(testDatabases)('users on %s', (dialect, open) => {
  let world: StoreWorld
  const add = async (user: NewUser): Promise<User> => world.users.insert(world.test.database.db, user, '!x', NOW_MS)

  it.each(tables)('stores, reads, changes and removes a user of a table with %s', async (_why, userTable) => {
    world = await storeWorld(open, { userTable })
    const { users, test } = world
    const { db } = test.database
    onTestFinished(async () => world.close())
    const ada = await add({ username: 'Ada', email: 'Ada@Example.org', lastName: 'L' })
    const grace = await add({ username: 'grace', email: 'grace@example.org' })
    expect(ada).toMatchObject({ username: 'Ada', email: 'ada@example.org', lastName: 'L', hasUsablePassword: false })
    expect(await users.byId(db, ada.id)).toEqual(ada)
    expect(await users.byUsername(db, 'aDA')).toEqual(ada)
    expect(await users.byEmail(db, 'ADA@example.org', { preferVerified: true, activeOnly: false })).toEqual([ada])
    expect(await users.update(db, ada.id, { email: 'New@Example.org', lastName: 'Lovelace' })).toMatchObject({
      id: ada.id,
      email: 'new@example.org',
      lastName: 'Lovelace',
    })
    const [first, second] = await users.list(db, { limit: 5, after: null })
    expect(new Set([first?.id, second?.id])).toEqual(new Set([ada.id, grace.id]))
    expect(await users.list(db, { limit: 5, after: first?.id ?? null })).toEqual([second])
    await world.emails.insert(db, { userId: ada.id, email: 'new@example.org', verified: true, primary: true })
    await world.phones.set(db, ada.id, '+15550100', true)
    expect(await world.phones.owner(db, '+15550100')).toBe(ada.id)
    await users.remove(db, ada.id)
    expect(await users.byId(db, ada.id)).toBeNull()
    expect(await world.phones.owner(db, '+15550100')).toBeNull()
    expect(await users.list(db, { limit: 5, after: null })).toEqual([grace])
  })

  describe('in the usual table', () => {
    let usual: StoreWorld
    beforeAll(async () => {
      usual = await storeWorld(open)
    })
    beforeEach(() => {
      world = usual
    })
    afterEach(async () => usual.empty())
    afterAll(async () => usual.close())

    it('writes rows that the existing site can read', async () => {
      await add({ username: 'ada', firstName: 'x'.repeat(160), isStaff: true })
      const { id } = await add({ username: 'b' })
      await world.users.update(world.test.database.db, id, { lastLoginMs: NOW_MS })
      const text =
        dialect === 'sqlite' ? sql`last_login` : sql`to_char(last_login at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS.US')`
      const found = await sql`
        select id, username, length(first_name) as length, cast(is_staff as integer) as staff, password, ${text} as seen
        from auth_user order by id`.execute(world.test.database.db)
      expect(found.rows).toEqual([
        { id: 1, username: 'ada', length: 150, staff: 1, password: '!x', seen: null },
        { id: 2, username: 'b', length: 0, staff: 0, password: '!x', seen: '2026-01-15 12:30:05.250000' },
      ])
    })

    it('keeps times to the millisecond', async () => {
      const { db } = world.test.database
      const { id } = await add({ username: 'ada' })
      await world.users.update(db, id, { lastLoginMs: NOW_MS + 1 })
      expect(await world.users.byId(db, id)).toMatchObject({ lastLoginMs: NOW_MS + 1, dateJoinedMs: NOW_MS })
    })

    const pairs: readonly [one: string, other: string][] = [
      ['Ada', 'ada'],
      ['ÅSA', 'åsa'],
      ['Иван', 'иВАН'],
      ['İrem', 'i̇rem'],
      ['ΣΊΣΥΦΟΣ', 'σίσυφος'],
      ['a_b%c', 'A_B%C'],
      ['back\\slÄsh', 'BACK\\SLäsh'],
    ]
    it.each(pairs)('takes %s and %s for one user name', async (one, other) => {
      const user = await add({ username: one })
      await add({ username: 'another' })
      expect(await world.users.byUsername(world.test.database.db, other)).toEqual(user)
      const second: unknown = await add({ username: other }).catch((error: unknown) => error)
      expect(isUniqueViolation(second)).toBe(true)
    })

    it('ignores similar names, and texts that no database can store', async () => {
      const { db } = world.test.database
      await add({ username: 'Иван', email: 'иван@example.org' })
      await add({ username: 'mike', email: 'mike@example.org' })
      const any = { preferVerified: false, activeOnly: false }
      for (const name of ['Иваш', 'Ива_', '%', '____', 'mıke', 'mike\0', 'mike\ud800', '']) {
        expect(await world.users.byUsername(db, name)).toBeNull()
        expect(await world.users.byEmail(db, `${name}@example.org`, any)).toEqual([])
      }
      expect(await world.users.byUsername(db, 'ｍike')).toMatchObject({ username: 'mike' })
      expect(await world.users.byEmail(db, 'ИВАН@EXAMPLE.org', any)).toMatchObject([{ username: 'Иван' }])
    })

    it("finds another program's users in any case after a sweep, and forgets those it removed", async () => {
      const { db } = world.test.database
      const { id } = await add({ username: 'Älva', email: 'älva@example.org' })
      await add({ username: 'Åke', email: 'åke@example.org' })
      await sql`update auth_user set username = 'ÉMILE', email = 'ÉMILE@example.org' where id = ${id}`.execute(db)
      await sql`delete from auth_user where username = 'Åke'`.execute(db)
      await world.users.sweep()
      const any = { preferVerified: false, activeOnly: false }
      expect(await world.users.byUsername(db, 'émile')).toMatchObject({ id })
      expect(await world.users.byEmail(db, 'émile@EXAMPLE.org', any)).toMatchObject([{ id }])
      expect(await world.users.byUsername(db, 'älva')).toBeNull()
      const folded = await db.selectFrom('gatepost_folded').select(['field', 'folded']).orderBy('field').execute()
      expect(folded).toEqual([
        { field: 'email', folded: 'émile@example.org' },
        { field: 'username', folded: 'émile' },
      ])
      await world.users.remove(db, id)
      expect(await db.selectFrom('gatepost_folded').select('key').execute()).toEqual([])
    })

    it('lets one of many have a name, however they write it', async () => {
      const names = ['grace', 'Grace', 'GRACE', 'gRace', 'graCe', 'GRaCE']
      const results = await Promise.allSettled(names.map(async (username) => add({ username })))
      const refused = results.filter((result) => result.status === 'rejected')
      expect(refused).toHaveLength(names.length - 1)
      expect(refused.every(({ reason }) => isUniqueViolation(reason))).toBe(true)
      expect(await world.users.list(world.test.database.db, { limit: 9, after: null })).toHaveLength(1)
    })

    it('refuses a change to the name of another, not to another case of the own', async () => {
      const { db } = world.test.database
      await add({ username: 'ada' })
      const grace = await add({ username: 'grace' })
      expect(await world.users.update(db, grace.id, { username: 'Grace' })).toMatchObject({ username: 'Grace' })
      const taken: unknown = await world.users
        .update(db, grace.id, { username: 'ADA' })
        .catch((error: unknown) => error)
      expect(isUniqueViolation(taken)).toBe(true)
    })

    it('prefers verified owners of an address, and omits inactive ones on request', async () => {
      const { db } = world.test.database
      const mirror = await add({ username: 'mirror', email: 'x@example.org' })
      const verified = await add({ username: 'verified', isActive: false })
      const other = await add({ username: 'other' })
      await world.emails.insert(db, { userId: other.id, email: 'X@example.org', verified: false, primary: false })
      await world.emails.insert(db, { userId: verified.id, email: 'x@example.org', verified: true, primary: true })
      const by = async (preferVerified: boolean, activeOnly: boolean): Promise<string[]> =>
        (await world.users.byEmail(db, 'X@Example.org', { preferVerified, activeOnly })).map((user) => user.username)
      expect(await by(false, false)).toEqual([verified.username, other.username, mirror.username])
      expect(await by(true, false)).toEqual([verified.username])
      expect(await by(true, true)).toEqual([])
      expect(await by(false, true)).toEqual([other.username, mirror.username])
    })

    it('replaces a password only while it is the expected one', async () => {
      const { db } = world.test.database
      const { id } = await add({ username: 'ada' })
      expect(await world.users.setPassword(db, id, 'new', 'wrong')).toBe(false)
      expect(await world.users.setPassword(db, id, 'new', '!x')).toBe(true)
      expect(await world.users.loadPasswordHash(db, id)).toBe('new')
      expect(await world.users.byId(db, id)).toMatchObject({ hasUsablePassword: true })
      expect(await world.users.setPassword(db, 999, 'new')).toBe(false)
      expect(await world.users.loadPasswordHash(db, 999)).toBeNull()
    })

    it.each([2 ** 31, -(2 ** 40), 1.5, Number.NaN, 'one', ''])('finds no user by the key %s', async (id) => {
      expect(await world.users.any(world.test.database.db)).toBe(false)
      await add({ username: 'ada' })
      expect(await world.users.byId(world.test.database.db, id)).toBeNull()
      expect(await world.users.any(world.test.database.db)).toBe(true)
    })

    it('removes with a user everything that names it, also in tables of modules', async () => {
      const { db } = world.test.database
      const [time, yes] = ['2026-01-01 00:00:00+00', true]
      const ada = await add({ username: 'ada' })
      const grace = await add({ username: 'grace' })
      for (const { id } of [ada, grace]) {
        const address = await world.emails.insert(db, {
          userId: id,
          email: 'a@example.org',
          verified: false,
          primary: yes,
        })
        await world.confirmations.insert(db, address.id, `key${id}`, NOW_MS)
        await sql`insert into socialaccount_socialaccount (provider, uid, last_login, date_joined, extra_data, user_id)
          values ('p', ${String(id)}, ${time}, ${time}, '{}', ${id})`.execute(db)
        await sql`insert into socialaccount_socialtoken (token, token_secret, account_id) values ('t', '', ${id})`.execute(
          db,
        )
        await sql`insert into mfa_authenticator (type, data, user_id, created_at) values ('totp', '{}', ${id}, ${time})`.execute(
          db,
        )
        await sql`insert into allauth_idp_oidc_client values
          (${`c${id}`}, '', '', '', '', '', '', '', '', ${yes}, ${time}, null, ${id}, '', ${yes})`.execute(db)
        await sql`insert into allauth_idp_oidc_token (type, hash, created_at, scopes, client_id, user_id)
          values ('at', ${`h${id}`}, ${time}, '', ${`c${id}`}, null)`.execute(db)
      }
      await world.users.remove(db, ada.id)
      const tables = ['auth_user', 'account_emailaddress', 'account_emailconfirmation', 'socialaccount_socialaccount']
      const more = [
        'socialaccount_socialtoken',
        'mfa_authenticator',
        'allauth_idp_oidc_client',
        'allauth_idp_oidc_token',
      ]
      for (const table of [...tables, ...more]) {
        const { rows } = await sql`select 1 as one from ${sql.table(table)}`.execute(db)
        expect({ table, count: rows.length }).toEqual({ table, count: 1 })
      }
    })
  })
})
