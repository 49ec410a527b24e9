import fc from 'fast-check'
import { expect, it } from 'vitest'
import { liveStamps, readStamps, waitMs, removeStamp, addStamp } from './rate-limits.sql.ts'

const attempts = fc.array(fc.record({ afterMs: fc.nat(400), givesBack: fc.boolean() }), { maxLength: 60 })
const rates = fc.record({ amount: fc.integer({ min: 1, max: 5 }), periodMs: fc.integer({ min: 1, max: 1_000 }) })

it('allows as many as the rate in any window, and returns exactly when the next may pass', () => {
  fc.assert(
    fc.property(rates, attempts, (rate, plan) => {
      let stamps: readonly number[] = []
      let nowMs = 1_000_000
      /** All attempts that were allowed and not given back. */
      let passed: readonly number[] = []
      const inWindow = (atMs: number): number =>
        passed.filter((stamp) => stamp > atMs - rate.periodMs && stamp <= atMs).length
      for (const { afterMs, givesBack } of plan) {
        nowMs += afterMs
        const counted = liveStamps(readStamps(JSON.stringify(stamps)), rate, nowMs)
        const wait = waitMs(counted, rate, nowMs)
        expect(wait === 0).toBe(inWindow(nowMs) < rate.amount)
        if (wait > 0) {
          expect(inWindow(nowMs + wait)).toBeLessThan(rate.amount)
          expect(inWindow(nowMs + wait - 1)).toBe(rate.amount)
          continue
        }
        stamps = addStamp(counted, nowMs)
        if (givesBack) stamps = removeStamp(stamps, nowMs)
        else passed = [...passed, nowMs]
      }
    }),
  )
})

it('keeps the newest first when clocks differ', () => {
  expect(addStamp([30, 20], 25)).toEqual([30, 25, 20])
})

it('gives back one of two of the same time, and nothing that is not there', () => {
  expect(removeStamp([30, 20, 20, 10], 20)).toEqual([30, 20, 10])
  expect(removeStamp([30, 10], 20)).toEqual([30, 10])
})

it('refuses a row that is no list', () => {
  expect(() => readStamps('{}')).toThrow('not a list')
})
