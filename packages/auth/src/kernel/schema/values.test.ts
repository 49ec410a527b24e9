import { describe, expect, it } from 'vitest'
import { AuthError } from '../../errors.ts'
import { isTrue, parseJsonColumn, parseNullableTime, parseTime, timeText } from './values.ts'

const NOON = Date.UTC(2026, 0, 15, 12)

describe('times', () => {
  const read: readonly [text: string | Date, ms: number][] = [
    ['2026-01-15 12:00:00.250999', NOON + 250],
    ['2026-01-15 12:00:00', NOON],
    ['2026-01-15 12:00', NOON],
    ['2026-01-15T12:00:00.5', NOON + 500],
    ['2026-01-15 12:00:00+00', NOON],
    ['2026-01-15 12:00:00.000001+00:00', NOON],
    ['2026-01-15 12:00:00.25Z', NOON + 250],
    ['1969-12-31 23:59:59.000000', -1000],
    [new Date(NOON), NOON],
  ]
  it.each(read)('reads %s', (text, ms) => {
    expect(parseTime(text)).toBe(ms)
    expect(parseNullableTime(text)).toBe(ms)
  })

  it.each(['', 'now', '2026-01-15', '2026-01-15 12:00:00+01', '2026-99-15 12:00:00.0000xx', new Date(Number.NaN)])(
    'refuses %s',
    (text) => {
      expect(() => parseTime(text)).toThrow(AuthError)
    },
  )

  it("writes times in each database's format", () => {
    expect(timeText(NOON + 7, 'sqlite')).toBe('2026-01-15 12:00:00.007000')
    expect(timeText(NOON + 7, 'postgres')).toBe('2026-01-15 12:00:00.007000+00')
    expect(parseNullableTime(null)).toBeNull()
  })
})

it('reads the booleans of both databases', () => {
  expect([true, 1, false, 0, null, 'true'].map(isTrue)).toEqual([true, true, false, false, false, false])
})

it('reads the JSON of both databases', () => {
  expect(parseJsonColumn('{"a":[1]}', 'sqlite')).toEqual({ a: [1] })
  expect(parseJsonColumn('text', 'postgres')).toBe('text')
  expect(() => parseJsonColumn('{', 'sqlite')).toThrow(AuthError)
})
