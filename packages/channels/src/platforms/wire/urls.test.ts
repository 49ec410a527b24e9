import { expect, it } from 'vitest'
import { baseUrl, parseTrustedUrl, isOnThisMachine } from './urls.ts'

const VENDOR = { configured: 'https://api.vendor.example', domains: ['vendor.example', 'vendor-cdn.example'] }
const ANY = { configured: 'https://api.vendor.example' }
const RELAY = { configured: 'https://relay.example.org/api', domains: VENDOR.domains }
const INSIDE = { configured: 'http://relay.internal:8080/api', domains: VENDOR.domains }
const LOCAL = { configured: 'http://127.0.0.1:4100', domains: VENDOR.domains }
type Case = readonly [given: unknown, kind: 'web' | 'socket', trusted: typeof ANY | typeof VENDOR]

it.each<Case>([
  ['https://files.example.net/x?y=1', 'web', ANY],
  ['https://93.184.216.34/x', 'web', ANY],
  ['https://[2606:2800:220:1::1]/x', 'web', ANY],
  ['https://page.example/#/scan', 'web', ANY],
  ['https://api.vendor.example/x', 'web', VENDOR],
  ['https://vendor-cdn.example/x', 'web', VENDOR],
  ['wss://gateway.vendor.example:443/connect', 'socket', VENDOR],
  ['https://other.example.org/x', 'web', RELAY],
  ['wss://gateway.example.org', 'socket', RELAY],
  ['http://relay.internal:8080/file', 'web', INSIDE],
  ['ws://relay.internal:8080/socket', 'socket', INSIDE],
  ['wss://relay.internal:8080/socket', 'socket', INSIDE],
  ['http://127.0.0.1:9/x', 'web', LOCAL],
  ['http://localhost:9/x', 'web', LOCAL],
  ['ws://[::1]:9/x', 'socket', LOCAL],
  ['ws://127.0.0.1:9/x', 'socket', { configured: 'ws://localhost:4100' }],
])('opens %s as %s of %j', (given, kind, trusted) => {
  expect(parseTrustedUrl(given, kind, trusted)?.href).toBe(new URL(String(given)).href)
})

it.each<Case>([
  [undefined, 'web', ANY],
  ['', 'web', ANY],
  ['nonsense', 'web', ANY],
  ['file:///etc/passwd', 'web', LOCAL],
  ['ftp://files.example.net/x', 'web', ANY],
  ['http://files.example.net/x', 'web', ANY],
  ['ws://gateway.vendor.example/connect', 'socket', VENDOR],
  ['https://gateway.vendor.example/connect', 'socket', VENDOR],
  ['wss://gateway.vendor.example/connect', 'web', VENDOR],
  ['wss://gateway.vendor.example/#x', 'socket', VENDOR],
  ['https://user:secret@api.vendor.example/', 'web', VENDOR],
  [`https://files.example.net/${'x'.repeat(9_000)}`, 'web', ANY],
  ['https://vendor.example.evil.example/x', 'web', VENDOR],
  ['https://evilvendor.example/x', 'web', VENDOR],
  ['https://93.184.216.34/x', 'web', VENDOR],
  ['http://api.vendor.example/x', 'web', VENDOR],
  ['https://localhost/x', 'web', ANY],
  ['https://app.localhost/x', 'web', ANY],
  ['https://127.0.0.1/x', 'web', ANY],
  ['https://0x7f.1/x', 'web', ANY],
  ['https://2130706433/x', 'web', ANY],
  ['https://10.1.2.3/x', 'web', RELAY],
  ['https://100.100.100.200/x', 'web', ANY],
  ['https://169.254.169.254/latest', 'web', ANY],
  ['https://172.31.0.1/x', 'web', ANY],
  ['https://192.168.0.1/x', 'web', ANY],
  ['https://224.0.0.1/x', 'web', ANY],
  ['https://[::1]/x', 'web', ANY],
  ['https://[::ffff:10.0.0.1]/x', 'web', ANY],
  ['https://[64:ff9b::a00:1]/x', 'web', ANY],
  ['https://[2002:a00:1::]/x', 'web', ANY],
  ['https://[fd00::1]/x', 'web', ANY],
  ['https://[fe80::1]/x', 'web', ANY],
  ['https://metadata/x', 'web', ANY],
  ['https://metadata.google.internal/x', 'web', ANY],
  ['https://printer.local./x', 'web', ANY],
  ['https://router.lan/x', 'web', ANY],
  ['http://relay.internal:9090/file', 'web', INSIDE],
  ['https://other.internal/file', 'web', INSIDE],
  ['http://10.0.0.1/x', 'web', LOCAL],
  ['http://files.example.net/x', 'web', LOCAL],
  ['http://127.evil.example/x', 'web', LOCAL],
  ['http://127.0.0.1/x', 'web', { configured: 'https://127.evil.example' }],
])('does not open %s as %s of %j', (given, kind, trusted) => {
  expect(parseTrustedUrl(given, kind, trusted)).toBeNull()
})

it.each([
  ['http://127.0.0.1:4100', true],
  ['wss://localhost', true],
  ['https://[::1]/x', true],
  ['https://127.evil.example', false],
  ['https://api.vendor.example', false],
  ['nonsense', false],
])('%s is on this machine: %s', (configured, isSo) => {
  expect(isOnThisMachine(configured)).toBe(isSo)
})

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
