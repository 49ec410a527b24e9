import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { PlatformLimits, Rate } from '../platform.ts'
import type { Chat } from '../message.ts'
import { manualClock } from '../testing/clock.ts'
import { createPace } from './pace.ts'

const LIMITS: PlatformLimits['pace'] = {
  channel: { count: 30, perMs: 1_000, burst: 30 },
  direct: { count: 1, perMs: 1_000, burst: 3 },
  group: { count: 20, perMs: 60_000, burst: 2 },
}
const A: Chat = { id: 'a', kind: 'direct' }
const B: Chat = { id: 'b', kind: 'direct' }
const G: Chat = { id: 'g', kind: 'group' }

it('gives a burst, then one at a time, and says exactly how long to wait', async () => {
  const clock = manualClock(0)
  const pace = createPace(LIMITS, clock, true)
  expect([pace.take(A), pace.take(A), pace.take(A), pace.take(A)]).toEqual([0, 0, 0, 1_000])
  expect(pace.take(B)).toBe(0)
  await clock.advance(999)
  expect(pace.take(A)).toBe(1)
  await clock.advance(1)
  expect([pace.take(A), pace.take(A)]).toEqual([0, 1_000])
  expect([pace.take(G), pace.take(G), pace.take(G)]).toEqual([0, 0, 3_000])
})

it('holds the bot as a whole to its own rate', () => {
  const pace = createPace(LIMITS, manualClock(0), true)
  const taken = Array.from({ length: 40 }, (_, n) => pace.take({ id: `c${n}`, kind: 'direct' }))
  expect(taken.filter((wait) => wait === 0)).toHaveLength(30)
  expect(pace.budget()).toEqual({ available: 0, perSecond: 30, pausedUntilMs: null })
})

it.each([true, false])('waits when the platform asks for it (own pacing: %s)', async (enabled) => {
  const clock = manualClock(0)
  const pace = createPace(LIMITS, clock, enabled)
  pace.pause(A, 5_000)
  expect([pace.take(A), pace.pausedFor(A), pace.take(B), pace.pausedFor(B)]).toEqual([5_000, 5_000, 0, 0])
  pace.pause(null, 3_000)
  pace.pause(null, 2_000)
  expect([pace.take(A), pace.take(B), pace.budget().pausedUntilMs]).toEqual([5_000, 3_000, 3_000])
  await clock.advance(3_000)
  expect([pace.take(A), pace.take(B), pace.budget().pausedUntilMs]).toEqual([2_000, 0, null])
})

it('does not pace by itself when told not to', () => {
  const pace = createPace(LIMITS, manualClock(0), false)
  expect(Array.from({ length: 500 }, () => pace.take(A))).toEqual(Array.from({ length: 500 }, () => 0))
})

it('stays small with very many chats, and forgets no pause', async () => {
  const clock = manualClock(0)
  const pace = createPace(LIMITS, clock, true)
  pace.pause(A, 10_000_000)
  for (let n = 0; n < 25_000; n++) {
    pace.take({ id: `c${n}`, kind: 'direct' })
    if (n % 5_000 === 0) await clock.advance(61_000)
  }
  expect(pace.take(A)).toBeGreaterThan(9_000_000)
})

it('never gives more than burst and rate allow, in any window', async () => {
  const rate = fc.record({
    count: fc.integer({ min: 1, max: 30 }),
    perMs: fc.integer({ min: 100, max: 60_000 }),
    burst: fc.integer({ min: 1, max: 10 }),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.record({ channel: rate, direct: rate, group: rate }),
      fc.array(fc.tuple(fc.constantFrom(A, B, G), fc.integer({ min: 0, max: 500 })), { maxLength: 150 }),
      async (limits, sends) => {
        const clock = manualClock(0)
        const pace = createPace(limits, clock, true)
        const taken: { chat: Chat; atMs: number }[] = []
        for (const [chat, ms] of sends) {
          await clock.advance(ms)
          const wait = pace.take(chat)
          if (wait === 0) taken.push({ chat, atMs: clock.now() })
          else if (ms % 3 === 0) {
            // who waits as long as told is served, unless the others took it
            await clock.advance(wait)
            expect(pace.take(chat)).toBe(0)
            taken.push({ chat, atMs: clock.now() })
          }
        }
        within(taken, limits.channel)
        for (const chat of [A, B, G]) {
          const own = taken.filter((one) => one.chat === chat)
          within(own, chat.kind === 'group' ? limits.group : limits.direct)
        }
      },
    ),
    { numRuns: 100, seed: 7 },
  )
})

function within(taken: readonly { atMs: number }[], { count, perMs, burst }: Rate): void {
  for (const [first, { atMs: from }] of taken.entries()) {
    for (const [index, { atMs: to }] of taken.slice(first).entries()) {
      // a rounding of the floating point numbers is forgiven
      if (index + 1 > burst + ((to - from) * count) / perMs + 1e-6)
        expect([from, to, index + 1]).toBe('within the rate')
    }
  }
}
