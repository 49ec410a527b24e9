import { expect, it } from 'vitest'
import { clockOf, formatOf } from './format.ts'

it.each([
  [-1, '0:00'],
  [999, '0:00'],
  [299_000, '4:59'],
  [3_600_000, '1:00:00'],
  [7_199_999, '1:59:59'],
])('shows what is left as clocks do: %i ms', (ms, text) => {
  expect(clockOf(ms)).toBe(text)
})

const LATE = Date.UTC(2026, 0, 31, 23, 30)
const NEXT_MORNING = Date.UTC(2026, 1, 1, 8, 0)

it.each([
  ['en-GB', 'Europe/London', '31 Jan, 23:30'],
  ['en-GB', 'Asia/Shanghai', '07:30'],
  ['zh-CN', 'Asia/Shanghai', '07:30'],
  ['zh-CN', 'America/New_York', '1月31日 18:30'],
])('writes times in the language of the page and in the zone of the viewer: %s, %s', (tag, zone, text) => {
  expect(formatOf(tag, zone).time(LATE, NEXT_MORNING)).toBe(text)
})
