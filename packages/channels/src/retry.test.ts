import { SqlError } from '@gatepost/sql'
import { expect, it } from 'vitest'
import { backoffMs, retryAfter } from './retry.ts'
import { type ChannelRefusal, ConnectionError } from './errors.ts'

it.each([
  [1, 0, 500],
  [1, 1, 1_000],
  [2, 1, 2_000],
  [6, 1, 32_000],
  [7, 1, 60_000],
  [7, 0, 30_000],
  [1_000_000, 1, 60_000],
])('try %i with chance %f waits %i ms', (attempt, chance, ms) => {
  expect(backoffMs(attempt, 1_000, 60_000, () => chance)).toBe(ms)
})

const max = (): number => 1
const least = (): number => 0
const error = (code: ChannelRefusal, retryAfterMs?: number): ConnectionError =>
  new ConnectionError(code, 'why', retryAfterMs === undefined ? {} : { retryAfterMs })

it.each<[failures: number, leastMs: number, mostMs: number]>([
  [1, 500, 1_000],
  [2, 1_000, 2_000],
  [3, 2_000, 4_000],
  [6, 16_000, 32_000],
  [7, 30_000, 60_000],
  [8, 30_000, 60_000],
  [5_000, 30_000, 60_000],
])('waits after %i failures of the network between %i and %i ms', (failures, leastMs, mostMs) => {
  const waits = [least, max].map((random) => retryAfter(error('network'), failures, random))
  expect(waits).toEqual(
    [leastMs, mostMs].map((afterMs) => ({ state: 'backing_off', reason: 'network', message: 'why', afterMs })),
  )
})

it.each<[code: ChannelRefusal, firstMs: number, capMs: number]>([
  ['taken_over', 5_000, 30_000],
  ['configuration', 5_000, 30_000],
  ['rate_limited', 1_000, 60_000],
  ['network', 1_000, 60_000],
])('begins with %s at %i ms and ends at %i ms', (code, firstMs, capMs) => {
  expect(retryAfter(error(code), 1, max)).toMatchObject({ reason: code, afterMs: firstMs })
  expect(retryAfter(error(code), 40, max)).toMatchObject({ reason: code, afterMs: capMs })
})

it('waits as long as the platform asks, but not less than by itself', () => {
  expect(retryAfter(error('rate_limited', 90_000), 1, max)).toMatchObject({ afterMs: 90_000 })
  expect(retryAfter(error('rate_limited', 10), 3, max)).toMatchObject({ afterMs: 4_000 })
})

it('does not try again what only new credentials can mend', () => {
  expect(retryAfter(error('credentials_rejected'), 1, max)).toEqual({
    state: 'rejected',
    reason: 'credentials_rejected',
    message: 'why',
  })
})

it('tries again after a failure of our own, and does not show its words', () => {
  const own = retryAfter(new Error('token 123:abc'), 1, max)
  expect(own).toMatchObject({ state: 'backing_off', reason: 'internal', afterMs: 1_000 })
  const database = retryAfter(new SqlError('database_unavailable', { reason: 'SQLITE_FULL' }), 1, max)
  expect(database).toMatchObject({ state: 'backing_off', reason: 'database_unavailable', afterMs: 1_000 })
  expect(JSON.stringify([own, database])).not.toContain('123:abc')
})
