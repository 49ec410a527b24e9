import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import type { Refused } from '../message.ts'
import { openWorld, said, type World } from '../testing/bot-world.ts'
import { AWAIT_MS } from './verdict.ts'

const NEEDED: Refused = { status: 'refused', code: 'no_context', detail: 'the person must write first' }

describe.each(testDatabases)('what only the next message of a person makes possible, on %s', (_name, open) => {
  let world: World
  let refusal: Refused | null = NEEDED
  const make = async (): Promise<World> => {
    refusal = NEEDED
    world = await openWorld(open, { allowance: () => ({ left: null, refused: refusal }) })
    return world
  }
  afterEach(() => world.close())

  it('an answer waits for it, and says why, without asking the platform', async () => {
    await make()
    const { workers } = await world.start()
    await workers.accept([said('hello')], null)
    await world.idle()
    await world.clock.advance(10 * AWAIT_MS)
    await world.idle()
    expect(world.platform.calls).toEqual([])
    expect(await world.deliveries()).toMatchObject([
      { kind: 'reply', state: 'queued', code: 'no_context', reason: NEEDED.detail, attempts: 0, dead: 0 },
    ])
    refusal = null
    await world.clock.advance(AWAIT_MS)
    await world.idle()
    expect(world.platform.shown.map(({ body }) => body)).toEqual(['echo: hello'])
    await workers.stop(AbortSignal.abort())
  })

  it('a notification is refused at once', async () => {
    await make()
    const { workers } = await world.start()
    workers.outbox.push(await world.store('42', 'a reminder'))
    await world.idle()
    expect(await world.deliveries()).toMatchObject([{ state: 'refused', dead: 1, code: 'no_context', attempts: 0 }])
    expect(world.platform.calls).toEqual([])
    await workers.stop(AbortSignal.abort())
  })
})
