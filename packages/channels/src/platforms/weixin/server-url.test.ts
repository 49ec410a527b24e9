import { expect, it } from 'vitest'
import { checkedBase, checkedHost } from './server-url.ts'

const REAL = 'https://ilinkai.weixin.qq.com'
const LOCAL = 'http://127.0.0.1:4100'

it.each([
  [`${REAL}/`, REAL, REAL],
  ['https://b.weixin.qq.com/base/', REAL, 'https://b.weixin.qq.com/base'],
  ['https://10.1.2.3/', REAL, null],
  ['not a url', REAL, null],
])('takes %j for a base, when %s is configured: %j', (given, configured, base) => {
  expect(checkedBase(given, configured)).toBe(base)
})

it.each([
  ['b.weixin.qq.com', REAL, 'https://b.weixin.qq.com'],
  ['b.weixin.qq.com:8443', REAL, 'https://b.weixin.qq.com:8443'],
  ['127.0.0.1:9', LOCAL, 'http://127.0.0.1:9'],
  ['127.0.0.1:9', REAL, null],
  ['b.weixin.qq.com/path', REAL, null],
  ['user@b.weixin.qq.com', REAL, null],
  ['', REAL, null],
])('goes on at %j, when %s is configured: %j', (host, configured, base) => {
  expect(checkedHost(host, configured)).toBe(base)
})
