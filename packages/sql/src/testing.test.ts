import { sql } from 'kysely'
import { expect, it } from 'vitest'
import type { Database } from './database.ts'
import { type Prepared, testDatabases } from './testing.ts'

interface Tables {
  parent: { id: number; name: string }
  child: { parent_id: number }
  note: { text: string }
}

const prepared: Prepared<Tables> = {
  name: 'parents, children and a note',
  async run({ db, dialect }) {
    const key = dialect === 'sqlite' ? 'integer primary key autoincrement' : 'serial primary key'
    await sql`create table parent (id ${sql.raw(key)}, name text not null)`.execute(db)
    await sql`create table child (parent_id integer not null references parent (id))`.execute(db)
    await sql`create table note (text text not null)`.execute(db)
    await db.insertInto('note').values({ text: 'prepared' }).execute()
  },
}

/** What a test sees of it, having written to it. */
async function used({ db }: Database<Tables>): Promise<unknown> {
  await sql`insert into parent (name) values ('a'), ('b')`.execute(db)
  const parents = await db.selectFrom('parent').selectAll().execute()
  await db.insertInto('child').values({ parent_id: 2 }).execute()
  const children = await db.selectFrom('child').selectAll().execute()
  return { parents, children, notes: await db.selectFrom('note').selectAll().execute() }
}

const begun = {
  parents: [
    { id: 1, name: 'a' },
    { id: 2, name: 'b' },
  ],
  children: [{ parent_id: 2 }],
  notes: [{ text: 'prepared' }],
}

const traces: readonly [string, (database: Database<Tables>) => Promise<unknown>][] = [
  ['rows', async ({ db }) => db.deleteFrom('child').execute()],
  ['changes of what was prepared', async ({ db }) => db.updateTable('note').set({ text: 'changed' }).execute()],
  ['columns', async ({ db }) => sql`alter table child add column more integer default 7`.execute(db)],
  ['tables', async ({ db }) => sql`create table left_behind (id integer)`.execute(db)],
]

it.each(testDatabases.flatMap(([name, open]) => traces.map(([what, leave]) => [what, name, open, leave] as const)))(
  'a prepared database has no %s of another test, on %s',
  async (_what, _name, open, leave) => {
    const first = await open(prepared)
    expect(await used(first.database)).toEqual(begun)
    await leave(first.database)
    await first.close()
    for (let again = 0; again < 2; again += 1) {
      const next = await open(prepared)
      expect(await used(next.database)).toEqual(begun)
      await expect(sql`select * from left_behind`.execute(next.database.db)).rejects.toThrow()
      await next.close()
    }
  },
)

it.each(testDatabases)('two tests at the same time have a prepared database each, on %s', async (_name, open) => {
  const [one, two] = [await open(prepared), await open(prepared)]
  expect([await used(one.database), await used(two.database)]).toEqual([begun, begun])
  await one.close()
  await two.close()
})
