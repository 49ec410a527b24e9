import { expect, it } from 'vitest'
import { type Filters, parseFilters, NO_FILTERS, toQuery, toSearch } from './filters.ts'

const cases: readonly [why: string, search: Readonly<Record<string, unknown>>, filters: Partial<Filters>][] = [
  ['no filters', {}, {}],
  [
    'all filters',
    { q: 'a b', platform: 'wecom', kind: 'group', state: 'failed' },
    { q: 'a b', platform: 'wecom', kind: 'group', state: 'failed' },
  ],
  ['the router parses 42 as a number', { q: 42 }, { q: '42' }],
  ['invalid values are left out', { q: {}, platform: 'irc', kind: ['group'], state: 'constructor' }, {}],
  ['a text beyond the limit is cut', { q: 'x'.repeat(300) }, { q: 'x'.repeat(200) }],
]
it.each(cases)('%s', (_why, search, filters) => {
  expect(parseFilters(search)).toEqual({ ...NO_FILTERS, ...filters })
})
it('round-trips through the URL', () => {
  const filters: Filters = { q: 'to be ', platform: '', kind: 'direct', state: '' }
  expect(toSearch(filters)).toEqual({ q: 'to be ', kind: 'direct' })
  expect(parseFilters(toSearch(filters))).toEqual(filters)
})
it('sends no search text for spaces only', () => {
  expect(toQuery({ ...NO_FILTERS, q: '  ' })).toEqual({})
  expect(toQuery({ ...NO_FILTERS, q: ' a ', state: 'waiting' })).toEqual({ q: 'a', state: 'waiting' })
})
