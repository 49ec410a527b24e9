import { expect, it } from 'vitest'
import { createFormat, machineTime } from './format.ts'

it('shows a dash for an invalid time, as platforms may send', () => {
  const format = createFormat('en', 'UTC')
  for (const none of [Number.NaN, 1e18, -1e18, Number.POSITIVE_INFINITY]) {
    expect([format.time(none, 0), format.exact(none), format.day(none), format.relative(none, 0)]).toEqual(
      Array.from({ length: 4 }, () => '—'),
    )
    expect(machineTime(none)).toBeUndefined()
  }
  expect([format.time(0, 0), machineTime(0)]).toEqual(['00:00', '1970-01-01T00:00:00.000Z'])
})
