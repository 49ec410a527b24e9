import { expect, it } from 'vitest'
import { localTime, relativeTime } from './text.ts'

const NOW = Date.UTC(2026, 10, 21, 12, 0, 0)

it.each([
  [0, 'just now'],
  [-4999, 'just now'],
  [-5000, '5 s ago'],
  [-59_999, '59 s ago'],
  [-120_000, '2 min ago'],
  [-3_600_000, '1 h ago'],
  [-86_400_000, '1 day ago'],
  [-3 * 86_400_000, '3 days ago'],
  [1, 'in 1 s'],
  [90_000, 'in 1 min'],
])('%i ms from now is %j', (distance, text) => {
  expect(relativeTime(NOW + distance, NOW)).toBe(text)
})

it('a week away is a date in the zone of the machine', () => {
  const at = new Date(2026, 0, 2, 3, 4).getTime()
  expect(relativeTime(at, NOW)).toBe('2026-01-02 03:04')
  expect(localTime(at)).toBe('2026-01-02 03:04')
})
