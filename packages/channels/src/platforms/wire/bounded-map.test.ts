import { expect, it } from 'vitest'
import { dropOldest, createPerBotState, putNewest } from './bounded-map.ts'
import { testIo } from './testing.ts'

it('drops what was put in longest ago', () => {
  const map = new Map<string, number>()
  for (const key of ['a', 'b', 'a', 'c']) putNewest(map, key, map.size, 2)
  expect([...map.keys()]).toEqual(['a', 'c'])
  const set = new Set(['a', 'b', 'c', 'd'])
  dropOldest(set, 1)
  expect([...set]).toEqual(['d'])
})

it('keeps one thing for each bot of each service', () => {
  const getBotMemory = createPerBotState(() => ({ seen: 0 }))
  const [io, other] = [testIo(), testIo()]
  getBotMemory(io, 'a').seen = 7
  expect(getBotMemory(io, 'a').seen).toBe(7)
  expect(getBotMemory(io, 'b').seen).toBe(0)
  expect(getBotMemory(other, 'a').seen).toBe(0)
})
