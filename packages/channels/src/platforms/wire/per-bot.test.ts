import { expect, it } from 'vitest'
import { perBot } from './per-bot.ts'
import { testIo } from './testing.ts'

it('keeps one thing for each bot of each service', () => {
  const memoryOf = perBot(() => ({ seen: 0 }))
  const [io, other] = [testIo(), testIo()]
  memoryOf(io, 'a').seen = 7
  expect(memoryOf(io, 'a').seen).toBe(7)
  expect(memoryOf(io, 'b').seen).toBe(0)
  expect(memoryOf(other, 'a').seen).toBe(0)
})
