import { expect, it } from 'vitest'
import { allowsScope, neededScopes, type TokenScope } from './token-guards.ts'

const BY_METHOD = { GET: 'notes:read', POST: [['notes:write'], ['admin', 'notes:read']] } as const

const cases: readonly (readonly [
  why: string,
  scope: TokenScope,
  method: string,
  granted: readonly string[],
  isAllowed: boolean,
])[] = [
  ['one scope', 'notes:read', 'GET', ['notes:read'], true],
  ['one scope that is missing', 'notes:read', 'GET', ['notes:write'], false],
  ['a scope whose beginning is granted', 'notes:read', 'GET', ['notes'], false],
  ['all of a list', ['a', 'b'], 'GET', ['b', 'c', 'a'], true],
  ['a part of a list', ['a', 'b'], 'GET', ['a'], false],
  ['an empty list: any token', [], 'GET', [], true],
  ['one of several groups', [['a', 'b'], ['c']], 'GET', ['c'], true],
  [
    'parts of several groups',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
    'GET',
    ['a', 'c'],
    false,
  ],
  ['the method', BY_METHOD, 'GET', ['notes:read'], true],
  ['a method with groups', BY_METHOD, 'POST', ['admin', 'notes:read'], true],
  ['a method with other scopes', BY_METHOD, 'POST', ['notes:read'], false],
  ['HEAD as GET', BY_METHOD, 'HEAD', ['notes:read'], true],
  ['HEAD if listed', { ...BY_METHOD, HEAD: 'other' }, 'HEAD', ['notes:read'], false],
  ['a method that is not there', BY_METHOD, 'DELETE', ['notes:read', 'notes:write', 'admin'], false],
  ['a method that every object has', BY_METHOD, 'constructor', ['notes:read'], false],
]

it.each(cases)('judges %s', (_why, scope, method, granted, isAllowed) => {
  expect(allowsScope(scope, method, granted)).toBe(isAllowed)
})

it('names the scopes that suffice', () => {
  expect(neededScopes(BY_METHOD, 'POST')).toEqual(['notes:write'])
  expect(neededScopes(['a', 'b'], 'GET')).toEqual(['a', 'b'])
  expect(neededScopes(BY_METHOD, 'PATCH')).toEqual([])
})
