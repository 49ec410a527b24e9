import { expect, it } from 'vitest'
import { backoffMs } from './backoff.ts'

it.each([
  [1, 0, 500],
  [1, 1, 1_000],
  [2, 1, 2_000],
  [6, 1, 32_000],
  [7, 1, 60_000],
  [7, 0, 30_000],
  [1_000_000, 1, 60_000],
])('try %i with chance %f waits %i ms', (attempt, chance, ms) => {
  expect(backoffMs(attempt, 1_000, 60_000, () => chance)).toBe(ms)
})
