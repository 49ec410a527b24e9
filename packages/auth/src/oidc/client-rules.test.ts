import { describe, expect, it } from 'vitest'
import { isRedirectUri } from './client-rules.ts'

const taken: readonly (readonly [uri: string, allowsWildcard?: boolean])[] = [
  ['https://app.example.org/callback'],
  ['https://app.example.org:8443/callback?tenant=1'],
  ['HTTPS://APP.EXAMPLE.ORG/'],
  ['http://127.0.0.1/callback'],
  ['http://localhost:3000/'],
  ['http://[::1]:4711/callback'],
  ['org.example.app:/callback'],
  ['org.example.app://callback'],
  ['https://*.preview.example.org/', true],
  ['https://pr-*.example.org/', true],
]
const refused: readonly (readonly [why: string, uri: string, allowsWildcard?: boolean])[] = [
  ['nothing', ''],
  ['a path', '/callback'],
  ['a host without a scheme', '//app.example.org/'],
  ['a scheme without a host', 'https:app.example.org/'],
  ['a fragment', 'https://app.example.org/#x'],
  ['an empty fragment', 'https://app.example.org/#'],
  ['http elsewhere', 'http://app.example.org/callback'],
  ['http on a host that looks near', 'http://127.0.0.1.example.org/'],
  ['http on a host that is written as a number', 'http://localhost.example.org/'],
  ['a name and a password', 'https://ada:pass@app.example.org/'],
  ['code', 'javascript:alert(1)'],
  ['data', 'data:text/html,x'],
  ['a file', 'file:///etc/passwd'],
  ['a generic scheme', 'myapp:/callback'],
  ['a scheme of browsers', 'about:blank'],
  ['blanks', 'https://app.example.org/a b'],
  ['a line feed', 'https://app.example.org/\nhttps://evil.example/'],
  ['a backslash', 'https://app.example.org\\@evil.example/'],
  ['letters beyond ASCII', 'https://äpp.example.org/'],
  ['a host that is no name', 'https://a;b.example.org/'],
  ['an endless address', `https://app.example.org/${'x'.repeat(2_000)}`],
  ['a wildcard that is not allowed', 'https://*.example.org/'],
  ['two wildcards', 'https://*.*.example.org/', true],
  ['a wildcard in the path', 'https://app.example.org/*', true],
  ['a wildcard in the query', 'https://app.example.org/?x=*', true],
  ['a wildcard for a whole domain', 'https://*.org/', true],
  ['a wildcard at the end', 'https://example.*/', true],
  ['a wildcard for every host', 'https://*/', true],
  ['a wildcard in a port', 'https://example.org:*/', true],
  ['a wildcard in a name', 'https://*@a.example.org/', true],
]

describe('a redirect URI', () => {
  it.each(taken.map(([uri, wildcard = false]) => [uri, wildcard] as const))('may be %s', (uri, wildcard) => {
    expect(isRedirectUri(uri, wildcard)).toBe(true)
  })
  it.each(refused.map(([why, uri, wildcard = false]) => [why, uri, wildcard] as const))(
    'must not be %s',
    (_why, uri, wildcard) => {
      expect(isRedirectUri(uri, wildcard)).toBe(false)
    },
  )
})
