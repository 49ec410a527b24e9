import { expect, it } from 'vitest'
import { maxValue, linePath, scaleTo, stackedBars, stackedMax, stepAt, timeTicks } from './geometry.ts'
import { toCsv, isQuiet, toRows, parseFilters, toSearch, spanEndingAt } from './traffic.ts'
import type { Traffic } from '../../api/gateway-api.ts'

const HOUR = 3_600_000
const MIDNIGHT = Date.parse('2026-07-01T00:00:00Z')
const BOX = { width: 100, height: 50 }

const scales: readonly [max: number, smallest: number, ticks: readonly number[]][] = [
  [0, 1, [0, 1]],
  [1, 1, [0, 1]],
  [3, 1, [0, 1, 2, 3]],
  [7, 1, [0, 2, 4, 6, 8]],
  [97, 1, [0, 50, 100]],
  [1_000, 1, [0, 500, 1_000]],
  [0.3, 0.001, [0, 0.1, 0.2, 0.30000000000000004]],
]
it.each(scales)('a scale to %d has round ticks', (max, smallest, ticks) => {
  expect(scaleTo(max, 4, smallest)).toEqual({ top: ticks.at(-1), ticks })
})

it('has ticks at round local times', () => {
  const eight = (): number => 8 * HOUR
  const day = timeTicks(MIDNIGHT, MIDNIGHT + 24 * HOUR, 8, eight)
  expect(day.times.map((at) => (at - MIDNIGHT) / HOUR)).toEqual([1, 4, 7, 10, 13, 16, 19, 22])
  expect(day.areDays).toBe(false)
  const month = timeTicks(MIDNIGHT, MIDNIGHT + 30 * 24 * HOUR, 6, eight)
  expect(month.areDays).toBe(true)
  expect(month.times.every((at) => (at + 8 * HOUR) % (24 * HOUR) === 0)).toBe(true)
  // clocks go back by an hour at noon: the ticks stay at midnight
  const changing = (ms: number): number => (ms < MIDNIGHT + 36 * HOUR ? HOUR : 0)
  const days = timeTicks(MIDNIGHT, MIDNIGHT + 72 * HOUR, 3, changing)
  expect(days.times.map((at) => (at - MIDNIGHT) / HOUR)).toEqual([23, 48])
})

it('stacks bars within the box, and keeps small ones visible', () => {
  const series = [
    [4, 0],
    [1, 0.01],
  ]
  expect(stackedBars(series, 5, BOX)).toEqual([
    { series: 0, x: 1.5, y: 10, width: 47, height: 40 },
    { series: 1, x: 1.5, y: 0, width: 47, height: 9 },
    { series: 1, x: 51.5, y: 49, width: 47, height: 1 },
  ])
  expect([stackedMax(series), maxValue(series), stackedMax([]), stackedBars([], 1, BOX)]).toEqual([5, 4, 0, []])
})

it('draws a line through values, and a dot for an isolated one', () => {
  expect(linePath([0, 10, null, 5, null], 10, BOX)).toEqual({ path: 'M10 50L30 0', dots: [{ x: 70, y: 25 }] })
  expect(linePath([null], 10, BOX)).toEqual({ path: '', dots: [] })
})

it('finds the step at a position, also outside the box', () => {
  expect([-5, 0, 49, 51, 100, 999].map((x) => stepAt(x, 100, 2))).toEqual([0, 0, 0, 1, 1, 1])
})

it('ends with the current step, aligned to the local clock', () => {
  const now = MIDNIGHT + 9.1 * HOUR
  const hours = ({ from, to }: { from: number; to: number }): number[] => [
    (from - MIDNIGHT) / HOUR,
    (to - MIDNIGHT) / HOUR,
  ]
  expect(hours(spanEndingAt('24h', now, MIDNIGHT))).toEqual([-14.75, 9.25])
  expect(hours(spanEndingAt('7d', now, MIDNIGHT))).toEqual([12 - 168, 12])
  expect(hours(spanEndingAt('30d', now, MIDNIGHT))).toEqual([24 - 720, 24])
  expect(parseFilters({ span: '2y', by: 7 })).toEqual({ span: '24h', by: 'platform' })
  expect(parseFilters(toSearch({ span: '7d', by: 'outcome' }))).toEqual({ span: '7d', by: 'outcome' })
})

const none = { received: [0, 0], answered: [0, 0], failed: [0, 0], delivered: [0, 0], refused: [0, 0], unknown: [0, 0] }
const TRAFFIC: Traffic = {
  from: MIDNIGHT,
  to: MIDNIGHT + 1.5 * HOUR,
  step_ms: HOUR,
  platforms: [
    { ...none, platform: 'telegram', received: [2, 0], answered: [2, 0], delivered: [3, 0] },
    { ...none, platform: 'discord', received: [1, 1], failed: [0, 1] },
  ],
  answer_ms: [{ p50: 100, p95: 900 }, null],
  totals: {
    received: 4,
    answered: 2,
    failed: 1,
    delivered: 3,
    refused: 0,
    unknown: 0,
    answer_ms: { p50: 100, p95: 900 },
  },
}

it('sums the platforms for each step, up to the end of the range', () => {
  expect(toRows(TRAFFIC)).toMatchObject([
    { received: 3, answered: 2, delivered: 3, p50: 100, p95: 900 },
    { received: 1, failed: 1, p50: null, to: TRAFFIC.to },
  ])
  const quiet = { ...TRAFFIC.totals, received: 0, answered: 0, failed: 0, delivered: 0 }
  expect([isQuiet(TRAFFIC), isQuiet({ ...TRAFFIC, totals: quiet })]).toEqual([false, true])
})

it('writes CSV', () => {
  const [head, first, second, ...rest] = toCsv(TRAFFIC).split('\r\n')
  expect(head).toMatch(/^from,to,received,.*,answer_p95_ms,telegram_received,.*,discord_unknown$/)
  expect(first).toMatch(
    /^2026-07-01T00:00:00\.000Z,2026-07-01T01:00:00\.000Z,3,2,0,3,0,0,100,900,2,2,0,3,0,0,1,0,0,0,0,0$/,
  )
  expect(second).toMatch(/^2026-07-01T01:00:00\.000Z,2026-07-01T01:30:00\.000Z,1,0,1,0,0,0,,,0,/)
  expect(rest).toEqual([''])
})
