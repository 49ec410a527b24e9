import { expect, it } from 'vitest'
import { createSlots } from './slots.ts'

it('runs so many at a time, the others in the order of asking, also after failures', async () => {
  const slots = createSlots(2)
  const began: number[] = []
  const ends: (() => void)[] = []
  let running = 0
  let most = 0
  const results = Array.from({ length: 6 }, (_, n) =>
    slots.run(async () => {
      began.push(n)
      most = Math.max(most, (running += 1))
      await new Promise<void>((resolve) => ends.push(resolve))
      running -= 1
      if (n % 2 === 0) throw new Error(`${n}`)
      return n
    }),
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
  expect([began, most]).toEqual([[0, 1, 2, 3, 4, 5], 2])
  expect(await slots.run(async () => 'free again')).toBe('free again')
})
