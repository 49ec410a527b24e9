import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Figure } from '../figures.ts'
import { measureApi } from './api.ts'
import { measureBusy } from './busy.ts'
import { measureChecks } from './checks.ts'
import { measureJwt } from './jwt.ts'
import { measureLogins } from './logins.ts'
import { measureMemory } from './memory.ts'
import { readOptions } from './options.ts'
import { type Site, siteWith } from './site.ts'
import { measureStartUp } from './start-up.ts'
import { measureTiming } from './timing.ts'

let few: Site
beforeAll(async () => {
  few = await siteWith({ users: 5, sessions: 10 })
})
afterAll(() => few.remove())

const values = (figures: readonly Figure[]): readonly number[] => figures.map(({ value }) => value)

it('measures checks on two sites against the floor', async () => {
  const many = await siteWith({ users: 10, sessions: 40 })
  try {
    const figures = await measureChecks(few, many, { rounds: 1, checks: 20, pages: 2, profile: null })
    expect(figures.map(({ name }) => name)).toContain('check, 40 sessions')
    expect(Math.min(...values(figures))).toBeGreaterThan(0)
  } finally {
    await many.remove()
  }
})

it('measures the JSON API against the floor and its flows', async () => {
  const figures = await measureApi(few, { rounds: 1, sessions: 20, logins: 5, profile: null })
  expect(figures).toHaveLength(6)
  expect(Math.min(...values(figures))).toBeGreaterThan(0)
})

it('measures logins with and without their hash', async () => {
  const figures = await measureLogins(few, { rounds: 1, cheap: 5, whole: 2, profile: null })
  expect(figures).toHaveLength(4)
  expect(Math.min(...values(figures))).toBeGreaterThan(0)
})

it('measures checks of tokens, and says against what', async () => {
  const figures = await measureJwt({ rounds: 1, checks: 20 })
  expect(figures.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['HS256: check / bare', 'RS256: check / bare']),
  )
  expect(Math.min(...values(figures))).toBeGreaterThan(0)
})

it('measures checks among logins', async () => {
  expect(Math.min(...values(await measureBusy(few, { rounds: 1, checks: 5 })))).toBeGreaterThan(0)
})

it('measures what time tells of who has an account', async () => {
  const figures = await measureTiming({ rounds: 1, answers: 2 })
  expect(figures).toHaveLength(12)
  for (const { name, value } of figures) {
    if (name.endsWith('known is slower')) expect(value).toBeLessThanOrEqual(1)
    else expect(value).toBeGreaterThanOrEqual(1)
  }
})

it('measures the start and the memory', async () => {
  expect(Math.min(...values(await measureStartUp(few, 1)))).toBeGreaterThan(0)
  expect(Math.min(...values(await measureMemory(few, 101)))).toBeGreaterThan(0)
})

it.each([[['--only', 'speed']], [['--rounds', '0']], [['--unknown']]])('refuses %j', (args) => {
  expect(() => readOptions(args)).toThrow(/--only|--rounds|unknown/)
})
