import { expect, it } from 'vitest'
import { hourCount } from './hour-count.ts'

const HOUR_MS = 60 * 60 * 1_000

it('lets the next send through an hour after the oldest that counts', () => {
  const count = hourCount(2)
  count.note('ann', 1_000)
  expect(count.waitFor('ann', 2_000)).toBe(0)
  count.note('ann', 2_000)
  expect(count.waitFor('ann', 3_000)).toBe(HOUR_MS - 2_000)
  expect(count.waitFor('ben', 3_000)).toBe(0)
  expect(count.waitFor('ann', HOUR_MS + 1_000)).toBe(0)
})

it('does not block a conversation for a day when the clock is set back by one', () => {
  const count = hourCount(1)
  count.note('ann', 25 * HOUR_MS)
  expect(count.waitFor('ann', HOUR_MS)).toBe(0)
})
