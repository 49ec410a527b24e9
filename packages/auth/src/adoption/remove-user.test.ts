import { testDatabases } from '@gatepost/sql/testing'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { type AuthWorld, authWorld } from '../testing/auth-world.ts'

describe.each(testDatabases)("a user of a site's database on %s", (_name, open) => {
  let world: AuthWorld
  afterEach(async () => world.close())

  it('is removed once no table of the site holds on to it', async () => {
    world = await authWorld({}, open)
    const { auth } = world
    const { db } = auth.kernel.database
    const { id } = await auth.accounts.create({ email: 'ada@example.org', verified: true })
    const reference = 'integer not null references auth_user (id) deferrable initially deferred'
    const cascading = 'integer not null references auth_user (id) on delete cascade'
    const tables = { auth_user_groups: reference, django_admin_log: reference, blog_post: reference, note: cascading }
    for (const [table, column] of Object.entries(tables)) {
      await sql`create table ${sql.table(table)} (user_id ${sql.raw(column)})`.execute(db)
      await sql`insert into ${sql.table(table)} (user_id) values (${id})`.execute(db)
    }
    await expect(auth.accounts.remove(id)).rejects.toMatchObject({
      code: 'account_referenced',
      status: 409,
      details: { tables: 'blog_post' },
    })
    const count = async (table: string): Promise<number> =>
      (await sql`select 1 from ${sql.table(table)}`.execute(db)).rows.length
    expect(await count('auth_user_groups')).toBe(1)
    await sql`delete from blog_post`.execute(db)
    await auth.accounts.remove(id)
    expect(await auth.accounts.byId(id)).toBeNull()
    expect(await Promise.all([...Object.keys(tables), 'account_emailaddress'].map(count))).toEqual([0, 0, 0, 0, 0])
    await expect(auth.accounts.remove(id)).resolves.toBeUndefined()
  })
})
