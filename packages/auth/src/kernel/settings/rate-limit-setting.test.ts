import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseRates, type RatePer } from './rate-limit-setting.ts'

it.each<[text: string, rates: readonly [amount: number, periodMs: number, per: RatePer][]]>([
  ['5/m/user', [[5, 60_000, 'user']]],
  ['1/180s/key', [[1, 180_000, 'key']]],
  [
    '10/m/ip,5/300s/key',
    [
      [10, 60_000, 'ip'],
      [5, 300_000, 'key'],
    ],
  ],
  [
    '10/m , 5/300s/key',
    [
      [10, 60_000, 'ip'],
      [5, 300_000, 'key'],
    ],
  ],
  ['1/0.5h', [[1, 1_800_000, 'ip']]],
  ['3/d', [[3, 86_400_000, 'ip']]],
  ['5/hour', [[5, 3_600_000, 'ip']]],
  ['5/2hours/key', [[5, 7_200_000, 'key']]],
  ['5/30seconds', [[5, 30_000, 'ip']]],
  ['5/minute', [[5, 60_000, 'ip']]],
  ['5/2days', [[5, 172_800_000, 'ip']]],
])('reads %s', (text, rates) => {
  expect(parseRates(text)).toEqual(rates.map(([amount, periodMs, per]) => ({ amount, periodMs, per })))
})

it.each([
  '',
  '5',
  '5/',
  '/m',
  '5/x',
  '5/m/',
  '5/m/host',
  '5/m/ip/ip',
  '-5/m',
  '0/m',
  '5/0s',
  '5/.s',
  '5/m,',
  '1e3/m',
  '5/M',
  '5/400d',
  '5 /m',
  '5/mm',
  '٥/m',
  '9999999999/m',
])('does not read %j', (text) => {
  expect(parseRates(text)).toBeNull()
})

it('reads any text as sane rates or not at all', () => {
  const text = fc.oneof(fc.string(), fc.stringMatching(/^[0-9./smhdipkeyur,]{0,20}$/))
  fc.assert(
    fc.property(text, (written) => {
      for (const { amount, periodMs } of parseRates(written) ?? []) {
        expect(Number.isSafeInteger(amount) && amount >= 1).toBe(true)
        expect(Number.isSafeInteger(periodMs) && periodMs >= 1).toBe(true)
      }
    }),
  )
})
