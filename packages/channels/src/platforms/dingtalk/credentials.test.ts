import { expect, it } from 'vitest'
import { dingtalkCredentials } from './credentials.ts'
import { parseDingtalkUrl } from './http.ts'

const read = (fields: unknown) => dingtalkCredentials.schema.safeParse(fields)
const words = (fields: unknown): string => read(fields).error?.issues[0]?.message ?? ''

it('trims what was copied', () => {
  expect(read({ client_id: ' dingabc \n', client_secret: '\tse-cr_et ' }).data).toEqual({
    client_id: 'dingabc',
    client_secret: 'se-cr_et',
  })
})

it.each<[why: string, fields: unknown, said: RegExp]>([
  ['no secret', { client_id: 'dingabc', client_secret: '  ' }, /client_secret is empty/],
  ['no text', { client_id: 7, client_secret: 'x' }, /client_id must be a string/],
  ['blanks inside', { client_id: 'ding abc', client_secret: 'x' }, /client_id contains characters/],
  ['quotes around', { client_id: 'dingabc', client_secret: '"x"' }, /client_secret contains characters/],
  ['swapped', { client_id: 'S'.repeat(64), client_secret: 'dingabc12345' }, /swapped/],
])('says what is wrong: %s', (_why, fields, said) => {
  expect(words(fields)).toMatch(said)
})

const API = 'https://api.dingtalk.com'

it.each<[raw: unknown, purpose: 'socket' | 'webhook' | 'file' | 'page', base: string, isTaken: boolean]>([
  ['wss://wss-open-connection.dingtalk.com:443/connect', 'socket', API, true],
  ['https://wss-open-connection.dingtalk.com/connect', 'socket', API, false],
  ['wss://dingtalk.com.evil.example/connect', 'socket', API, false],
  ['https://oapi.dingtalk.com/robot/sendBySession?session=x', 'webhook', API, true],
  ['https://evil.example/robot', 'webhook', API, false],
  ['https://evil.example/scan', 'page', API, false],
  ['https://static.oss.example.com/file?sign=x', 'file', API, true],
  ['http://static.oss.example.com/file', 'file', API, false],
  ['https://10.0.0.8/file', 'file', API, false],
  ['https://robots.example.com/robot', 'webhook', 'https://ding.example.com', true],
  ['ws://127.0.0.1:5000/connect', 'socket', 'http://127.0.0.1:5000', true],
  [undefined, 'file', API, false],
])('takes an address of the platform only where it may lead: %s as %s', (raw, purpose, base, isTaken) => {
  expect(parseDingtalkUrl(raw, purpose, base) !== null).toBe(isTaken)
})
