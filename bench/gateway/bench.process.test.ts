import { afterAll, beforeAll, expect, it } from 'vitest'
import { tableText } from '../figures.ts'
import { measureLatency } from './latency.ts'
import { type LoadProcess, startLoad } from './load-process.ts'
import { readOptions } from './options.ts'
import { measureSixIdle } from './six-idle.ts'
import { measureStartUp } from './start-up.ts'

let load: LoadProcess
beforeAll(async () => {
  load = await startLoad()
})
afterAll(() => load.stop())

it('measures the start', async () => {
  const figures = await measureStartUp(load, 1)
  expect(figures.map(({ name }) => name)).toEqual([
    'ready',
    'first poll answered',
    'peer: node -e 0',
    'peer: empty Hono server',
  ])
  for (const { value } of figures) expect(value).toBeGreaterThan(0)
  expect(tableText([{ title: 'Start', figures }])).toContain('first poll answered')
})

it('measures the way of a message through the service and through the bare bot', async () => {
  const counts = { rounds: 1, warmUp: 2, messages: 5, rateMessages: 5, perSecond: 50 }
  const figures = await measureLatency(load, counts)
  expect(figures).toHaveLength(5)
  for (const { value, ratios } of figures) expect([value > 0, (ratios?.['bare bot'] ?? 0) > 0]).toEqual([true, true])
})

it('measures a service with six platforms', async () => {
  const figures = await measureSixIdle({ rounds: 1, quietMs: 100 })
  expect(figures.map(({ name }) => name)).toEqual(['resident memory', 'resident memory, first start', 'processor'])
  expect([(figures[0]?.value ?? 0) > 0, (figures[1]?.value ?? 0) > 0]).toEqual([true, true])
})

it.each([[['--only', 'speed']], [['--rounds', '0']], [['--unknown']]])('refuses %j', (args) => {
  expect(() => readOptions(args)).toThrow(/--only|--rounds|unknown/)
})
