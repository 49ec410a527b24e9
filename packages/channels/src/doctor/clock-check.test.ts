import { expect, it } from 'vitest'
import { manualClock } from '../testing/clock.ts'
import { watchClock } from './clock-check.ts'

const NOW = Date.parse('2026-11-21T12:00:00.000Z')
const at = (offsetS: number): string => new Date(NOW + offsetS * 1_000).toUTCString()

const cases: readonly [why: string, headers: Record<string, string>, status: string | undefined][] = [
  ['the same time', { date: at(0) }, 'pass'],
  ['a minute apart', { date: at(60) }, 'pass'],
  ['two minutes apart', { date: at(-120) }, 'fail'],
  ['no time', {}, undefined],
  ['a time that is none', { date: 'soon' }, undefined],
  ['the time at which a cache got what it has kept', { date: at(-7_200), age: '7200' }, undefined],
]
it.each(cases)('tells whether the clock is right by an answer with %s', async (_why, headers, status) => {
  const watch = watchClock(async () => new Response('', { headers }), manualClock(NOW))
  await watch.fetch('https://example.org')
  expect(watch.check()[0]?.status).toBe(status)
})
