import { expect, it } from 'vitest'
import { type Filters, parseFilters, NO_FILTERS, toQuery, toSearch } from './filters.ts'

const cases: readonly [why: string, search: Readonly<Record<string, unknown>>, filters: Partial<Filters>][] = [
  ['nothing is asked for', {}, {}],
  [
    'everything is',
    { q: 'a b', platform: 'wecom', kind: 'group', state: 'failed' },
    { q: 'a b', platform: 'wecom', kind: 'group', state: 'failed' },
  ],
  ['an address says 42 as a number', { q: 42 }, { q: '42' }],
  ['what it cannot ask for is left out', { q: {}, platform: 'irc', kind: ['group'], state: 'constructor' }, {}],
  ['words beyond what the service takes are cut', { q: 'x'.repeat(300) }, { q: 'x'.repeat(200) }],
]
it.each(cases)('%s', (_why, search, filters) => {
  expect(parseFilters(search)).toEqual({ ...NO_FILTERS, ...filters })
})
it('comes back from the address that it makes', () => {
  const filters: Filters = { q: 'to be ', platform: '', kind: 'direct', state: '' }
  expect(toSearch(filters)).toEqual({ q: 'to be ', kind: 'direct' })
  expect(parseFilters(toSearch(filters))).toEqual(filters)
})
it('asks for no words where there are only spaces', () => {
  expect(toQuery({ ...NO_FILTERS, q: '  ' })).toEqual({})
  expect(toQuery({ ...NO_FILTERS, q: ' a ', state: 'waiting' })).toEqual({ q: 'a', state: 'waiting' })
})
