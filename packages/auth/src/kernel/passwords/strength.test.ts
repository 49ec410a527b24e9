import { expect, it } from 'vitest'
import { passwordStrength } from './rules.ts'

const HOSTILE = '4@8({[<369&#!1/|0$5+7%2'.repeat(20)

it('is estimated while other requests go on', async () => {
  await passwordStrength('x', [])
  let isDone = false
  const estimated = passwordStrength(HOSTILE, []).then(() => void (isDone = true))
  let turns = 0
  for (; !isDone; turns += 1) await new Promise((resolve) => setImmediate(resolve))
  await estimated
  expect(turns).toBeGreaterThan(10)
})

it('considers only the first 64 characters, since longer ones take seconds', async () => {
  expect(await passwordStrength(`${'a'.repeat(64)}${HOSTILE}`, [])).toBeLessThan(2)
})

it('is less for a text about the owner', async () => {
  expect(await passwordStrength('Xqzvbnrtyk', [])).toBeGreaterThan(2)
  expect(await passwordStrength('Xqzvbnrtyk', ['xqzvbnrtyk'])).toBeLessThan(2)
})
