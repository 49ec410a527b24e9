import { expect, it } from 'vitest'
import { createMetrics, observe } from './metrics.ts'

it('counts each value once, under the lowest bound that holds it; one above them all only in the count', () => {
  const { answerMs } = createMetrics()
  for (const value of [0, 5, 5.1, 60_000, 60_001]) observe(answerMs, value)
  const counted = answerMs.bounds
    .map((bound, index) => [bound, answerMs.counts[index]])
    .filter(([, count]) => count !== 0)
  expect(counted).toEqual([
    [5, 2],
    [10, 1],
    [60_000, 1],
  ])
  expect([answerMs.sum, answerMs.count]).toEqual([120_011.1, 5])
})
