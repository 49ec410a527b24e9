import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { openWorld, said, START_MS, type World, type WorldOptions } from '../testing/bot-world.ts'
import { refused, type Scripted } from '../testing/fake-platform.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

describe.each(testDatabases)('the outbox on %s', (_name, open) => {
  let world: World
  const make = async (options: WorldOptions = {}): Promise<World> => (world = await openWorld(open, options))
  afterEach(() => world.close())

  it('sends the deliveries of one chat in order and those of other chats meanwhile', async () => {
    await make()
    const { workers } = await world.start()
    world.platform.decide = (part) => (part.chat.id === 'a' ? 'hangs' : 'ok')
    const rows = [...(await world.store('a', '1', '2', '3')), ...(await world.store('b', '4', '5'))]
    workers.outbox.push(rows)
    await world.idle()
    expect(world.platform.bodies('a')).toEqual([])
    expect(world.platform.bodies('b')).toEqual(['4', '5'])
    await workers.stop(AbortSignal.abort())
  })

  it('finds what waits in the database, in order, whatever is pushed before it has looked', async () => {
    await make()
    const { workers } = await world.start()
    const old = await world.store('a', 'old 1', 'old 2')
    const fresh = await world.store('a', 'new')
    workers.outbox.push(fresh)
    await workers.outbox.sweep()
    await world.idle()
    expect(world.platform.bodies('a')).toEqual(['old 1', 'old 2', 'new'])
    expect(old).toHaveLength(2)
  })

  const endings: readonly [why: string, outcomes: readonly Scripted[], passMs: number, end: object][] = [
    ['network: tries again', [refused('network'), refused('network')], 5_000, { state: 'delivered', attempts: 3 }],
    ['taken_over: waits and tries again', [refused('taken_over')], 2 * MINUTE, { state: 'delivered', attempts: 2 }],
    [
      'recipient_unreachable: final',
      [refused('recipient_unreachable')],
      0,
      { state: 'refused', dead: 1, code: 'recipient_unreachable', attempts: 1 },
    ],
    ['configuration: final', [refused('configuration')], 0, { state: 'refused', dead: 1, code: 'configuration' }],
    ['content_rejected: final', [refused('content_rejected')], 0, { state: 'refused', dead: 1 }],
    ['markup_rejected: plain', [refused('markup_rejected')], 0, { state: 'delivered', attempts: 2, code: null }],
    [
      'markup_rejected even when plain: final',
      [refused('markup_rejected'), refused('markup_rejected')],
      0,
      { state: 'refused', dead: 1, attempts: 2 },
    ],
    ['reply_target_gone without a reply: final', [refused('reply_target_gone')], 0, { state: 'refused', dead: 1 }],
    ['chat_moved to nowhere: final', [refused('chat_moved')], 0, { state: 'refused', dead: 1, code: 'chat_moved' }],
    [
      'no answer, nothing to find out with: unknown, for a person to decide',
      ['lost'],
      0,
      { state: 'unknown', dead: 1, attempts: 1 },
    ],
    ['an error thrown by the connection is no answer', [new Error('bug')], 0, { state: 'unknown', dead: 1 }],
  ]
  it.each(endings)('%s', async (_why, outcomes, passMs, end) => {
    await make()
    const { workers } = await world.start()
    world.platform.script(...outcomes)
    workers.outbox.push(await world.store('a', 'hello'))
    await world.idle()
    if (passMs > 0) await world.pass(passMs)
    expect(await world.deliveries()).toMatchObject([end])
    // what comes after it in the chat is not held up
    if (!outcomes.includes(refused('recipient_unreachable'))) {
      workers.outbox.push(await world.store('a', 'next'))
      await world.pass(MINUTE)
      expect(world.platform.bodies('a').at(-1)).toBe('next')
    }
  })

  it('sends plain text when the markup is refused, and no longer as an answer when its message is gone', async () => {
    await make()
    const { workers } = await world.start()
    await workers.accept([said('hi', { chat: { id: 'g', kind: 'group' } })], null)
    world.platform.script(refused('markup_rejected'), refused('reply_target_gone'))
    await world.idle()
    const calls = world.platform.listCalls('send')
    expect(calls.map((call) => call.plain)).toEqual([calls[0]?.plain, true, true])
    expect(world.platform.shown).toMatchObject([{ body: 'echo: hi', replyTo: null }])
  })

  it('waits as long as the platform asks, in order, and the bot as a whole when two chats are limited', async () => {
    await make()
    const { workers } = await world.start()
    const limited = refused('rate_limited', { retryAfterMs: 10_000 })
    world.platform.script(limited)
    workers.outbox.push(await world.store('a', '1', '2'))
    await world.idle()
    workers.outbox.push(await world.store('c', 'meanwhile'))
    await world.pass(9_000)
    expect(world.platform.shown.map(({ body }) => body)).toEqual(['meanwhile'])
    await world.pass(2_000)
    expect(world.platform.bodies('a')).toEqual(['1', '2'])
    expect(world.metrics.deliveries).toMatchObject({ delivered: 3, refused: 0, unknown: 0, retried: 1 })

    world.platform.script(limited, limited)
    workers.outbox.push([...(await world.store('a', '3')), ...(await world.store('b', '4'))])
    await world.idle()
    workers.outbox.push(await world.store('c', '5'))
    await world.pass(9_000)
    expect(world.platform.bodies('c')).toEqual(['meanwhile'])
    await world.pass(2_000)
    expect(world.platform.shown.map(({ body }) => body).toSorted()).toEqual(['1', '2', '3', '4', '5', 'meanwhile'])
  })

  it('moves with the chat: what waits is sent to the new id', async () => {
    await make()
    const { workers } = await world.start()
    world.platform.decide = (part) => (part.chat.id === 'old' ? refused('chat_moved', { toChatId: 'new' }) : 'ok')
    workers.outbox.push(await world.store('old', '1', '2'))
    await world.pass(10_000)
    expect(world.platform.bodies('new')).toEqual(['1', '2'])
  })

  it('does not chase a chat that moves in a circle without pause, and gives up', async () => {
    await make()
    const { workers } = await world.start()
    world.platform.decide = (part) => refused('chat_moved', { toChatId: part.chat.id === 'a' ? 'b' : 'a' })
    workers.outbox.push(await world.store('a', 'hello'))
    await world.pass(10_000)
    expect(world.platform.listCalls('send').length).toBeLessThan(10)
    await world.pass(25 * HOUR, 100)
    expect(await world.deliveries()).toMatchObject([{ state: 'refused', dead: 1 }])
  })

  it('marks the person who cannot be reached and refuses what waits for that chat', async () => {
    await make()
    const { workers } = await world.start()
    await workers.accept([said('hi', { chat: { id: 'a', kind: 'direct' } })], null)
    await world.idle()
    world.platform.script(refused('recipient_unreachable'))
    workers.outbox.push(await world.store('a', '1', '2', '3'))
    await world.idle()
    expect(world.platform.bodies('a')).toEqual(['echo: hi'])
    expect((await world.deliveries()).slice(1).map(({ state, dead }) => [state, dead])).toEqual([
      ['refused', 1],
      ['refused', 1],
      ['refused', 1],
    ])
    const [contact] = await world.database.db.selectFrom('contact').selectAll().execute()
    expect(contact?.unreachable).toBe('scripted: recipient_unreachable')
    // writing again makes the person reachable again
    await workers.accept([said('back', { chat: { id: 'a', kind: 'direct' } })], null)
    await world.idle()
    expect(world.platform.bodies('a')).toEqual(['echo: hi', 'echo: back'])
  })

  it('holds everything when the credentials are rejected, and loses nothing', async () => {
    await make()
    const first = await world.start()
    world.platform.decide = () => refused('credentials_rejected')
    first.workers.outbox.push([...(await world.store('a', '1', '2')), ...(await world.store('b', '3'))])
    await world.idle()
    await first.workers.outbox.sweep()
    first.workers.outbox.push(await world.store('c', '4'))
    await world.idle()
    expect(first.rejected.length).toBeGreaterThan(0)
    expect(world.platform.listCalls('send').length).toBeLessThanOrEqual(2)
    world.platform.decide = null
    const second = await world.start()
    await second.workers.recover()
    await world.idle()
    expect(['a', 'b', 'c'].map((chat) => world.platform.bodies(chat))).toEqual([['1', '2'], ['3'], ['4']])
  })

  it('backs off up to a minute, and gives up after a day', async () => {
    await make()
    const { workers } = await world.start()
    world.platform.decide = () => refused('network')
    workers.outbox.push(await world.store('a', 'hello'))
    await world.pass(20 * MINUTE, 600)
    const times = world.platform.listCalls('send').map((call) => call.atMs)
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0))
    expect(gaps.slice(0, 4).every((gap, index) => gap <= 1_000 * 2 ** index + 2_000)).toBe(true)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(62_000)
    expect(Math.min(...gaps.slice(10))).toBeGreaterThanOrEqual(28_000)
    await world.pass(24 * HOUR, 60)
    expect(await world.deliveries()).toMatchObject([{ state: 'refused', dead: 1, code: 'network' }])
    expect((await world.deliveries())[0]?.updated_at_ms).toBeGreaterThan(START_MS + 24 * HOUR)
    const [only] = await world.deliveries()
    expect(world.platform.listCalls('send')).toHaveLength(only?.attempts ?? 0)
  })
})
