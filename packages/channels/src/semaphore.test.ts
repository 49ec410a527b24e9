import { expect, it } from 'vitest'
import { createSemaphore } from './semaphore.ts'

it('runs so many at a time, the others in the order of asking, also after failures', async () => {
  const slots = createSemaphore(2)
  const { signal } = new AbortController()
  const began: number[] = []
  const ends: (() => void)[] = []
  let running = 0
  let max = 0
  const results = Array.from({ length: 6 }, (_, n) =>
    slots.run(async () => {
      began.push(n)
      max = Math.max(max, (running += 1))
      await new Promise<void>((resolve) => ends.push(resolve))
      running -= 1
      if (n % 2 === 0) throw new Error(`${n}`)
      return n
    }, signal),
  )
  const settled = Promise.allSettled(results)
  for (let n = 0; n < 6; n++) {
    await new Promise((resolve) => setImmediate(resolve))
    ends[n]?.()
  }
  expect((await settled).map((result) => (result.status === 'fulfilled' ? result.value : 'failed'))).toEqual([
    'failed',
    1,
    'failed',
    3,
    'failed',
    5,
  ])
  expect([began, max]).toEqual([[0, 1, 2, 3, 4, 5], 2])
  expect(await slots.run(async () => 'free again', signal)).toBe('free again')
})

it('lets go of what waits when its signal aborts, and keeps no slot for it', async () => {
  const slots = createSemaphore(1)
  const busy = Promise.withResolvers<string>()
  const first = slots.run(() => busy.promise, new AbortController().signal)
  const stopping = new AbortController()
  const left = slots.run(async () => 'never', stopping.signal)
  const last = slots.run(async () => 'last', new AbortController().signal)
  stopping.abort()
  expect(await left).toBeNull()
  busy.resolve('first')
  expect([await first, await last]).toEqual(['first', 'last'])
  expect(await slots.run(async () => 'never', stopping.signal)).toBeNull()
  expect(await slots.run(async () => 'free again', new AbortController().signal)).toBe('free again')
})
