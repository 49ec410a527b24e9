import { type TestDatabase, testDatabases } from '@gatepost/sql/testing'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import type { AuthSettingsInput } from '../kernel/settings/settings.ts'
import { type AuthWorld, authWorld } from '../testing/auth-world.ts'
import { checkDatabase } from './check-database.ts'

const USER_TABLE = {
  table: 'people',
  idType: 'uuid',
  columns: { username: 'userName', isSuperuser: null, lastName: null },
} as const
const WORDS = {
  sqlite: { KEY: 'char(32)', TIME: 'datetime', BOOL: 'bool' },
  postgres: { KEY: 'uuid', TIME: 'timestamp with time zone', BOOL: 'boolean' },
} as const
const MD5 = 'md5$seasalt$1e9bf2bf5606aa5c39852cc30f0f6f22'
/** All of them are of the text `password`. */
const HASHES = {
  argon2: 'argon2$argon2id$v=19$m=102400,t=2,p=8$c2Vhc2FsdHNlYXNhbHQ$y12v6sXHmXtty/PyPUDLHFXLIjhqwve0G68JEhhXEf4',
  pbkdf2_sha256: 'pbkdf2_sha256$1000000$seasalt$YAIKAoSUTEdxN9PnpbX3zRB+moycA+WW4OS32mkutqM=',
  bcrypt_sha256: 'bcrypt_sha256$$2b$12$abcdefghijklmnopqrstuugkQA0GCBGUEqAtJsvVqqVkMMm/ez2qi',
  md5: MD5,
} as const
const sampleUuid = (at: number): string => `00000000-0000-4000-8000-00000000000${at}`

