import { expect, it } from 'vitest'
import { baseUrl } from './base-url.ts'

it.each([
  [' https://bots.example/// ', 'https://bots.example'],
  ['http://127.0.0.1:8081/api', 'http://127.0.0.1:8081/api'],
  ['ftp://bots.example', null],
  ['https://user:secret@bots.example', null],
  ['https://bots.example/?a=b', null],
  ['https://bots.example/#a', null],
  ['https://bots.example/a b', null],
  [`https://bots.example/${'x'.repeat(2_000)}`, null],
  ['bots.example', null],
  [7, null],
])('takes %j as %j', (given, base) => {
  expect(baseUrl().safeParse(given).data ?? null).toBe(base)
})
