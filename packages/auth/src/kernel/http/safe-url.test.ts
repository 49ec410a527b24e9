import { expect, it } from 'vitest'
import { isSafeUrl } from './visitor-url.ts'

const here = new URL('http://testserver/accounts/login/')
const hosts = {
  allowedHosts: ['testserver', '.example.com', '*'],
  csrfTrustedOrigins: ['https://app.example.org:8443'],
}

const safe = [
  '/x',
  'foo',
  '/x?next=//evil.com',
  'http://testserver/x',
  'https://testserver/x',
  'https://a.example.com/',
  'https://example.com',
  '//testserver/x',
  'https://app.example.org:8443/back',
]
it.each(safe)('lets %j through', (target) => {
  expect(isSafeUrl(target, here, hosts)).toBe(true)
})

const unsafe = [
  '',
  ' /x',
  '//evil.com/',
  '///evil.com',
  '////evil.com',
  'http:///evil.com',
  'http:evil.com',
  'https:/evil.com',
  'https://evil.com/',
  'https://a.example.com:99/',
  'http://testserver:81/x',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'data:text/html,x',
  '\\\\evil.com',
  '/\\evil.com',
  '\u0001//evil.com',
  '/\t/evil.com',
  '\n//evil.com',
  'https://testserver@evil.com/',
  'https://user:secret@testserver/',
  'https://testserver.evil.com/',
  'https://evilexample.com/',
  'https://app.example.org/',
  'ftp://testserver/',
  '/%00\u0000',
  '/\ud800',
]
it.each(unsafe)('refuses %j', (target) => {
  expect(isSafeUrl(target, here, hosts)).toBe(false)
})

it('rejects URLs that are too long', () => {
  expect(isSafeUrl(`/${'a'.repeat(7_999)}`, here, hosts)).toBe(true)
  expect(isSafeUrl(`/${'a'.repeat(8_000)}`, here, hosts)).toBe(false)
})

it('does not lead from https back to http', () => {
  expect(isSafeUrl('http://testserver/x', new URL('https://testserver/'), hosts)).toBe(false)
  expect(isSafeUrl('/x', new URL('https://testserver/'), hosts)).toBe(true)
})
