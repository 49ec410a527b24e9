import { testDatabases } from '@gatepost/sql/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CALLBACK, CHALLENGE, type OidcBench, oidcBench, RESOURCE, VERIFIER } from './testing-bench.ts'

const PATHS = [
  'authorize',
  'authorize',
  'authorize/{uid}',
  'api/token',
  'api/token',
  'api/userinfo',
  'api/revoke',
].concat(['api/introspect', 'api/device/code', 'api/register', 'api/register/{client}'])
const NAMES = ['client_id', 'client_secret', 'redirect_uri', 'response_type', 'response_mode', 'scope', 'state'].concat(
  ['nonce', 'prompt', 'max_age', 'id_token_hint', 'login_hint', 'acr_values', 'claims', 'request', 'request_uri'],
  ['code_challenge', 'code_challenge_method', 'resource', 'grant_type', 'code', 'code_verifier', 'refresh_token'],
  ['token', 'token_type_hint', 'access_token', 'device_code', '__proto__', 'constructor', 'registration'],
)
/** Names in braces are replaced with existing values. */
const USUAL: Readonly<Record<string, readonly string[]>> = {
  client_id: ['{client}', '{open}'],
  client_secret: ['{secret}'],
  redirect_uri: [CALLBACK],
  response_type: ['code', 'id_token', 'id_token token'],
  response_mode: ['query', 'fragment', 'form_post'],
  scope: ['openid', 'openid email'],
  prompt: ['none', 'login', 'consent'],
  id_token_hint: ['{id}'],
  code_challenge: [CHALLENGE],
  code_challenge_method: ['S256'],
  code_verifier: [VERIFIER],
  resource: [RESOURCE],
  grant_type: ['authorization_code', 'refresh_token', 'client_credentials'],
  token: ['{access}', '{refresh}'],
  access_token: ['{access}'],
  refresh_token: ['{refresh}'],
}
const WHOLE = Object.entries(USUAL).flatMap(([name, [value]]) =>
  value === undefined || name === 'prompt' || name === 'access_token' ? [] : [[name, value] as const],
)
const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('', ' ', '\0', 'a\0b', '\ud800', '-1', '1e9', 'null', '[]', '{', '{"id_token":7}', 'a'.repeat(4_000)),
  fc.constantFrom('javascript:alert(1)', 'https://[', 'http://a:b@c/', 'a.b.c', 'eyJhbGciOiJub25lIn0.e30.', '<script>'),
)
const field = fc.constantFrom(...NAMES).chain((name) => {
  const usual = Object.hasOwn(USUAL, name) ? USUAL[name] : undefined
  const value = usual === undefined ? nasty : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...usual) }, nasty)
  return fc.tuple(fc.constant(name), value)
})
const call = fc.record({
  path: fc.constantFrom(...PATHS),
  method: fc.constantFrom('GET', 'POST', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD'),
  /** Starts with the parameters of a valid request. */
  isWhole: fc.boolean(),
  query: fc.array(field, { maxLength: 6 }),
  body: fc.array(field, { maxLength: 8 }),
  type: fc.constantFrom('application/x-www-form-urlencoded', 'application/json', 'text/plain', 'multipart/form-data'),
  authorization: fc.option(fc.oneof(fc.constantFrom('Basic {basic}', 'Bearer {access}', 'Basic !', 'Bearer'), nasty)),
})
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never

async function send(bench: OidcBench, given: Call, known: Readonly<Record<string, string>>): Promise<Response | null> {
  const filled = (text: string): string => text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => known[name] ?? whole)
  const params = (fields: Call['query']): URLSearchParams => {
    const all = new URLSearchParams(given.isWhole ? WHOLE.map(([name, value]) => [name, filled(value)]) : [])
    for (const [name, value] of fields) all.set(name, filled(value))
    return all
  }
  const headers = new Headers({ 'content-type': given.type, cookie: known['cookie'] ?? '' })
  try {
    if (given.authorization !== null) headers.set('authorization', filled(given.authorization))
  } catch {
    return null // no request can have this header
  }
  const path = `/identity/o/${filled(given.path)}?${String(params(given.query))}`
  const hasBody = given.method === 'POST' || given.method === 'PUT'
  return bench.call(path, { method: given.method, headers, ...(hasBody && { body: String(params(given.body)) }) })
}

describe.each(testDatabases)('whatever is sent to the protocol on %s', (_name, open) => {
  it('gets a response, and never a server error', async () => {
    const bench = await oidcBench({
      open,
      settings: { dynamicClientRegistrationEnabled: true, rateLimits: false },
    })
    try {
      const own = await bench.client({ responseTypes: ['code', 'id_token', 'id_token token'] })
      const { client } = await bench.client({ type: 'public' })
      const { json } = await bench.tokens(own)
      const known = {
        client: own.client.id,
        secret: own.secret,
        open: client.id,
        basic: Buffer.from(`${own.client.id}:${own.secret}`).toString('base64'),
        access: String(json['access_token']),
        refresh: String(json['refresh_token']),
        id: String(json['id_token']),
        uid: 'a'.repeat(43),
        cookie: `${[...bench.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')}; gatepost_oidc_resume=${'a'.repeat(43)}`,
      }
      await fc.assert(
        fc.asyncProperty(call, async (given) => {
          const response = await send(bench, given, known)
          expect(response?.status ?? 200).toBeLessThan(500)
          expect(bench.world.logged).toEqual([])
          const location = response?.headers.get('location') ?? CALLBACK
          expect(location.startsWith(CALLBACK) || location.startsWith('/')).toBe(true)
        }),
        { numRuns: 250, seed: 6 },
      )
    } finally {
      await bench.close()
    }
  })
})
