import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { BOT, direct, openWorld, type Process, said, type World, type WorldOptions } from '../testing/bot-world.ts'
import { refused, type Scripted } from '../testing/fake-platform.ts'
import { inlineRenderer } from './renderer.ts'
import { createSender, type Sender } from './sender.ts'

describe.each(testDatabases)('sending without being asked, on %s', (_name, open) => {
  let world: World
  let process: Process
  let sender: Sender
  const make = async (options: WorldOptions = {}): Promise<void> => {
    world = await openWorld(open, options)
    process = await world.start()
    await process.workers.outbox.sweep()
    sender = createSender({
      database: world.database,
      bus: world.bus,
      clock: world.clock,
      renderer: inlineRenderer,
      confirmMs: 10_000,
    })
  }
  afterEach(() => world.close())

  const send = (message: string, userId: string | null, here = true): Promise<string> =>
    sender
      .send({ bot: BOT, platform: world.platform.platform, message, userId, workers: here ? process.workers : null })
      .then(
        () => 'sent',
        (error: { code: string }) => error.code,
      )

  it('sends to the only person known, and asks who is meant when there are several', async () => {
    await make()
    expect(await send('hi', null)).toBe('no_known_users')
    await process.workers.accept([said('x', { chat: direct('7') })], null)
    await process.workers.accept([said('x', { chat: { id: 'g', kind: 'group' }, from: { id: '9' } })], null)
    expect(await send('one', null)).toBe('sent')
    await process.workers.accept([said('x', { chat: direct('8') })], null)
    expect(await send('who?', null)).toBe('user_required')
    expect(await send('two', '8')).toBe('sent')
    expect(world.platform.bodies('8')).toContain('two')
  })

  const endings: readonly [outcome: Scripted, result: string][] = [
    ['ok', 'sent'],
    [refused('recipient_unreachable'), 'delivery_refused'],
    [refused('content_rejected'), 'delivery_refused'],
    ['lost', 'delivery_unknown'],
  ]
  it.each(endings)('tells how it ended: %j is %s', async (outcome, result) => {
    await make()
    world.platform.script(outcome)
    expect(await send('hello', '7')).toBe(result)
  })

  it('says that it is not confirmed yet when that takes too long, and sends it all the same', async () => {
    await make()
    world.platform.script(refused('rate_limited', { retryAfterMs: 20_000 }))
    const result = send('hello', '7')
    await world.pass(11_000)
    expect(await result).toBe('delivery_pending')
    await world.pass(10_000)
    expect(world.platform.bodies('7')).toEqual(['hello'])
    expect(world.clock.sleeping).toBe(0)
  })

  it('is told of what another process has sent by the database', async () => {
    await make()
    const result = send('hello', '7', false)
    await world.idle()
    await process.workers.outbox.sweep()
    await world.pass(1_000)
    expect(await result).toBe('sent')
  })

  it('lets the assistant know what was said', async () => {
    await make()
    await process.workers.accept([said('first')], null)
    await world.idle()
    expect(await send('by the way\0', '7')).toBe('sent')
    await process.workers.accept([said('what?')], null)
    await world.idle()
    expect(world.asked.at(-1)?.messages.map(({ role, text }) => [role, text])).toEqual([
      ['user', 'first'],
      ['assistant', 'echo: first'],
      ['assistant', 'by the way'],
      ['user', 'what?'],
    ])
  })

  it('sends again what failed, once', async () => {
    await make()
    world.platform.script(refused('content_rejected'))
    expect(await send('hello', '7')).toBe('delivery_refused')
    const [row] = await world.deliveries()
    await sender.resend(BOT, row?.id ?? '', process.workers)
    expect(world.platform.bodies('7')).toEqual(['hello'])
    await expect(sender.resend(BOT, row?.id ?? '', process.workers)).rejects.toMatchObject({
      code: 'delivery_not_dead',
    })
    await expect(sender.resend(BOT, 'nothing', process.workers)).rejects.toMatchObject({ code: 'unknown_delivery' })
  })

  it('finds a person among very many', async () => {
    await make()
    const contacts = Array.from({ length: 10_500 }, (_, n) => ({
      bot: BOT,
      user_id: `u${n}`,
      name: null,
      username: null,
      direct_chat_id: `chat-${n}`,
      last_seen_at_ms: n,
      unreachable: null,
    }))
    for (let from = 0; from < contacts.length; from += 1_500)
      await world.database.db
        .insertInto('contact')
        .values(contacts.slice(from, from + 1_500))
        .execute()
    expect(await send('hello', 'u3')).toBe('sent')
    expect(world.platform.bodies('chat-3')).toEqual(['hello'])
  })
})
