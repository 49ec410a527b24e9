import { expect, it } from 'vitest'
import { visitorUrls, type Reached } from './visitor-url.ts'

const ask = (url: string, host?: string): Request => new Request(url, host === undefined ? {} : { headers: { host } })
const reached: Reached = { origin: 'https://id.example.org', allowedHosts: ['.example.com'], protocol: 'http' }

it.each<[why: string, url: string, host: string | undefined, seen: string]>([
  ['a proxy speaks http to us', 'http://127.0.0.1:3000/x?y=1', 'id.example.org', 'https://id.example.org/x?y=1'],
  ['an allowed host keeps its scheme', 'http://127.0.0.1/x', 'a.example.com', 'http://a.example.com/x'],
  ['letters of any case', 'http://127.0.0.1/x', 'ID.Example.ORG', 'https://id.example.org/x'],
])('%s', (_why, url, host, seen) => {
  expect(visitorUrls(reached)(ask(url, host)).href).toBe(seen)
})

it.each([
  'evil.test',
  'id.example.org.evil.test',
  'id.example.org:8443',
  'id.example.org@evil.test',
  'evil.test/id.example.org',
  'id.example.org evil.test',
  '',
  'a.example.com:99',
  '127.0.0.1.evil.test',
  '127.0.0.1:3000',
  'localhost',
  'evil.localhost:8080',
])('refuses the host %j', (host) => {
  expect(() => visitorUrls(reached)(ask('http://127.0.0.1/', host))).toThrow(
    expect.objectContaining({ code: 'host_unknown' }),
  )
})

it.each([null, 'http://id.example.org'])('knows this machine while the origin is %s', (origin) => {
  const url = visitorUrls({ ...reached, origin })(ask('http://localhost:3000/x'))
  expect(url.href).toBe('http://localhost:3000/x')
})

it('accepts any host if all are allowed, but uses the configured origin in URLs', () => {
  const open = { ...reached, allowedHosts: ['*', 'own.example'] }
  expect(visitorUrls(open)(ask('http://evil.test/x')).href).toBe('https://id.example.org/x')
  expect(visitorUrls(open)(ask('http://own.example/x')).href).toBe('http://own.example/x')
  expect(visitorUrls({ ...open, origin: null })(ask('http://evil.test/x')).href).toBe('http://evil.test/x')
})

it('builds https URLs if configured', () => {
  expect(visitorUrls({ ...reached, protocol: 'https' })(ask('http://a.example.com/')).href).toBe(
    'https://a.example.com/',
  )
})
