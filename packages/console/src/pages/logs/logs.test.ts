import { expect, it, onTestFinished, vi } from 'vitest'
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
import { createBatches } from './log-batches.ts'
import type { LogLine } from '../../api/gateway-api.ts'

const line = (place: number, day = '2026-07-01'): LogLine => ({
  id: `${day}:${place}`,
  time: place,
  level: 'info',
  message: `line ${place}`,
  fields: {},
})
const collectIds = ({ lines }: ShownLog): readonly string[] => lines.map(({ id }) => id)
const newestFirst = (...places: readonly number[]): readonly LogLine[] => places.toReversed().map((at) => line(at))

it('merges pages and new lines in order, without duplicates', () => {
  const first = withNewest(NO_LINES, { items: newestFirst(90, 100), next: '2026-07-01:90' })
  const both = withOlder(withNew(first, [line(100), line(110)]), { items: newestFirst(8, 9), next: null })
  expect(collectIds(both)).toEqual([8, 9, 90, 100, 110].map((at) => `2026-07-01:${at}`))
  expect([first.older, both.older]).toEqual(['2026-07-01:90', null])
  expect(collectIds(withNew(both, [line(0, '2026-07-02'), line(120)])).slice(-2)).toEqual([
    '2026-07-01:120',
    '2026-07-02:0',
  ])
})

it('leaves no hidden gap after a disconnection', () => {
  const before = withNewest(NO_LINES, { items: newestFirst(1, 2), next: null })
  const meeting = withNewest(before, { items: newestFirst(2, 3, 4), next: '2026-07-01:2' })
  expect([collectIds(meeting).length, meeting.older]).toEqual([4, null])
  const apart = withNewest(before, { items: newestFirst(50, 51), next: '2026-07-01:50' })
  expect([collectIds(apart), apart.older]).toEqual([['2026-07-01:50', '2026-07-01:51'], '2026-07-01:50'])
})

it('holds a limited number of lines, and the cursor of older ones', () => {
  const many = Array.from({ length: MOST_LINES + 5 }, (_, at) => line(at + 1))
  const full = withNew(NO_LINES, many)
  expect([full.lines.length, full.older]).toEqual([MOST_LINES, '2026-07-01:6'])
  const waiting = withWaiting(withNew(NO_LINES, [line(0)]), many)
  expect([waiting.lines.length, waiting.waiting.length]).toEqual([1, MOST_LINES])
  expect(withoutWaiting(waiting)).toEqual({ ...full, waiting: [] })
})

it('passes every line on once, also those that arrive while a batch is being shown', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const shown: number[][] = []
  const batches = createBatches<number>(150, (lines) => {
    shown.push([...lines])
    if (shown.length === 1) batches.add(3)
  })
  batches.add(1)
  vi.advanceTimersByTime(149)
  batches.add(2)
  expect(shown).toEqual([])
  vi.advanceTimersByTime(1)
  expect(shown).toEqual([[1, 2]])
  vi.advanceTimersByTime(150)
  expect(shown).toEqual([[1, 2], [3]])
  batches.add(4)
  batches.stop()
  vi.advanceTimersByTime(1_000)
  expect(shown).toEqual([[1, 2], [3]])
})

it('parses filters from any URL, and writes them back', () => {
  const given = parseFilters({ level: 'warn', q: 42, day: '2026-07-01' })
  expect(given).toEqual({ level: 'warn', text: '42', day: '2026-07-01' })
  expect(parseFilters(toSearch(given))).toEqual(given)
  expect(parseFilters({ level: 'loud', q: ['a'], day: 'today' })).toEqual({ level: 'debug', text: '', day: '' })
  expect([toSearch(parseFilters({})), toQuery(parseFilters({}))]).toEqual([{}, {}])
})

it('matches new lines like the service', () => {
  const written: LogLine = { ...line(1), message: 'Channel state', fields: { bot: { name: 'Ada' } } }
  const wanted = (search: Record<string, unknown>): boolean => matchesFilters(written, parseFilters(search))
  expect([{}, { q: 'STATE' }, { q: 'bot name ada' }, { level: 'info' }, { day: '2026-07-01' }].map(wanted)).toEqual(
    Array.from({ length: 5 }, () => true),
  )
  expect([{ q: 'nobody' }, { level: 'warn' }, { day: '2026-07-02' }].map(wanted)).toEqual([false, false, false])
})

it('flattens fields', () => {
  const fields = flattenFields({ ms: 3, none: null, error: { name: 'E', stack: 'E\n at', list: [1, 2] } })
  expect(fields).toEqual([
    ['ms', '3'],
    ['error.name', 'E'],
    ['error.stack', 'E\n at'],
    ['error.list', '[1,2]'],
  ])
  expect(previewFields(fields)).toBe('ms=3  error.name=E  error.list=[1,2]')
})
