import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { checkCsrf, parseCsrfSecret, csrfToken, isCsrfToken, newCsrfSecret } from './csrf.ts'

const secret = newCsrfSecret(randomBytes)
const post = (headers: Record<string, string>): Request => new Request('https://id.test/', { method: 'POST', headers })
const check =
  (headers: Record<string, string>, given: string | null = secret, known: string | null = secret): (() => void) =>
  () =>
    checkCsrf(post(headers), { own: ['https://id.test', 'https://*.app.test'], secret: known, given })

it('knows the tokens of a secret, and the secret itself', () => {
  expect(parseCsrfSecret(secret)).toBe(secret)
  const tokens = Array.from({ length: 50 }, () => csrfToken(secret, randomBytes))
  expect(new Set(tokens).size).toBe(50)
  expect(tokens.every((token) => isCsrfToken(token, secret))).toBe(true)
  expect(isCsrfToken(secret, secret)).toBe(true)
})

it.each([
  '',
  'x',
  secret.slice(1),
  `${secret}a`,
  csrfToken(newCsrfSecret(randomBytes), randomBytes),
  'é'.repeat(32),
  ' '.repeat(64),
])('takes no other token: %j', (token) => {
  expect(isCsrfToken(token, secret)).toBe(false)
})

it.each([null, '', 'short', `${secret}!`, 'a'.repeat(33)])('takes no other cookie: %j', (cookie) => {
  expect(parseCsrfSecret(cookie)).toBeNull()
})

it('lets the pages of this site and of trusted ones through', () => {
  expect(check({ origin: 'https://id.test' })).not.toThrow()
  expect(check({ origin: 'https://a.app.test' })).not.toThrow()
  expect(check({})).not.toThrow()
  expect(check({ origin: 'null', 'sec-fetch-site': 'same-origin' })).not.toThrow()
})

it.each([
  ['another origin', { origin: 'https://evil.test' }],
  ['another scheme', { origin: 'http://id.test' }],
  ['a name that ends alike', { origin: 'https://evilapp.test' }],
  ['another site without an origin', { 'sec-fetch-site': 'cross-site' }],
  ['an opaque origin of another site', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ['a page of a sibling domain that hides its origin', { origin: 'null', 'sec-fetch-site': 'same-site' }],
  ['an opaque origin of which nothing is known', { origin: 'null' }],
  ['a page of a sibling domain without an origin', { 'sec-fetch-site': 'same-site' }],
])('refuses %s', (_why, headers) => {
  expect(check(headers)).toThrow(expect.objectContaining({ code: 'csrf_failed' }))
})

it('refuses a form without a token, and a visitor without a cookie', () => {
  expect(check({}, null)).toThrow(expect.objectContaining({ code: 'csrf_failed' }))
  expect(check({}, secret, null)).toThrow(expect.objectContaining({ code: 'csrf_failed' }))
})
