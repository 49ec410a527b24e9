import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Metric } from '../metrics.ts'
import { measureApi } from './api.ts'
import { measureChecksDuringLogins, measureLogins } from './logins.ts'
import { measureChecks } from './checks.ts'
import { measureJwt } from './tokens.ts'
import { measureMemory, measureStartUp } from './start-and-memory.ts'
import { parseAuthOptions } from '../options.ts'
import { type Site, createSite } from './site.ts'
import { measureTiming } from './timing.ts'

let few: Site
beforeAll(async () => {
  few = await createSite({ users: 5, sessions: 10 })
})
afterAll(() => few.remove())

const values = (metrics: readonly Metric[]): readonly number[] => metrics.map(({ value }) => value)

it('measures checks on two sites against the baseline', async () => {
  const many = await createSite({ users: 10, sessions: 40 })
  try {
    const metrics = await measureChecks(few, many, { rounds: 1, checks: 20, pages: 2, profile: null })
    expect(metrics.map(({ name }) => name)).toContain('session check, 40 sessions')
    expect(Math.min(...values(metrics))).toBeGreaterThan(0)
  } finally {
    await many.remove()
  }
})

it('measures the JSON API against the baseline and its flows', async () => {
  const metrics = await measureApi(few, { rounds: 1, sessions: 20, logins: 5, profile: null })
  expect(metrics).toHaveLength(6)
  expect(Math.min(...values(metrics))).toBeGreaterThan(0)
})

it('measures logins with and without their password hash', async () => {
  const metrics = await measureLogins(few, { rounds: 1, cheap: 5, whole: 2, profile: null })
  expect(metrics).toHaveLength(4)
  expect(Math.min(...values(metrics))).toBeGreaterThan(0)
})

it('measures token checks and names their baselines', async () => {
  const metrics = await measureJwt({ rounds: 1, checks: 20 })
  expect(metrics.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['HS256: check / jose', 'RS256: check / jose']),
  )
  expect(Math.min(...values(metrics))).toBeGreaterThan(0)
})

it('measures checks during logins', async () => {
  expect(Math.min(...values(await measureChecksDuringLogins(few, { rounds: 1, checks: 5 })))).toBeGreaterThan(0)
})

it('measures whether timing reveals who has an account', async () => {
  const metrics = await measureTiming({ rounds: 1, answers: 2 })
  expect(metrics).toHaveLength(12)
  for (const { name, value } of metrics) {
    if (name.endsWith('known account is slower')) expect(value).toBeLessThanOrEqual(1)
    else expect(value).toBeGreaterThanOrEqual(1)
  }
})

it('measures startup time and memory', async () => {
  expect(Math.min(...values(await measureStartUp(few, 1)))).toBeGreaterThan(0)
  expect(Math.min(...values(await measureMemory(few, 101)))).toBeGreaterThan(0)
})

it.each([[['--only', 'speed']], [['--rounds', '0']], [['--unknown']]])('rejects %j', (args) => {
  expect(() => parseAuthOptions(args)).toThrow(/--only|--rounds|unknown/)
})
