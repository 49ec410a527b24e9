import { expect, it } from 'vitest'
import { createKeyedLimiter, createSemaphore } from './semaphore.ts'

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

it('runs the tasks of one key in order, also after a failure, and other keys at the same time', async () => {
  const limiter = createKeyedLimiter()
  const order: string[] = []
  const first = Promise.withResolvers<void>()
  const failing = limiter.run('a', async () => {
    order.push('a1')
    await first.promise
    throw new Error('a1')
  })
  const next = limiter.run('a', async () => void order.push('a2'))
  await limiter.run('b', async () => void order.push('b'))
  expect(order).toEqual(['a1', 'b'])
  first.resolve()
  await expect(failing).rejects.toThrow('a1')
  await next
  expect(order).toEqual(['a1', 'b', 'a2'])
})

it('resolves when idle, whatever became of the tasks', async () => {
  const limiter = createKeyedLimiter()
  const task = Promise.withResolvers<void>()
  const failing = limiter.run('a', () => task.promise).catch((error: unknown) => error)
  let isIdle = false
  const idle = limiter.whenIdle().then(() => (isIdle = true))
  await new Promise((resolve) => setImmediate(resolve))
  expect(isIdle).toBe(false)
  task.reject(new Error('no'))
  await idle
  expect(await failing).toEqual(new Error('no'))
})
