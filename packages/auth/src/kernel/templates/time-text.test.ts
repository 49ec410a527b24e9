import { expect, it } from 'vitest'
import { formatDuration, createTimeFormatter } from './time-text.ts'

const NOW = Date.UTC(2026, 10, 21, 12)

it.each([
  ['en', 0, 'now'],
  ['en', 59_999, 'now'],
  ['en', -5_000, 'now'],
  ['en', 60_000, '1 minute ago'],
  ['de', 3_599_999, 'vor 59 Minuten'],
  ['en', 3_600_000, '1 hour ago'],
  ['fr', 86_400_000, 'hier'],
  ['en', 6 * 86_400_000, '6 days ago'],
  ['en', 7 * 86_400_000, 'November 14, 2026'],
  ['zh-hans', 7 * 86_400_000, '2026年11月14日'],
])('a time in %s, %d ms ago', (language, ago, text) => {
  expect(createTimeFormatter(language, NOW)(NOW - ago)).toEqual({ iso: new Date(NOW - ago).toISOString(), text })
})

it.each([
  ['en', 1_209_600, '14 days'],
  ['de', 86_400, '1 Tag'],
  ['es', 7_200, '2 horas'],
  ['en', 60, '1 minute'],
  ['en', 59, '59 seconds'],
])('a span in %s of %d s', (language, seconds, text) => {
  expect(formatDuration(language, seconds)).toBe(text)
})
