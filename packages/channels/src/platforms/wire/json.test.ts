import { expect, it } from 'vitest'
import { filled, integer, list, object, objects, parseJson, text } from './json.ts'

const readers: readonly [name: string, read: (value: unknown) => unknown, value: unknown, got: unknown][] = [
  ['object', object, { a: 1 }, { a: 1 }],
  ['object', object, [1], undefined],
  ['object', object, null, undefined],
  ['object', object, '{}', undefined],
  ['list', list, [1, 'a'], [1, 'a']],
  ['list', list, { length: 1 }, []],
  ['objects', objects, [1, { a: 1 }, null, [2]], [{ a: 1 }]],
  ['text', text, '', ''],
  ['text', text, 1, undefined],
  ['filled', filled, ' a ', ' a '],
  ['filled', filled, ' \n', undefined],
  ['filled', filled, '', undefined],
  ['integer', integer, -7, -7],
  ['integer', integer, 2 ** 53, undefined],
  ['integer', integer, 1.5, undefined],
  ['integer', integer, '7', undefined],
  ['integer', integer, Number.NaN, undefined],
]

it.each(readers)('%s reads %3$j as %4$j', (_name, read, value, got) => {
  expect(read(value)).toEqual(got)
})

it.each([
  ['{"a":[1]}', { a: [1] }],
  ['{"id":7435629485716480001,"n":12}', { id: '7435629485716480001', n: 12 }],
  ['[-9007199254740993, 9007199254740991]', ['-9007199254740993', 9_007_199_254_740_991]],
  [
    '{"half":0.1234567890123456,"big":1e300,"is":"1234567890123456789"}',
    { half: 0.1234567890123456, big: 1e300, is: '1234567890123456789' },
  ],
  ['<html>', undefined],
  ['', undefined],
])('parses %s', (source, value) => {
  expect(parseJson(source)).toEqual(value)
})
