import { access, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { botMediaDir } from '../inbox/media.ts'
import { deleteBatch, keepRetention, type RetentionOptions } from './retention.sql.ts'
import { BOT, openWorld, said, START_MS, type World } from '../testing/bot-world.ts'
import { refused } from '../testing/fake-platform.ts'

const DAY = 24 * 60 * 60_000

describe.each(testDatabases)('retention on %s', (_name, open) => {
  let world: World
  afterEach(() => world.close())

  const options = (signal: AbortSignal = new AbortController().signal): RetentionOptions => ({
    database: world.database,
    dataDir: path.dirname(world.mediaDir),
    clock: world.clock,
    log: {
      debug() {},
      info() {},
      warn() {},
      error: (message) => world.log.push({ level: 'error', message, fields: {} }),
    },
    retentionMs: 10 * DAY,
    signal,
  })
  const getFolder = (id: string): string => path.join(path.dirname(world.mediaDir), 'media', botMediaDir(BOT), id)
  const withFile = async (id: string): Promise<void> => {
    await mkdir(getFolder(id), { recursive: true })
    await writeFile(path.join(getFolder(id), '1-a.txt'), 'a')
  }
  const exists = (id: string): Promise<boolean> =>
    access(getFolder(id)).then(
      () => true,
      () => false,
    )

  it('deletes expired setups', async () => {
    world = await openWorld(open)
    const row = { account_id: 'owner', platform: 'weixin', holder: 'x', key_id: 'x', sealed: 'x' }
    const nowMs = world.clock.now()
    await world.database.db
      .insertInto('setup')
      .values([
        { id: 'old', ...row, expires_at_ms: nowMs },
        { id: 'new', ...row, expires_at_ms: nowMs + 1 },
      ])
      .execute()
    await deleteBatch(options())
    expect(await world.database.db.selectFrom('setup').select('id').execute()).toEqual([{ id: 'new' }])
  })

  const conversations = () => world.database.db.selectFrom('conversation').selectAll().orderBy('chat_id').execute()

  it('deletes what is old and done, with its files, and keeps what is young or waits', async () => {
    world = await openWorld(open)
    const { workers } = await world.start()
    await workers.accept([said('old')], null)
    await world.idle()
    world.answer = async function* () {
      yield* []
      throw new Error('not now')
    }
    await workers.accept([said('waits', { chat: { id: '8', kind: 'direct' } })], null)
    await world.idle()
    world.platform.script(refused('network'))
    const [waiting] = await world.store('9', 'old, not sent yet')
    const [turn] = await world.turns()
    await workers.stop(AbortSignal.abort())
    await world.clock.advance(10 * DAY - 1)
    const young = await world.store('7', 'young')
    const [done, open2] = (await world.messages()).toSorted((a, b) => a.text.localeCompare(b.text))
    if (!done || !open2 || !turn || !waiting) throw new Error('nothing stored')
    for (const id of [done.id, open2.id, turn.id]) await withFile(id)

    expect(await deleteBatch(options())).toBe(false)
    expect(await world.messages()).toHaveLength(2)
    await world.clock.advance(2)
    expect(await deleteBatch(options())).toBe(false)
    expect((await world.messages()).map(({ text }) => text)).toEqual(['waits'])
    expect((await world.turns()).map(({ state }) => state)).toEqual(['open'])
    expect((await world.deliveries()).map(({ id }) => id)).toEqual([waiting.id, young[0]?.id])
    expect(await Promise.all([done.id, open2.id, turn.id].map(exists))).toEqual([false, true, false])
  })

  it('deletes people and conversations of which nothing is left, with their names', async () => {
    world = await openWorld(open)
    const { workers } = await world.start()
    const group = { id: 'g', kind: 'group', title: 'Garden' } as const
    await workers.accept([said('old'), said('in a group', { chat: group, from: { id: '5', name: 'Eve' } })], null)
    await workers.accept(
      [said('reminded', { chat: { id: '8', kind: 'direct' }, from: { id: '8', name: 'Bob' } })],
      null,
    )
    await workers.accept([said('back', { chat: { id: '9', kind: 'direct' }, from: { id: '9', name: 'Kim' } })], null)
    await world.idle()
    await world.clock.advance(9 * DAY)
    const [bob] = (await conversations()).filter(({ chat_id }) => chat_id === '8')
    const reminder = await world.store('8', 'a reminder')
    await world.database.db
      .updateTable('delivery')
      .set({ conversation_id: bob?.id ?? '', state: 'delivered' })
      .where(
        'id',
        'in',
        reminder.map(({ id }) => id),
      )
      .execute()
    await workers.accept([said('again', { chat: { id: '9', kind: 'direct' }, from: { id: '9', name: 'Kim' } })], null)
    await world.idle()
    await world.clock.advance(2 * DAY)
    expect(await deleteBatch(options())).toBe(false)
    expect((await conversations()).map(({ chat_id }) => chat_id)).toEqual(['8', '9'])
    const contacts = await world.database.db.selectFrom('contact').selectAll().orderBy('user_id').execute()
    expect(contacts.map(({ name }) => name)).toEqual(['Bob', 'Kim'])
    await world.clock.advance(20 * DAY)
    await deleteBatch(options())
    expect(await conversations()).toEqual([])
    expect(await world.database.db.selectFrom('contact').selectAll().execute()).toEqual([])
    await workers.accept([said('new')], null)
    await world.idle()
    expect((await world.messages()).map(({ text, position }) => [text, position])).toEqual([['new', 1]])
    await workers.stop(AbortSignal.abort())
  })

  it('deletes people in batches', async () => {
    world = await openWorld(open)
    const { db } = world.database
    const ann = { bot: BOT, name: 'Ann', username: null, unreachable: null, last_seen_at_ms: 0 }
    const old = Array.from({ length: 700 }, (_, n) => ({ ...ann, user_id: `u${n}`, direct_chat_id: `c${n}` }))
    await db.insertInto('contact').values(old).execute()
    const left: number[] = []
    for (let more = true; more; ) {
      more = await deleteBatch(options())
      left.push((await db.selectFrom('contact').selectAll().execute()).length)
    }
    expect(left).toEqual([200, 0])
  })

  it('keeps the files of an answer that still waits to be sent', async () => {
    world = await openWorld(open)
    const { workers } = await world.start()
    world.platform.script(refused('credentials_rejected'))
    await workers.accept([said('send me a file')], null)
    await world.idle()
    const [turn] = await world.turns()
    if (!turn) throw new Error('no turn')
    await withFile(turn.id)
    await world.clock.advance(11 * DAY)
    await deleteBatch(options())
    expect([await world.turns(), await exists(turn.id)]).toMatchObject([[{ id: turn.id }], true])
    expect(await world.deliveries()).toMatchObject([{ state: 'queued' }])
  })

  it('deletes an old turn also when many older ones still wait to be sent', async () => {
    world = await openWorld(open)
    const { workers } = await world.start()
    await workers.accept([said('done')], null)
    await world.idle()
    const [turn, delivery] = [(await world.turns())[0], (await world.deliveries())[0]]
    if (!turn || !delivery) throw new Error('nothing stored')
    const older = Array.from({ length: 600 }, (_, n) => ({ id: `older-${n}`, updated_at_ms: turn.updated_at_ms - 1 }))
    await world.database.transaction(async (tx) => {
      for (const { id, updated_at_ms } of older) {
        await tx
          .insertInto('turn')
          .values({ ...turn, id, updated_at_ms })
          .execute()
        await tx
          .insertInto('delivery')
          .values({ ...delivery, id: `${id}.1`, turn_id: id, state: 'queued' })
          .execute()
      }
    })
    await world.clock.advance(11 * DAY)
    expect(await deleteBatch(options())).toBe(false)
    const left = await world.turns()
    expect([left.length, left.some(({ id }) => id === turn.id)]).toEqual([600, false])
  })

  it('works in small transactions, and a crash between files and rows is made good', async () => {
    world = await openWorld(open)
    const { workers } = await world.start()
    await workers.accept(
      Array.from({ length: 1_200 }, (_, n) => said('x', { chat: { id: `u${n % 40}`, kind: 'direct' } })),
      null,
    )
    await world.until(async () => (await world.messages()).every(({ state }) => state === 'answered'))
    await world.clock.advance(11 * DAY)
    world.watched.failing = (sql) => sql.startsWith('delete')
    await expect(deleteBatch(options())).rejects.toMatchObject({ code: 'database_unavailable' })
    world.watched.failing = null
    const left: number[] = []
    for (let more = true; more; ) {
      more = await deleteBatch(options())
      left.push((await world.messages()).length)
    }
    expect(left).toEqual([700, 200, 0])
    expect([await world.turns(), await world.deliveries()]).toEqual([[], []])
  })

  it('comes back every hour, also after a failure, until it is stopped', async () => {
    world = await openWorld(open)
    const { workers } = await world.start()
    await workers.accept([said('old')], null)
    await world.idle()
    await world.clock.advance(11 * DAY)
    const aborter = new AbortController()
    world.watched.failing = () => true
    const keeping = keepRetention(options(aborter.signal))
    await world.pass(61_000, 2)
    world.watched.failing = null
    expect(world.log.map(({ level }) => level)).toContain('error')
    expect(await world.messages()).toHaveLength(1)
    await world.pass(62 * 60_000, 62)
    await world.until(async () => (await world.messages()).length === 0)
    aborter.abort()
    await keeping
    expect(world.clock.now()).toBeGreaterThan(START_MS + 11 * DAY)
  })
})
