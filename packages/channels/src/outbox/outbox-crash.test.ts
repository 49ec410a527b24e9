import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { openWorld, START_MS, type World, type WorldOptions } from '../testing/bot-world.ts'
import { FAKE_SETTLE_MS, type FakePlatformOptions, refused } from '../testing/fake-platform.ts'
import { findDelivery, revive } from './deliveries.sql.ts'

const CAN: readonly [can: string, options: FakePlatformOptions][] = [
  ['findSent', { findSent: true }],
  ['resend', { resend: true }],
  ['neither', {}],
]

describe.each(testDatabases)('a send that is cut off, on %s', (_name, open) => {
  let world: World
  const make = async (options: WorldOptions = {}): Promise<World> => (world = await openWorld(open, options))
  afterEach(() => world.close())

  /** Another process goes on with what the first one left. */
  async function restart(): Promise<void> {
    const { workers } = await world.start()
    await workers.recover()
    await world.pass(4 * FAKE_SETTLE_MS, 6)
  }

  describe.each(CAN)('a platform with %s', (can, options) => {
    it('killed before the claim: sent once, in order', async () => {
      await make(options)
      await world.start()
      await world.store('a', '1', '2')
      await restart()
      expect(world.platform.bodies('a')).toEqual(['1', '2'])
    })

    it('killed after the claim, before the send', async () => {
      await make(options)
      const { workers } = await world.start()
      world.platform.script('hangs')
      workers.outbox.push(await world.store('a', '1', '2', '3'))
      await world.idle()
      await restart()
      const known = can !== 'neither'
      expect(world.platform.bodies('a')).toEqual(known ? ['1', '2', '3'] : ['2', '3'])
      expect((await world.deliveries())[0]).toMatchObject(
        known ? { state: 'delivered' } : { state: 'unknown', dead: 1 },
      )
    })

    it('killed after the send, before its outcome was stored: shown once', async () => {
      await make(options)
      const { workers } = await world.start()
      world.platform.script('shown, then hangs')
      workers.outbox.push(await world.store('a', '1', '2', '3'))
      await world.idle()
      await restart()
      expect(world.platform.bodies('a')).toEqual(['1', '2', '3'])
      expect((await world.deliveries()).map(({ state }) => state)).toEqual([
        can === 'neither' ? 'unknown' : 'delivered',
        'delivered',
        'delivered',
      ])
    })

    it('the answer is lost: shown once; not shown: sent again where that is safe', async () => {
      await make(options)
      const { workers } = await world.start()
      world.platform.script('lost')
      workers.outbox.push(await world.store('a', '1'))
      await world.pass(2 * FAKE_SETTLE_MS)
      world.platform.script('dropped')
      workers.outbox.push(await world.store('a', '2'))
      await world.pass(2 * FAKE_SETTLE_MS)
      expect(world.platform.bodies('a')).toEqual(can === 'neither' ? ['1'] : ['1', '2'])
    })

    it('the database is away when the outcome is to be stored: known once it is back', async () => {
      await make(options)
      const { workers } = await world.start()
      const rows = await world.store('a', '1', '2')
      let sent = false
      world.platform.decide = () => {
        sent = true
        return 'ok'
      }
      world.watched.failing = () => sent
      workers.outbox.push(rows)
      await world.pass(5_000)
      expect(world.platform.bodies('a')).toEqual(['1'])
      world.watched.failing = null
      world.platform.decide = null
      await world.pass(10_000)
      expect(world.platform.bodies('a')).toEqual(['1', '2'])
      expect((await world.deliveries()).map(({ state, attempts }) => [state, attempts])).toEqual([
        ['delivered', 1],
        ['delivered', 1],
      ])
    })

    it.each(['fails', 'is lost'] as const)('the commit of the claim %s: sent once', async (how) => {
      await make(options)
      const { workers } = await world.start()
      await workers.outbox.sweep()
      const rows = await world.store('a', '1', '2')
      world.watched.nextCommit = how
      workers.outbox.push(rows)
      await world.pass(10_000)
      expect(world.platform.bodies('a')).toEqual(['1', '2'])
      expect((await world.deliveries()).map(({ state }) => state)).toEqual(['delivered', 'delivered'])
    })
  })

  it('asks again later, believes what it finds, and gives up what nobody can tell', async () => {
    await make({ findSent: true })
    const { workers } = await world.start()
    world.platform.findings.push({ found: 'later', afterMs: 20_000 }, { found: 'undecided', detail: 'too many' })
    world.platform.script('dropped')
    workers.outbox.push(await world.store('a', '1', '2'))
    await world.pass(FAKE_SETTLE_MS + 1_000)
    expect(world.platform.listCalls('find')).toHaveLength(1)
    await world.pass(15_000)
    expect(world.platform.listCalls('find')).toHaveLength(1)
    await world.pass(10_000)
    expect(await world.deliveries()).toMatchObject([
      { state: 'unknown', dead: 1, reason: 'too many' },
      { state: 'delivered' },
    ])
  })

  it('does not ask before the platform is settled', async () => {
    await make({ findSent: true })
    const { workers } = await world.start()
    world.platform.script('lost')
    workers.outbox.push(await world.store('a', '1'))
    await world.pass(FAKE_SETTLE_MS + 2_000, 50)
    expect(world.platform.listCalls('find')[0]?.atMs).toBeGreaterThanOrEqual(START_MS + FAKE_SETTLE_MS)
  })

  it('a chat is not blocked for ever by a message that can never be found out', async () => {
    await make({ findSent: true })
    const { workers } = await world.start()
    world.platform.script('dropped')
    for (let i = 0; i < 100; i++) world.platform.findings.push({ found: 'later', afterMs: 30 * 60_000 })
    workers.outbox.push(await world.store('a', '1', '2'))
    await world.pass(26 * 60 * 60_000, 80)
    expect(await world.deliveries()).toMatchObject([{ state: 'unknown', dead: 1 }, { state: 'delivered' }])
    expect(world.platform.findings.length).toBeGreaterThan(40)
  })

  it('an edit that was cut off is repeated, also where a send could not be', async () => {
    await make({ edit: true })
    const { workers } = await world.start()
    const [row] = await world.store('a', 'unfinished')
    if (!row) throw new Error('nothing stored')
    workers.outbox.push([row])
    await world.idle()
    await world.database.db.updateTable('delivery').set({ state: 'queued' }).where('id', '=', row.id).execute()
    world.platform.script('lost', 'dropped')
    workers.outbox.wake('a')
    await world.pass(10_000)
    expect(world.platform.shown).toMatchObject([{ edits: 2 }])
    expect(await world.deliveries()).toMatchObject([{ state: 'delivered' }])
  })

  it('an edit that was cut off is not repeated where the message can be changed no more', async () => {
    await make({ edit: true, editAgain: false })
    const { workers } = await world.start()
    const [row] = await world.store('a', 'unfinished')
    if (!row) throw new Error('nothing stored')
    workers.outbox.push([row])
    await world.idle()
    await world.database.db.updateTable('delivery').set({ state: 'queued' }).where('id', '=', row.id).execute()
    world.platform.script('lost')
    workers.outbox.wake('a')
    await world.pass(10_000)
    expect(world.platform.listCalls('edit')).toHaveLength(1)
    expect(await world.deliveries()).toMatchObject([{ state: 'unknown', dead: 1 }])
  })

  it('what replaces a message that is gone is sent as one of its own', async () => {
    await make({ edit: true })
    const { workers } = await world.start()
    const [row] = await world.store('a', 'final text')
    if (!row) throw new Error('nothing stored')
    await world.database.db.updateTable('delivery').set({ platform_message_id: '1' }).where('id', '=', row.id).execute()
    world.platform.script(refused('content_rejected'))
    await workers.outbox.sweep()
    await world.idle()
    expect(world.platform.bodies('a')).toEqual(['final text'])
  })

  it('lists what failed for good, and sends it when it is revived', async () => {
    await make()
    const { workers } = await world.start()
    world.platform.script(refused('content_rejected'))
    workers.outbox.push(await world.store('a', '1', '2'))
    await world.idle()
    const [dead, delivered] = await world.deliveries()
    if (!dead || !delivered) throw new Error('nothing stored')
    expect(await revive(world.database, dead.bot, delivered.id, world.clock.now())).toBe(false)
    expect(await revive(world.database, 'somebody/telegram/1', dead.id, world.clock.now())).toBe(false)
    expect(await revive(world.database, dead.bot, dead.id, world.clock.now())).toBe(true)
    workers.outbox.wake('a')
    await world.idle()
    expect(world.platform.bodies('a')).toEqual(['2', '1'])
    expect(await findDelivery(world.database, dead.bot, dead.id)).toMatchObject({
      state: 'delivered',
      dead: 0,
      code: null,
    })
  })
})
