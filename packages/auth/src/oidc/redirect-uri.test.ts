import { expect, it } from 'vitest'
import { isRegisteredOrigin, isRegisteredUri } from './redirect-uri.ts'

const OWN = 'https://client.example/callback'
const WILD = { allowUriWildcards: true }
const PLAIN = { allowUriWildcards: false }

it.each([
  [OWN, OWN, true],
  [`${OWN}?more=1`, OWN, false],
  [`${OWN}?`, OWN, false],
  [`${OWN}?a=1`, `${OWN}?a=1`, true],
  [`${OWN}?a=1&b=2`, `${OWN}?a=1`, false],
  [`${OWN}?b=2&a=1`, `${OWN}?a=1&b=2`, false],
  ['https://CLIENT.example/callback', OWN, false],
  ['https://client.example:443/callback', OWN, false],
  ['https://client.example', 'https://client.example/', false],
  [`${OWN}?code=x`, OWN, false],
  [`${OWN}?a=1&state=x`, `${OWN}?a=1`, false],
  [OWN, `${OWN}?a=1`, false],
  [`${OWN}?a=2`, `${OWN}?a=1`, false],
  [`${OWN}?a=1&a=2`, `${OWN}?a=1`, false],
  [`${OWN}/`, OWN, false],
  [`${OWN}/../evil`, OWN, false],
  ['https://client.example/x/../callback', OWN, false],
  ['https://client.example/%63allback', OWN, false],
  ['https://client.example/Callback', OWN, false],
  ['http://client.example/callback', OWN, false],
  ['https://client.example:8443/callback', OWN, false],
  ['https://client.example.evil.example/callback', OWN, false],
  ['https://evil.example/callback', OWN, false],
  ['https://client.example@evil.example/callback', OWN, false],
  ['https://evil.example\\@client.example/callback', OWN, false],
  ['https://user@client.example/callback', OWN, false],
  [`${OWN}#fragment`, OWN, false],
  [`${OWN}?a=\u0000`, OWN, false],
  ['//client.example/callback', OWN, false],
  ['javascript:alert(1)', OWN, false],
  ['', OWN, false],
  ['http://127.0.0.1:49152/cb', 'http://127.0.0.1/cb', true],
  ['http://127.0.0.1/cb', 'http://127.0.0.1:8080/cb', true],
  ['http://[::1]:49152/cb', 'http://[::1]/cb', true],
  ['http://127.0.0.1:49152/cb?a=1', 'http://127.0.0.1/cb?a=1', true],
  ['http://127.0.0.1:49152/cb?a=1', 'http://127.0.0.1/cb', false],
  ['http://127.0.0.1:49152/other', 'http://127.0.0.1/cb', false],
  ['http://localhost:49152/cb', 'http://localhost/cb', false],
  ['https://127.0.0.1:49152/cb', 'https://127.0.0.1/cb', false],
  ['http://127.0.0.2:49152/cb', 'http://127.0.0.1/cb', false],
  ['org.example.app:/cb', 'org.example.app:/cb', true],
  ['org.example.app:/other', 'org.example.app:/cb', false],
])('%s is registered as %s: %s', (uri, registered, expected) => {
  expect(isRegisteredUri(uri, [registered], PLAIN)).toBe(expected)
})

it.each([
  ['https://pr-7.client.example/cb', 'https://pr-*.client.example/cb', true],
  ['https://one.client.example/cb', 'https://*.client.example/cb', true],
  ['https://pr-7.client.example/cb?a=1', 'https://pr-*.client.example/cb', false],
  ['https://a.b.client.example/cb', 'https://*.client.example/cb', false],
  ['https://client.example/cb', 'https://*.client.example/cb', false],
  ['https://.client.example/cb', 'https://*.client.example/cb', false],
  ['https://evil.example/.client.example/cb', 'https://*.client.example/cb', false],
  ['https://evil.example%2f.client.example/cb', 'https://*.client.example/cb', false],
  ['https://*.client.example/cb', 'https://*.client.example/cb', false],
  ['https://x.client.example/cb', 'https://*.*.example/cb', false],
])('%s matches the wildcard of %s: %s', (uri, registered, expected) => {
  expect(isRegisteredUri(uri, [registered], WILD)).toBe(expected)
  expect(isRegisteredUri(uri, [registered], PLAIN)).toBe(false)
})

it.each([
  ['https://app.example', ['https://app.example'], true, false],
  ['https://app.example:8443', ['https://app.example'], false, false],
  ['http://app.example', ['https://app.example'], false, false],
  ['null', ['https://app.example'], false, false],
  ['https://pr-1.app.example', ['https://pr-*.app.example'], true, true],
  ['https://pr-1.app.example', ['https://pr-*.app.example'], false, false],
  ['http://pr-1.app.example', ['https://pr-*.app.example'], false, true],
])('scripts of %s may call where %j is registered: %s', (origin, corsOrigins, expected, allowUriWildcards) => {
  const client = { corsOrigins, allowUriWildcards } as unknown as Parameters<typeof isRegisteredOrigin>[1] // all it reads
  expect(isRegisteredOrigin(origin, client)).toBe(expected)
})
