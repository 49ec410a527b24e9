import { expect, it } from 'vitest'
import {
  flattenFields,
  previewFields,
  MOST_LINES,
  NO_LINES,
  withNew,
  withNewest,
  withOlder,
  withoutWaiting,
  withWaiting,
  type ShownLog,
} from './log-lines.ts'
import { parseFilters, matchesFilters, toQuery, toSearch } from './log-filters.ts'
import type { LogLine } from '../../api/gateway-api.ts'

const line = (place: number, day = '2026-07-01'): LogLine => ({
  id: `${day}:${place}`,
  time: place,
  level: 'info',
  message: `line ${place}`,
  fields: {},
})
const placesOf = ({ lines }: ShownLog): readonly string[] => lines.map(({ id }) => id)
const newestFirst = (...places: readonly number[]): readonly LogLine[] => places.toReversed().map((at) => line(at))

it('puts pages and new lines in order, each line once', () => {
  const first = withNewest(NO_LINES, { items: newestFirst(90, 100), next: '2026-07-01:90' })
  const both = withOlder(withNew(first, [line(100), line(110)]), { items: newestFirst(8, 9), next: null })
  expect(placesOf(both)).toEqual([8, 9, 90, 100, 110].map((at) => `2026-07-01:${at}`))
  expect([first.older, both.older]).toEqual(['2026-07-01:90', null])
  expect(placesOf(withNew(both, [line(0, '2026-07-02'), line(120)])).slice(-2)).toEqual([
    '2026-07-01:120',
    '2026-07-02:0',
  ])
})

it('shows no hole after a time in which nothing was heard', () => {
  const before = withNewest(NO_LINES, { items: newestFirst(1, 2), next: null })
  const meeting = withNewest(before, { items: newestFirst(2, 3, 4), next: '2026-07-01:2' })
  expect([placesOf(meeting).length, meeting.older]).toEqual([4, null])
  const apart = withNewest(before, { items: newestFirst(50, 51), next: '2026-07-01:50' })
  expect([placesOf(apart), apart.older]).toEqual([['2026-07-01:50', '2026-07-01:51'], '2026-07-01:50'])
})

it('keeps some thousand lines, and knows where the others are', () => {
  const many = Array.from({ length: MOST_LINES + 5 }, (_, at) => line(at + 1))
  const full = withNew(NO_LINES, many)
  expect([full.lines.length, full.older]).toEqual([MOST_LINES, '2026-07-01:6'])
  const waiting = withWaiting(withNew(NO_LINES, [line(0)]), many)
  expect([waiting.lines.length, waiting.waiting.length]).toEqual([1, MOST_LINES])
  expect(withoutWaiting(waiting)).toEqual({ ...full, waiting: [] })
})

it('reads filters from an address whatever stands there, and writes them back', () => {
  const given = parseFilters({ level: 'warn', q: 42, day: '2026-07-01' })
  expect(given).toEqual({ level: 'warn', text: '42', day: '2026-07-01' })
  expect(parseFilters(toSearch(given))).toEqual(given)
  expect(parseFilters({ level: 'loud', q: ['a'], day: 'today' })).toEqual({ level: 'debug', text: '', day: '' })
  expect([toSearch(parseFilters({})), toQuery(parseFilters({}))]).toEqual([{}, {}])
})

it('finds a new line as the service would', () => {
  const written: LogLine = { ...line(1), message: 'Channel state', fields: { bot: { name: 'Ada' } } }
  const wanted = (search: Record<string, unknown>): boolean => matchesFilters(written, parseFilters(search))
  expect([{}, { q: 'STATE' }, { q: 'bot name ada' }, { level: 'info' }, { day: '2026-07-01' }].map(wanted)).toEqual(
    Array.from({ length: 5 }, () => true),
  )
  expect([{ q: 'nobody' }, { level: 'warn' }, { day: '2026-07-02' }].map(wanted)).toEqual([false, false, false])
})

it('writes fields out by their names', () => {
  const fields = flattenFields({ ms: 3, none: null, error: { name: 'E', stack: 'E\n at', list: [1, 2] } })
  expect(fields).toEqual([
    ['ms', '3'],
    ['error.name', 'E'],
    ['error.stack', 'E\n at'],
    ['error.list', '[1,2]'],
  ])
  expect(previewFields(fields)).toBe('ms=3  error.name=E  error.list=[1,2]')
})
