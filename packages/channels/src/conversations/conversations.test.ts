import { testDatabases } from '@gatepost/sql/testing'
import { describe, expect, it } from 'vitest'
import { createSemaphore } from '../semaphore.ts'
import { openWorld, said } from '../testing/bot-world.ts'

describe.each(testDatabases)('conversations on %s', (_name, open) => {
  it('stop although the turns of another bot hold every slot', async () => {
    const turnSemaphore = createSemaphore(1)
    const world = await openWorld(open, { turnSemaphore })
    const elsewhere = Promise.withResolvers<void>()
    const other = turnSemaphore.run(() => elsewhere.promise, new AbortController().signal)
    const { workers } = await world.start()
    await workers.accept([said('hi')], null)
    await world.idle()
    let stopped = false
    const stopping = workers.stop(new AbortController().signal).then(() => (stopped = true))
    await world.idle()
    expect(stopped).toBe(true)
    expect(world.asked).toEqual([])
    elsewhere.resolve()
    await Promise.all([stopping, other])
    const next = await world.start()
    await next.workers.recover()
    await world.idle()
    expect(world.platform.bodies('7')).toEqual(['echo: hi'])
    await world.close()
  })
})
