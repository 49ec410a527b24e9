import fc from 'fast-check'
import { isIP } from 'node:net'
import { describe, expect, it } from 'vitest'
import { type ClientAddressSettings, clientAddress, toRateLimitKey } from './request-headers.ts'

const DIRECT: ClientAddressSettings = { trustedProxyCount: 0, trustedClientIpHeader: null }
const behind = (trustedProxyCount: number): ClientAddressSettings => ({ ...DIRECT, trustedProxyCount })
const HEADER: ClientAddressSettings = { trustedProxyCount: 1, trustedClientIpHeader: 'CF-Connecting-IP' }

const requestWithHeaders = (headers: Record<string, string>): Request =>
  new Request('https://id.example.org/', { headers })
const SOCKET = '198.51.100.7'

const cases: readonly [
  why: string,
  headers: Record<string, string>,
  settings: ClientAddressSettings,
  address: string | null,
][] = [
  ['trusts no header by default', { 'x-forwarded-for': '203.0.113.9', 'x-real-ip': '203.0.113.9' }, DIRECT, SOCKET],
  ['takes the socket when a proxy sets no header', {}, behind(1), SOCKET],
  ['takes the last entry behind one proxy', { 'x-forwarded-for': '203.0.113.9, 192.0.2.1' }, behind(1), '192.0.2.1'],
  [
    'takes the last but one behind two',
    { 'x-forwarded-for': 'spoof, 203.0.113.9,192.0.2.1' },
    behind(2),
    '203.0.113.9',
  ],
  ['returns null for too few entries', { 'x-forwarded-for': '203.0.113.9' }, behind(2), null],
  ['returns null for an empty header', { 'x-forwarded-for': '' }, behind(1), null],
  ['returns null for a name', { 'x-forwarded-for': 'unknown' }, behind(1), null],
  ['returns null for an obfuscated node', { 'x-forwarded-for': '_hidden' }, behind(1), null],
  ['strips blanks and a port', { 'x-forwarded-for': ' 203.0.113.9:4711 ' }, behind(1), '203.0.113.9'],
  ['strips brackets and a port', { 'x-forwarded-for': '[2001:db8::1]:4711' }, behind(1), '2001:db8::1'],
  ['strips brackets', { 'x-forwarded-for': '[2001:DB8:0::1]' }, behind(1), '2001:db8::1'],
  ['strips a zone', { 'x-forwarded-for': 'fe80::1%eth0' }, behind(1), 'fe80::1'],
  ['takes no half bracket', { 'x-forwarded-for': '[2001:db8::1' }, behind(1), null],
  ['takes no octal', { 'x-forwarded-for': '0300.0.2.1' }, behind(1), null],
  ['takes no short form', { 'x-forwarded-for': '127.1' }, behind(1), null],
  ['takes no number', { 'x-forwarded-for': '3221225985' }, behind(1), null],
  ['returns null for a long text', { 'x-forwarded-for': `${'['.repeat(10_000)}::1` }, behind(1), null],
  [
    'takes that header alone',
    { 'cf-connecting-ip': '203.0.113.9', 'x-forwarded-for': '192.0.2.1' },
    HEADER,
    '203.0.113.9',
  ],
  ['returns null without the header', { 'x-forwarded-for': '192.0.2.1' }, HEADER, null],
  ['returns null if it lists several', { 'cf-connecting-ip': '203.0.113.9, 192.0.2.1' }, HEADER, null],
]
it.each(cases)('%s', (_why, headers, settings, address) => {
  expect(clientAddress(requestWithHeaders(headers), SOCKET, settings)).toBe(address)
})

it.each([
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:0201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
  ['::192.0.2.1', '::c000:201'],
  ['::1', '::1'],
  ['::', '::'],
  ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
  ['fe80::1%lo', 'fe80::1'],
  ['', null],
  ['/run/gatepost.sock', null],
])('makes of the socket address %s %s', (remote, address) => {
  expect(clientAddress(requestWithHeaders({}), remote, DIRECT)).toBe(address)
})

it('is unknown without a socket', () => {
  expect(clientAddress(requestWithHeaders({}), null, DIRECT)).toBe(null)
})

describe('the rate limit key of an address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['nobody', null],
  ])('%s: %s', (ip, subject) => {
    expect(toRateLimitKey(ip)).toBe(subject)
  })

  it('is one for a /64, and another for the next one', () => {
    const group = fc.integer({ min: 0, max: 0xffff })
    const groups = fc.array(group, { minLength: 4, maxLength: 4 })
    const text = (numbers: readonly number[]): string => numbers.map((number) => number.toString(16)).join(':')
    fc.assert(
      fc.property(groups, groups, groups, fc.nat(3), (prefix, host, otherHost, at) => {
        const next = prefix.with(at, (prefix[at] ?? 0) ^ 1)
        fc.pre(text(prefix) !== '0:0:0:0' && text(next) !== '0:0:0:0')
        const counted = toRateLimitKey(text([...prefix, ...host]))
        expect(counted).toBe(`${text(prefix)}::/64`)
        expect(toRateLimitKey(text([...prefix, ...otherHost]))).toBe(counted)
        expect(toRateLimitKey(text([...next, ...host]))).not.toBe(counted)
      }),
    )
  })

  it('is an address or nothing for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const address = clientAddress(requestWithHeaders({}), text, DIRECT)
        expect(address === null || isIP(address) > 0).toBe(true)
      }),
    )
  })
})
