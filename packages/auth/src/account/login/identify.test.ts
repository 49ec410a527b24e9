import { expect, it } from 'vitest'
import { type Identified, identify, type LoginMethod } from './password-login.ts'
import { failedLoginKey } from './credentials.ts'

const cases: readonly [
  why: string,
  typed: string,
  methods: readonly LoginMethod[],
  method: Identified['method'],
  identifiers: Identified['identifiers'],
][] = [
  [
    'a user name where there is nothing else',
    'ada@example.org',
    ['username'],
    'username',
    { username: 'ada@example.org' },
  ],
  ['an address where there is nothing else', 'ada', ['email'], 'email', { email: 'ada' }],
  ['a phone where there is nothing else', '+49 30-90 18', ['phone'], 'phone', { phone: '+49309018' }],
  ['what is no phone where there is nothing else', 'ada', ['phone'], 'phone', { phone: 'ada' }],
  [
    'an address by its form, and a user name that looks like one',
    'ada@example.org',
    ['username', 'email'],
    'email',
    { email: 'ada@example.org', username: 'ada@example.org' },
  ],
  ['a user name by its form', 'ada', ['username', 'email'], 'username', { username: 'ada' }],
  [
    'a phone by its form',
    '+49 (30) 901.820',
    ['username', 'phone'],
    'phone',
    { phone: '+4930901820', username: '+49 (30) 901.820' },
  ],
  ['no phone without a plus', '4930901820', ['username', 'phone'], 'username', { username: '4930901820' }],
  ['no phone with a leading 0', '+04930901820', ['username', 'phone'], 'username', { username: '+04930901820' }],
  ['neither form, and no user names', 'ada', ['email', 'phone'], 'email', { email: 'ada' }],
]

it.each(cases)('reads %s', (_why, typed, methods, method, identifiers) => {
  expect(identify(typed, methods)).toEqual({ method, identifiers })
})

it('counts failed logins of all spellings of one identifier together, and of each site and phone by itself', () => {
  const here = { domain: 'id.example.org', name: 'Example' }
  const spellings = ['Ada@Example.org', ' ada@example.org ', 'ＡＤＡ@example.org', 'ada@EXAMPLE.ORG']
  expect(new Set(spellings.map((typed) => failedLoginKey(here, typed)))).toEqual(
    new Set(['id.example.org:ada@example.org']),
  )
  expect(failedLoginKey({ ...here, domain: 'other.example.org' }, 'ada')).not.toBe(failedLoginKey(here, 'ada'))
  expect(failedLoginKey(here, '+4930901820')).not.toBe(failedLoginKey(here, '+4930901821'))
})
