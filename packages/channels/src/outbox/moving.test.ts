import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import type { InboundEvent } from '../message.ts'
import { direct, openWorld, type World } from '../testing/bot-world.ts'

const MOVED: InboundEvent = { type: 'chat_moved', key: 'moved', chat: direct('a'), toChatId: 'b' }

describe.each(testDatabases)('a chat that moves during a send on %s', (_name, open) => {
  let world: World
  afterEach(() => world.close())

  it.each([
    ['which can be looked for', { findSent: true }],
    ['which has an idempotency key', { resend: true }],
    ['of which only the platform can tell', {}],
  ])('leaves the send alone, %s', async (_why, options) => {
    world = await openWorld(open, options)
    const { workers } = await world.start()
    await workers.recover()
    world.platform.script('hangs')
    workers.outbox.push(await world.store('a', '1'))
    await world.idle()
    await workers.accept([MOVED], null)
    await workers.recover()
    await world.pass(20_000)
    expect(world.platform.listCalls('send')).toHaveLength(1)
    expect(await world.deliveries()).toMatchObject([{ chat_id: 'b', state: 'sending', dead: 0 }])
    await workers.stop(AbortSignal.abort())
  })
})
