import { expect, it } from 'vitest'
import { checkedHost, checkedUrl } from './server-url.ts'

const REAL = 'https://ilinkai.weixin.qq.com'
const LOCAL = 'http://127.0.0.1:4100'

it.each([
  'https://other.weixin.qq.com/x?y=1',
  'https://93.184.216.34/x',
  'https://[2606:2800:220:1::1]/x',
  `${REAL}/ilink`,
])('lets the platform name %s', (url) => {
  expect(checkedUrl(url, REAL)).toBe(url)
})

it.each([
  'http://other.weixin.qq.com/x',
  'ftp://other.weixin.qq.com/x',
  'file:///etc/passwd',
  'https://user:secret@weixin.qq.com/',
  'https://localhost/x',
  'https://127.0.0.1/x',
  'https://0x7f.1/x',
  'https://2130706433/x',
  'https://10.1.2.3/x',
  'https://172.31.0.1/x',
  'https://192.168.0.1/x',
  'https://169.254.169.254/latest',
  'https://100.100.100.200/x',
  'https://[::1]/x',
  'https://[::ffff:10.0.0.1]/x',
  'https://[fd00::1]/x',
  'https://[fe80::1]/x',
  'https://metadata/x',
  'https://metadata.google.internal/x',
  'https://printer.local./x',
  'not a url',
  `https://weixin.qq.com/${'x'.repeat(9_000)}`,
])('does not let the platform name %s', (url) => {
  expect(checkedUrl(url, REAL)).toBeNull()
})

it('lets an emulator name its own addresses, and a configured host itself', () => {
  expect(checkedUrl('http://127.0.0.1:9/x/', LOCAL)).toBe('http://127.0.0.1:9/x')
  expect(checkedUrl('http://proxy.internal/x', 'http://proxy.internal')).toBe('http://proxy.internal/x')
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
