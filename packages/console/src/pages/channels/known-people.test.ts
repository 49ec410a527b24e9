import { expect, it } from 'vitest'
import { allowedOf, knownName, matches, type Person } from './known-people.ts'

const person = (id: string, others: Partial<Person> = {}): Person => ({
  user_id: id,
  name: null,
  username: null,
  last_seen_at: 0,
  reachable: true,
  reason: null,
  sends_left: null,
  allowed: true,
  ...others,
})

it('finds people by a part of any of their names', () => {
  const ann = person('u-17', { name: 'Ann Lee', username: 'annlee' })
  expect(['lee', '@ANN', ' 17 ', ''].map((text) => matches(ann, text))).toEqual([true, true, true, true])
  expect(matches(ann, 'milo')).toBe(false)
  expect([ann, person('u-2', { username: 'milo' }), person('u-3')].map(knownName)).toEqual(['Ann Lee', 'milo', 'u-3'])
})

it('guesses the list where the service does not tell it', () => {
  const users = [person('a'), person('b', { allowed: false })]
  expect(allowedOf(['x'], users)).toEqual({ ids: ['x'], isTold: true })
  expect(allowedOf(undefined, users)).toEqual({ ids: ['a'], isTold: false })
  expect(allowedOf(undefined, [person('a')])).toEqual({ ids: [], isTold: false })
})
