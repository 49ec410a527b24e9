import { expect, it } from 'vitest'
import { toAllowedList, displayName, matchesPerson, type Person } from './people.ts'

const person = (id: string, others: Partial<Person> = {}): Person => ({
  user_id: id,
  name: null,
  username: null,
  last_seen_at: 0,
  reachable: true,
  reason: null,
  reason_code: null,
  sends_left: null,
  allowed: true,
  ...others,
})

it('finds people by part of a name or ID', () => {
  const ann = person('u-17', { name: 'Ann Lee', username: 'annlee' })
  expect(['lee', '@ANN', ' 17 ', ''].map((text) => matchesPerson(ann, text))).toEqual([true, true, true, true])
  expect(matchesPerson(ann, 'milo')).toBe(false)
  expect([ann, person('u-2', { username: 'milo' }), person('u-3')].map(displayName)).toEqual(['Ann Lee', 'milo', 'u-3'])
})

it('infers the list where the service does not return it', () => {
  const users = [person('a'), person('b', { allowed: false })]
  expect(toAllowedList(['x'], users)).toEqual({ ids: ['x'], isKnown: true })
  expect(toAllowedList(undefined, users)).toEqual({ ids: ['a'], isKnown: false })
  expect(toAllowedList(undefined, [person('a')])).toEqual({ ids: [], isKnown: false })
})
