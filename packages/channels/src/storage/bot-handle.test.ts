import { testDatabases } from '@gatepost/sql/testing'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import type { BotHandle } from './bot-handle.ts'
import { openWorld, type World } from '../testing/bot-world.ts'

describe.each(testDatabases)('writing for a bot on %s', (_name, open) => {
  let world: World
  afterEach(() => world.close())

  const insert =
    (bot: string): Parameters<BotHandle['write']>[0] =>
    (tx) =>
      tx.insertInto('bot').values({ bot, cursor: null, gaps_json: '[]' }).execute()
  const stored = async (): Promise<readonly string[]> =>
    (await world.database.db.selectFrom('bot').select('bot').orderBy('bot').execute()).map(({ bot }) => bot)
  const createHandle = async (): Promise<BotHandle> => {
    world = await openWorld(open)
    return (await world.start()).workers.handle
  }
  /** Keeps the first commit busy, so that what comes now shares the next one. */
  const together = (handle: BotHandle, works: readonly Parameters<BotHandle['write']>[0][]): Promise<string[]> => {
    void handle.write(insert('first'), { durable: true })
    return Promise.all(
      works.map((work) =>
        handle.write(work).then(
          () => 'ok',
          (error: { code?: string }) => error.code ?? 'error',
        ),
      ),
    )
  }

  it('gives each work its own result', async () => {
    const handle = await createHandle()
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, n) => handle.write(async () => n, { durable: n % 3 === 0 })),
    )
    expect(results).toEqual(Array.from({ length: 200 }, (_, n) => n))
  })

  it('shares commits', async () => {
    const handle = await createHandle()
    let fences = 0
    world.watched.onStatement = (statement) => {
      if (statement.includes('"lease"')) fences += 1
    }
    await together(
      handle,
      Array.from({ length: 50 }, (_, n) => insert(`b${n}`)),
    )
    expect(await stored()).toHaveLength(51)
    expect(fences).toBeLessThanOrEqual(3)
  })

  it('lets one that fails fail alone: the others are stored, once', async () => {
    const handle = await createHandle()
    const bad: Parameters<BotHandle['write']>[0] = (tx) => sql`insert into nowhere values (1)`.execute(tx)
    const thrown: Parameters<BotHandle['write']>[0] = () => Promise.reject(new Error('own fault'))
    const twice: Parameters<BotHandle['write']>[0] = async (tx) => {
      await insert('half')(tx)
      await insert('a')(tx)
    }
    const results = await together(handle, [insert('a'), bad, insert('b'), thrown, twice, insert('c')])
    expect(results.map((result) => result === 'ok')).toEqual([true, false, true, false, false, true])
    expect(await stored()).toEqual(['a', 'b', 'c', 'first'])
  })

  it.each(['fails', 'is lost'] as const)('does no work a second time when the commit %s', async (how) => {
    const handle = await createHandle()
    await handle.write(insert('before'))
    await world.idle()
    let runs = 0
    const counted: Parameters<BotHandle['write']>[0] = async (tx) => {
      runs += 1
      world.watched.nextCommit = how
      await insert(`run ${runs}`)(tx)
    }
    const results = await together(handle, [counted, insert('b')])
    expect(results).toEqual(['database_unavailable', 'database_unavailable'])
    expect(runs).toBe(1)
    expect(await stored()).toEqual(how === 'fails' ? ['before', 'first'] : ['b', 'before', 'first', 'run 1'])
  })

  it('refuses all of them once the lease is lost, and goes on refusing', async () => {
    const handle = await createHandle()
    await handle.write(insert('mine'))
    await world.start()
    const results = await Promise.allSettled([handle.write(insert('a')), handle.write(insert('b'), { durable: true })])
    expect(results.map((result) => result.status === 'rejected' && (result.reason as { code: string }).code)).toEqual([
      'lease_lost', // the reason is the ChannelError thrown by the fence
      'lease_lost',
    ])
    await expect(handle.write(insert('c'))).rejects.toMatchObject({ code: 'lease_lost' })
    expect(await stored()).toEqual(['mine'])
  })

  it('stores in the order of asking', async () => {
    const handle = await createHandle()
    await Promise.all(
      Array.from({ length: 150 }, (_, n) =>
        handle.write(
          (tx) =>
            tx
              .insertInto('bot')
              .values({ bot: 'one', cursor: String(n), gaps_json: '[]' })
              .onConflict((c) => c.column('bot').doUpdateSet({ cursor: String(n) }))
              .execute(),
          { durable: n % 2 === 0 },
        ),
      ),
    )
    const [row] = await world.database.db.selectFrom('bot').selectAll().execute()
    expect(row?.cursor).toBe('149')
  })
})
