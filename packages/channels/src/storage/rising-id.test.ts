import { expect, it } from 'vitest'
import { createRisingId } from './rising-id.ts'

it('rises within one millisecond, past the counter, and when the clock is set back', () => {
  const ids = [
    ...Array.from({ length: 10_000 }, () => createRisingId(2_000_000_000_000)),
    createRisingId(1_000),
    createRisingId(2_000_000_000_900),
  ]
  expect(ids).toEqual(ids.toSorted())
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.filter((id) => !/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toEqual(
    [],
  )
})
