import { expect, it } from 'vitest'
import { dropOldest, putNewest } from './newest.ts'

it('drops what was put in longest ago', () => {
  const map = new Map<string, number>()
  for (const key of ['a', 'b', 'a', 'c']) putNewest(map, key, map.size, 2)
  expect([...map.keys()]).toEqual(['a', 'c'])
  const set = new Set(['a', 'b', 'c', 'd'])
  dropOldest(set, 1)
  expect([...set]).toEqual(['d'])
})