describe.each(testDatabases)("a site's own table of people with gaps in it, on %s", (dialect, open) => {
  let world: AuthWorld
  afterEach(async () => world.close())

  async function site(
    rows: readonly (readonly (string | null)[])[],
    account: NonNullable<AuthSettingsInput['account']> = {},
    addresses: readonly string[] = [],
  ): Promise<AuthWorld> {
    const { KEY, TIME, BOOL } = WORDS[dialect]
    const prepared: typeof open = async <T>(): Promise<TestDatabase<T>> => {
      const test = await open<T>()
      const { db } = test.database
      await sql
        .raw(`create table "people" ("id" ${KEY} not null primary key, "password" varchar(128),
        "last_login" ${TIME}, "userName" varchar(150) unique, "first_name" varchar(150), "email" varchar(254),
        "is_staff" ${BOOL}, "is_active" ${BOOL}, "date_joined" ${TIME})`)
        .execute(db)
      for (const [at, [password, userName, email]] of rows.entries()) {
        const id = dialect === 'sqlite' ? sampleUuid(at).replaceAll('-', '') : sampleUuid(at)
        await sql`insert into "people" ("id", "password", "userName", "email", "is_active")
          values (${id}, ${password}, ${userName}, ${email}, true)`.execute(db)
      }
      return test
    }
    world = await authWorld(
      { settings: { userTable: USER_TABLE, account: { loginMethods: ['username', 'email'], ...account } } },
      prepared,
    )
    const { auth } = world
    for (const [at, email] of addresses.entries()) {
      if (email === '') continue
      const row = await auth.account.emails.insert(auth.kernel.database.db, {
        userId: sampleUuid(at),
        email,
        verified: false,
        primary: true,
      })
      await sql`update account_emailaddress set email = ${email} where id = ${row.id}`.execute(auth.kernel.database.db)
    }
    return world
  }

  it('is adopted, and adopted again', async () => {
    await site([[MD5, 'ada', null]])
    const report = await checkDatabase(world.auth.kernel.database, {
      userTable: world.auth.settings.userTable,
      uniqueEmail: true,
    })
    expect(report.conflicts).toEqual([])
    expect(report.additions).toEqual([])
    expect(report.accounts).toMatchObject({ users: 1, passwords: { md5: 1 } })
  })

  it('refuses users without a password, with the same message as for a wrong one', async () => {
    await site([
      [null, 'ada', 'Ada@Example.org'],
      [MD5, null, null],
    ])
    const { users, database } = world.auth.kernel
    expect(await users.list(database.db, { limit: 9, after: null })).toMatchObject([
      { id: sampleUuid(0), username: 'ada', hasUsablePassword: false, dateJoinedMs: 0, isStaff: false },
      { id: sampleUuid(1), username: '', email: '', hasUsablePassword: true },
    ])
    const visitor = world.visitor()
    for (const login of ['ada', 'ADA', 'ada@example.org']) {
      for (const password of ['password', 'null', '!']) {
        const answer = await visitor.login(login, password)
        expect([answer.status, answer.text]).toEqual([200, expect.stringMatching(/not correct|password/i)])
      }
      world.clock.advance(3_600_000)
    }
    expect(await visitor.whoami()).toBeNull()
  })

  it('sets a first password by a mailed link', async () => {
    await site([[null, 'ada', 'Ada@Example.org']])
    const visitor = world.visitor()
    await visitor.post('/accounts/password/reset/', { email: 'ADA@example.org' })
    const { text } = await world.mailTo('ada@example.org')
    const link = /http:\/\/auth\.test(\S+)/.exec(text)?.[1] ?? ''
    const page = await visitor.follow(await visitor.get(link))
    expect(page.status).toBe(200)
    await visitor.post(page.at, { password1: 'a new long one', password2: 'a new long one' })
    await visitor.login('ada', 'a new long one')
    const second = world.visitor()
    await second.login('ada', 'a new long one')
    expect(await second.whoami()).toBe('ada')
  })

  it.each(Object.entries(HASHES))('signs in with %s, upgraded', async (_format, encoded) => {
    await site([[encoded, 'ada', 'Ada@Example.org']])
    const visitor = world.visitor()
    await visitor.login('ADA', 'password')
    expect(await visitor.whoami()).toBe('ada')
    const { auth } = world
    expect(await auth.kernel.users.loadPasswordHash(auth.kernel.database.db, sampleUuid(0))).toMatch(
      /^argon2\$argon2id\$v=19\$m=19456/,
    )
    await visitor.post('/accounts/password/change/', {
      oldpassword: 'password',
      password1: 'a new long one',
      password2: 'a new long one',
    })
    expect(await visitor.whoami()).toBe('ada')
    const second = world.visitor()
    await second.login('ada@example.org', 'a new long one')
    expect(await second.whoami()).toBe('ada')
  })

  it.each([
    ['keeps good hashes', HASHES.pbkdf2_sha256, true],
    ['replaces weak ones', HASHES.md5, false],
  ])('%s while the old site is in use', async (_why, encoded, isKept) => {
    await site([[encoded, 'ada', 'Ada@Example.org']])
    const { kernel } = world.auth
    await sql`create table django_migrations (id integer primary key)`.execute(kernel.database.db)
    await kernel.oldSite.load()
    const visitor = world.visitor()
    await visitor.login('ada', 'password')
    expect(await visitor.whoami()).toBe('ada')
    expect((await kernel.users.loadPasswordHash(kernel.database.db, sampleUuid(0))) === encoded).toBe(isKept)
  })

  it('verifies an address in mixed case by a code, and leaves one row of it', async () => {
    await site(
      [[MD5, 'ada', 'Ada@Example.org']],
      {
        emailVerification: 'mandatory',
        emailVerificationByCodeEnabled: true,
        signupFields: ['email*', 'password1*'],
        loginMethods: ['email'],
      },
      ['Ada@Example.org'],
    )
    const visitor = world.visitor()
    const login = await visitor.login('ada@example.org', 'password')
    const page = await visitor.follow(login)
    const mail = (await world.mails()).at(-1)
    const code = /^\s*([A-Z]{4}-[A-Z]{4})\s*$/m.exec(mail?.text ?? '')?.[1] ?? ''
    expect(code).not.toBe('')
    await visitor.post(page.at, { code })
    expect(await visitor.whoami()).toBe('ada')
    const { auth } = world
    const rows = await auth.account.emails.ofUser(auth.kernel.database.db, sampleUuid(0))
    expect(rows).toMatchObject([{ verified: true, primary: true }])
  })
})
