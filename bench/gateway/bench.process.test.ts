import { afterAll, beforeAll, expect, it } from 'vitest'
import { formatTable } from '../metrics.ts'
import { measureLatency } from './latency.ts'
import { type LoadProcess, startLoad } from './load-process.ts'
import { parseGatewayOptions } from '../options.ts'
import { measureSixIdle } from './idle.ts'
import { measureStartUp } from './start-up.ts'

let load: LoadProcess
beforeAll(async () => {
  load = await startLoad()
})
afterAll(() => load.stop())

it('measures startup', async () => {
  const metrics = await measureStartUp(load, 1)
  expect(metrics.map(({ name }) => name)).toEqual([
    'ready',
    'first poll answered',
    'baseline: node -e 0',
    'baseline: empty Hono server',
  ])
  for (const { value } of metrics) expect(value).toBeGreaterThan(0)
  expect(formatTable([{ title: 'Startup', metrics }])).toContain('first poll answered')
})

it('measures messages through the service and through the bare bot', async () => {
  const counts = { rounds: 1, warmUp: 2, messages: 5, rateMessages: 5, perSecond: 50 }
  const metrics = await measureLatency(load, counts)
  expect(metrics).toHaveLength(5)
  for (const { value, ratios } of metrics) expect([value > 0, (ratios?.['bare bot'] ?? 0) > 0]).toEqual([true, true])
})

it('measures a service with six platforms', async () => {
  const metrics = await measureSixIdle({ rounds: 1, quietMs: 100 })
  expect(metrics.map(({ name }) => name)).toEqual(['RSS', 'RSS, first start', 'CPU'])
  expect([(metrics[0]?.value ?? 0) > 0, (metrics[1]?.value ?? 0) > 0]).toEqual([true, true])
})

it.each([[['--only', 'speed']], [['--rounds', '0']], [['--unknown']]])('refuses %j', (args) => {
  expect(() => parseGatewayOptions(args)).toThrow(/--only|--rounds|unknown/)
})
