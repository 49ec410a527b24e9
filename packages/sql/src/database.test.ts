import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isUnavailable, isUniqueViolation } from './errors.ts'
import { openDatabase } from './open.ts'
import { type Prepared, type TestDatabase, testDatabases } from './testing.ts'

interface Tables {
  item: { id: string; count: number; label: string | null; flag: number }
}

const items: Prepared<Tables> = {
  name: 'items',
  run: ({ db }) =>
    db.schema
      .createTable('item')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('count', 'bigint', (column) => column.notNull())
      .addColumn('label', 'text')
      .addColumn('flag', 'integer', (column) => column.notNull())
      .execute(),
}

const text = (fill: Partial<Tables['item']> = {}): Tables['item'] => ({
  id: 'a',
  count: 0,
  label: null,
  flag: 0,
  ...fill,
})

describe.each(testDatabases)('%s', (_name, open) => {
  let test: TestDatabase<Tables>
  beforeEach(async () => {
    test = await open(items)
  })
  afterEach(async () => test.close())

  const insert = async (row: Tables['item']): Promise<unknown> =>
    test.database.db.insertInto('item').values(row).execute()
  const all = async (): Promise<Tables['item'][]> =>
    test.database.db.selectFrom('item').selectAll().orderBy('id').execute()
  const increment = sql<number>`count + 1`

  const stored: readonly [why: string, row: Tables['item'], read?: Tables['item']][] = [
    ['null', text()],
    ['milliseconds', text({ count: 1_795_000_000_123 })],
    ['the largest safe integer', text({ count: Number.MAX_SAFE_INTEGER })],
    ['a negative integer', text({ count: -1 })],
    ['text of all planes', text({ id: '', label: 'zażółć 漢字 👩‍👩‍👧 \u{10ffff}\n\t\\\'"' })],
    ['a lone surrogate as the replacement character', text({ label: 'a\ud800b' }), text({ label: 'a\ufffdb' })],
    // A driver meets values that the types deny when they come from untyped code.
    ['a boolean as 1', text({ flag: true as unknown as number }), text({ flag: 1 })], // see above
    ['a number in a text column', text({ label: 3 as unknown as string }), text({ label: '3' })], // see above
  ]
  it.each(stored)('stores %s', async (_why, row, read = row) => {
    await insert(row)
    expect(await all()).toEqual([read])
  })

  const refused: readonly [why: string, value: unknown][] = [
    ['text with NUL', 'a\0b'],
    ['undefined', undefined],
    ['NaN', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['a date', new Date(0)],
    ['an object', { a: 1 }],
    ['an array', ['a']],
  ]
  it.each(refused)('refuses %s, inside a transaction too, and works on', async (_why, value) => {
    const statement = sql`update item set label = ${value}`
    await expect(statement.execute(test.database.db)).rejects.toMatchObject({ code: 'value_invalid', status: 422 })
    await expect(test.database.transaction(async (tx) => statement.execute(tx))).rejects.toMatchObject({
      code: 'value_invalid',
    })
    await insert(text())
    expect(await all()).toHaveLength(1)
  })

  it('refuses to round an integer past 2^53', async () => {
    await sql`insert into item (id, count, flag) values ('a', 9007199254740993, 0)`.execute(test.database.db)
    await expect(all()).rejects.toMatchObject({ code: 'integer_out_of_range' })
  })

  it('keeps bytes', async () => {
    await sql`create table bytes (data ${sql.raw(test.database.dialect === 'sqlite' ? 'blob' : 'bytea')})`.execute(
      test.database.db,
    )
    await sql`insert into bytes values (${new Uint8Array([0, 255, 1])})`.execute(test.database.db)
    const { rows } = await sql<{ data: Uint8Array }>`select data from bytes`.execute(test.database.db)
    expect(rows.map((row) => [...row.data])).toEqual([[0, 255, 1]])
  })

  it.each([false, true])('commits what resolves (durable: %s)', async (durable) => {
    const answer = await test.database.transaction(
      async (tx) => {
        await tx.insertInto('item').values(text()).execute()
        return 'done'
      },
      { durable },
    )
    expect(answer).toBe('done')
    expect(await all()).toEqual([text()])
  })

  it.each([false, true])('rolls back what rejects, and passes its error on (durable: %s)', async (durable) => {
    const failure = new Error('on purpose')
    const run = test.database.transaction(
      async (tx) => {
        await tx.insertInto('item').values(text()).execute()
        throw failure
      },
      { durable },
    )
    await expect(run).rejects.toBe(failure)
    expect(await all()).toEqual([])
  })

  it('rolls back a transaction whose failed statement was caught', async () => {
    await insert(text())
    const run = test.database.transaction(async (tx) => {
      await tx
        .insertInto('item')
        .values(text({ id: 'b' }))
        .execute()
      await tx.insertInto('item').values(text()).execute()
    })
    const error: unknown = await run.catch((thrown: unknown) => thrown)
    expect(isUniqueViolation(error)).toBe(true)
    expect(isUnavailable(error)).toBe(false)
    expect(await all()).toEqual([text()])
  })

  it('lets concurrent transactions lose no update', async () => {
    await insert(text())
    const add = async (): Promise<unknown> =>
      test.database.transaction(async (tx) =>
        tx.updateTable('item').set({ count: increment }).where('id', '=', 'a').execute(),
      )
    await Promise.all(Array.from({ length: 40 }, add))
    expect(await all()).toEqual([text({ count: 40 })])
  })

  it('shows nothing of a transaction under way to others', async () => {
    const seen: number[] = []
    const other = await openDatabase<Tables>(test.options)
    await test.database.transaction(async (tx) => {
      await tx.insertInto('item').values(text()).execute()
      seen.push((await other.db.selectFrom('item').selectAll().execute()).length)
    })
    seen.push((await other.db.selectFrom('item').selectAll().execute()).length)
    await other.close()
    expect(seen).toEqual([0, 1])
  })

  it('gives a row to one of many who take it', async () => {
    await insert(text())
    const take = async (): Promise<unknown> =>
      test.database.db.deleteFrom('item').where('id', '=', 'a').returning('id').executeTakeFirst()
    const taken = await Promise.all(Array.from({ length: 8 }, take))
    expect(taken.filter((row) => row !== undefined)).toEqual([{ id: 'a' }])
  })

  it('returns the row of an upsert, and counts changed rows', async () => {
    const upsert = async (): Promise<unknown> =>
      test.database.db
        .insertInto('item')
        .values(text())
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ count: sql<number>`item.count + 1` }))
        .returning(['id', 'count'])
        .executeTakeFirstOrThrow()
    expect(await upsert()).toEqual({ id: 'a', count: 0 })
    expect(await upsert()).toEqual({ id: 'a', count: 1 })
    const update = await test.database.db.updateTable('item').set({ flag: 1 }).executeTakeFirstOrThrow()
    expect(update.numUpdatedRows).toBe(1n)
  })

  const misuses: readonly [why: string, misuse: () => Promise<unknown>][] = [
    ['the outer handle', async () => all()],
    ['a second transaction', async () => test.database.transaction(async () => undefined)],
    ["Kysely's own transaction", async () => test.database.db.transaction().execute(async () => undefined)],
    ['closing', async () => test.database.close()],
  ]
  it.each(misuses)('refuses %s inside a transaction', async (_why, misuse) => {
    await expect(test.database.transaction(misuse)).rejects.toMatchObject({ code: 'outer_handle_in_transaction' })
    await insert(text())
    expect(await all()).toEqual([text()])
  })

  it("refuses Kysely's own transaction, in which the outer handle would wait for ever", async () => {
    const run = test.database.db.transaction().execute(async () => undefined)
    await expect(run).rejects.toMatchObject({ code: 'transaction_unguarded' })
  })

  it('lets work that was started in a transaction go on when that has ended', async () => {
    const gate = Promise.withResolvers<void>()
    const late: Promise<unknown>[] = []
    await test.database.transaction(async (tx) => {
      late.push(gate.promise.then(async () => insert(text())))
      late.push(gate.promise.then(async () => test.database.transaction(async () => 'nested')))
      await tx
        .insertInto('item')
        .values(text({ id: 'b' }))
        .execute()
    })
    gate.resolve()
    await Promise.all(late)
    expect(await all()).toEqual([text(), text({ id: 'b' })])
  })

  it('lets a transaction use another database', async () => {
    const other = await open<Tables>()
    const rows = await test.database.transaction(async () => sql`select 1 as one`.execute(other.database.db))
    await other.close()
    expect(rows.rows).toEqual([{ one: 1 }])
  })

  it('calls a closed database unavailable, and closes twice', async () => {
    const other = await openDatabase<Tables>(test.options)
    await other.close()
    await other.close()
    await expect(other.db.selectFrom('item').selectAll().execute()).rejects.toMatchObject({
      code: 'database_unavailable',
      status: 503,
    })
  })

  describe('a prepared read', () => {
    const byId = () =>
      test.database.prepareRead<Tables['item']>(
        test.database.db.selectFrom('item').selectAll().where('id', '=', 'a').compile().sql,
      )

    it('answers the row, or nothing, as often as it is asked', async () => {
      const read = byId()
      expect(await read(['a'])).toBeUndefined()
      await insert(text({ label: 'x' }))
      expect(await read(['a'])).toEqual(text({ label: 'x' }))
      expect(await read(['b'])).toBeUndefined()
    })

    it('sees nothing of a transaction under way', async () => {
      const read = byId()
      const begun = Promise.withResolvers<void>()
      const gate = Promise.withResolvers<void>()
      const run = test.database.transaction(async (tx) => {
        await tx.insertInto('item').values(text()).execute()
        begun.resolve()
        await gate.promise
        throw new Error('on purpose')
      })
      await begun.promise
      const answer = read(['a'])
      gate.resolve()
      await expect(run).rejects.toThrow('on purpose')
      expect(await answer).toBeUndefined()
    })

    it('throws inside a transaction, for a bad value, for a bad statement, and when the database is closed', async () => {
      const read = byId()
      const inside = test.database.transaction(async () => read(['a']))
      await expect(inside).rejects.toMatchObject({ code: 'outer_handle_in_transaction' })
      await expect(read([new Date(0)])).rejects.toMatchObject({ code: 'value_invalid' })
      await expect(test.database.prepareRead('select a from nowhere')([])).rejects.toThrow(/nowhere/)
      await insert(text({ id: 'a' }))
      expect(await read(['a'])).toEqual(text())
      await test.database.close()
      await expect(read(['a'])).rejects.toMatchObject({ code: 'database_unavailable' })
    })
  })

  it('streams nothing', async () => {
    const read = async (): Promise<void> => {
      for await (const _row of test.database.db.selectFrom('item').selectAll().stream()) continue
    }
    await expect(read()).rejects.toThrow()
  })
})
