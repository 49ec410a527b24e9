import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { openWorld, type World, type WorldOptions } from '../testing/bot-world.ts'
import { FAKE_SETTLE_MS, refused } from '../testing/fake-platform.ts'

describe.each(testDatabases)('stopping the outbox on %s', (_name, open) => {
  let world: World
  const make = async (options: WorldOptions = {}): Promise<World> => (world = await openWorld(open, options))
  afterEach(() => world.close())

  async function restart(): Promise<void> {
    const { workers } = await world.start()
    await workers.recover()
    await world.pass(2 * FAKE_SETTLE_MS)
  }

  it('waits for a send under way, begins nothing new, and the rest is sent after the restart', async () => {
    await make()
    const { workers } = await world.start()
    let release = (): void => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    world.platform.decide = () => {
      release()
      return 'ok'
    }
    workers.outbox.push(await world.store('a', '1', '2', '3'))
    await held
    const stopped = workers.stop(new AbortController().signal)
    workers.outbox.push(await world.store('b', '4'))
    workers.outbox.wake('b')
    await stopped
    const sent = world.platform.shown.length
    await world.pass(10_000)
    expect(world.platform.shown).toHaveLength(sent)
    expect(world.platform.bodies('b')).toEqual([])
    expect((await world.deliveries()).filter(({ state }) => state === 'sending')).toEqual([])
    await restart()
    expect([world.platform.bodies('a'), world.platform.bodies('b')]).toEqual([['1', '2', '3'], ['4']])
  })

  it('gives up on a send that hangs when the signal says so', async () => {
    await make({ findSent: true })
    const { workers } = await world.start()
    world.platform.script('hangs')
    workers.outbox.push(await world.store('a', '1', '2'))
    await world.idle()
    const patience = new AbortController()
    let stopped = false
    const stopping = workers.stop(patience.signal).then(() => (stopped = true))
    await world.pass(60_000)
    expect(stopped).toBe(false)
    patience.abort()
    await stopping
    await restart()
    expect(world.platform.bodies('a')).toEqual(['1', '2'])
  })

  it('does not take for sent what waited for a free slot', async () => {
    await make()
    const { workers } = await world.start()
    world.platform.decide = () => 'hangs'
    for (let chat = 0; chat < 40; chat++) workers.outbox.push(await world.store(`c${chat}`, 'x'))
    await world.idle()
    expect(world.platform.listCalls('send')).toHaveLength(32)
    await workers.stop(AbortSignal.abort())
    expect(world.platform.listCalls('send')).toHaveLength(32)
    const waiting = (await world.deliveries()).filter(({ state }) => state === 'queued')
    expect(waiting.map(({ attempts }) => attempts)).toEqual(Array.from({ length: 8 }, () => 0))
  })

  it('wakes from a back-off to stop', async () => {
    await make()
    const { workers } = await world.start()
    world.platform.decide = () => refused('rate_limited', { retryAfterMs: 3_600_000 })
    workers.outbox.push(await world.store('a', '1'))
    await world.idle()
    await workers.stop(new AbortController().signal)
    expect(world.clock.sleeping).toBe(0)
    expect(await world.deliveries()).toMatchObject([{ state: 'queued' }])
  })

  it('stops also while the database is away', async () => {
    await make()
    const { workers } = await world.start()
    const rows = await world.store('a', '1', '2')
    world.watched.failing = () => true
    workers.outbox.push(rows)
    await world.pass(5_000)
    await workers.stop(AbortSignal.abort())
    world.watched.failing = null
    await restart()
    expect(world.platform.bodies('a')).toEqual(['1', '2'])
    expect(world.clock.sleeping).toBe(0)
  })
})
