import { expect, it } from 'vitest'
import { type Fragments, openFragments } from './fragments.ts'
import type { Frame } from './frame.ts'

const piece = (text: string, headers: Readonly<Record<string, string>>): Frame => ({
  seqId: 0n,
  logId: 0n,
  service: 1,
  method: 1,
  headers: new Map(Object.entries(headers)),
  payload: Buffer.from(text),
})
const part = (id: string, seq: number, sum = 2): Readonly<Record<string, string>> => ({
  message_id: id,
  seq: String(seq),
  sum: String(sum),
})
const joined = (fragments: Fragments, frame: Frame, nowMs = 0): string | null =>
  fragments.join(frame, nowMs)?.toString() ?? null

it.each([
  ['says nothing of pieces', {}],
  ['is the only piece', part('a', 0, 1)],
  ['says nonsense of pieces', { sum: 'many', seq: 'x' }],
])('hands on at once what %s', (_what, headers) => {
  expect(joined(openFragments(), piece('whole', headers))).toBe('whole')
})

it('joins pieces in the order of their numbers, and each message for itself', () => {
  const fragments = openFragments()
  expect(joined(fragments, piece('lo', part('a', 1)))).toBeNull()
  expect(joined(fragments, piece('good', part('b', 0)))).toBeNull()
  expect(joined(fragments, piece('hel', part('a', 0)))).toBe('hello')
  expect(joined(fragments, piece('bye', part('b', 1)))).toBe('goodbye')
  expect(joined(fragments, piece('hel', part('a', 0)))).toBeNull()
})

it('counts a piece that comes twice once', () => {
  const fragments = openFragments()
  expect(joined(fragments, piece('hel', part('a', 0)))).toBeNull()
  expect(joined(fragments, piece('HEL', part('a', 0)))).toBeNull()
  expect(joined(fragments, piece('lo', part('a', 1)))).toBe('HELlo')
})

it('forgets after 10 s what did not come together', () => {
  const fragments = openFragments()
  expect(joined(fragments, piece('hel', part('a', 0)), 0)).toBeNull()
  expect(joined(fragments, piece('lo', part('a', 1)), 10_000)).toBeNull()
  expect(joined(fragments, piece('hel', part('a', 0)), 19_999)).toBe('hello')
})

it.each([
  ['its number is beyond the last', part('a', 2)],
  ['it has no number', { message_id: 'a', sum: '2' }],
  ['there are too many', part('a', 0, 1_001)],
])('drops a piece when %s', (_why, headers) => {
  const fragments = openFragments()
  expect(joined(fragments, piece('x', headers))).toBeNull()
  expect(joined(fragments, piece('lo', part('a', 1)))).toBeNull()
})

it('lets the oldest go before more than 16 MB wait', () => {
  const fragments = openFragments()
  const large = 'x'.repeat(4 * 1024 * 1024)
  for (const id of ['a', 'b', 'c', 'd', 'e']) expect(joined(fragments, piece(large, part(id, 0)))).toBeNull()
  expect(joined(fragments, piece('!', part('e', 1)))?.length).toBe(large.length + 1)
  expect(joined(fragments, piece('!', part('a', 1)))).toBeNull()
})
