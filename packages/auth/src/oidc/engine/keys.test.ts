import { generateKeyPairSync } from 'node:crypto'
import { testDatabases } from '@gatepost/sql/testing'
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { ORIGIN } from '../../testing/auth-world.ts'
import { signJwt, createSigningKeys } from '../signing-keys.ts'
import { codeGrant, type OidcBench, oidcBench, authorizationRequest, RESOURCE } from './testing-bench.ts'

type Jwks = Parameters<typeof createLocalJWKSet>[0]
const TOKEN = '/identity/o/api/token'

const fetchPublishedKeys = async (bench: OidcBench): Promise<Jwks> =>
  (await (await bench.call('/.well-known/jwks.json')).json()) as Jwks // checked by its use

/** The claims of a token, by a key that is published now. */
async function verifyPublished(bench: OidcBench, token: string): Promise<ReturnType<typeof decodeJwt>> {
  const options = { issuer: ORIGIN, algorithms: ['RS256'] }
  return (await jwtVerify(token, createLocalJWKSet(await fetchPublishedKeys(bench)), options)).payload
}

describe.each(testDatabases)('the keys that sign on %s', (_name, open) => {
  it('are created on demand, shared by all processes, and published until their tokens expire', async () => {
    const bench = await oidcBench({ open, settings: { privateKey: '' } })
    try {
      const { auth } = bench.world
      const own = await bench.client()
      const [one, two] = await Promise.all([
        createSigningKeys(auth.kernel).ring(),
        createSigningKeys(auth.kernel).ring(),
      ])
      expect(one[0].kid).toBe(two[0].kid)
      const before = String((await bench.tokens(own)).json['id_token'])
      expect(decodeProtectedHeader(before)).toMatchObject({ alg: 'RS256', kid: one[0].kid })
      const rows = await auth.kernel.database.db.selectFrom('gatepost_artifact').select('payload').execute()
      expect(JSON.stringify(rows)).not.toContain('PRIVATE')

      await auth.module('oidc').rotateKey()
      const after = String((await bench.tokens(own)).json['id_token'])
      expect(decodeProtectedHeader(after).kid).not.toBe(one[0].kid)
      expect(await verifyPublished(bench, before)).toMatchObject({ sub: '1' })
      expect(await verifyPublished(bench, after)).toMatchObject({ sub: '1' })
      const kids = (await fetchPublishedKeys(bench)).keys.map(({ kid, n, e, d }) => [kid, typeof n, typeof e, typeof d])
      expect(kids.map(([kid]) => kid)).toEqual([decodeProtectedHeader(after).kid, one[0].kid])
      expect(kids[0]?.slice(1)).toEqual(['string', 'string', 'undefined'])

      // Another process has just created a key and signed with it.
      const elsewhere = createSigningKeys(auth.kernel)
      await elsewhere.rotate()
      const said = { ...decodeJwt(after), jti: 'made-up' }
      const params = { prompt: 'none', id_token_hint: signJwt(await elsewhere.ring(), said, 'JWT') }
      expect((await bench.authorize(authorizationRequest(own.client, params))).searchParams.get('error')).toBeNull()

      bench.world.clock.advance((2 * 3_600 + 1) * 1_000)
      expect((await fetchPublishedKeys(bench)).keys).toHaveLength(1)
    } finally {
      await bench.close()
    }
  })
})

it('are those of the setting: the first one signs, all are published', async () => {
  const pem = (): string =>
    String(generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const bench = await oidcBench({ settings: { privateKey: `${pem()}\n${pem()}`, accessTokenFormat: 'jwt' } })
  try {
    const { keys } = await fetchPublishedKeys(bench)
    expect(keys).toHaveLength(2)
    await expect(bench.world.auth.module('oidc').rotateKey()).rejects.toMatchObject({ code: 'permission_denied' })
    const own = await bench.client({ grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'] })
    const { json } = await bench.tokens(own)
    const access = String(json['access_token'])
    expect(decodeProtectedHeader(access)).toEqual({ alg: 'RS256', typ: 'at+jwt', kid: keys[0]?.kid })
    const claims = await verifyPublished(bench, access)
    expect(claims).toEqual({
      iss: ORIGIN,
      aud: ORIGIN,
      sub: '1',
      client_id: own.client.id,
      scope: 'openid things:read',
      token_use: 'access',
      jti: expect.stringMatching(/^[\w-]{20,}$/),
      iat: expect.any(Number),
      exp: (claims.iat ?? 0) + 3_600,
    })
    const { tokens } = bench.world.auth.module('oidc')
    expect(await tokens.check(access)).toMatchObject({ scopes: ['openid', 'things:read'], audience: null })
    const credentials = { client_id: own.client.id, client_secret: own.secret }
    const shown = await bench.post('/identity/o/api/introspect', { ...credentials, token: access })
    expect(shown.json).toMatchObject({ active: true, sub: '1' })

    const code = await bench.code(own.client, { resource: RESOURCE })
    const forResource = await bench.post(TOKEN, codeGrant(own, code))
    expect(decodeJwt(String(forResource.json['access_token']))).toMatchObject({ aud: RESOURCE, scope: 'things:read' })
    const machine = await bench.post(TOKEN, { ...credentials, grant_type: 'client_credentials', scope: 'things:read' })
    expect(decodeJwt(String(machine.json['access_token']))).not.toHaveProperty('sub')

    await bench.post('/identity/o/api/revoke', { ...credentials, token: access })
    expect(await tokens.check(access)).toBeNull()
    const header = access.split('.')[0] ?? ''
    expect(await tokens.check(`${header}.${access.split('.')[1] ?? ''}.`)).toBeNull()
  } finally {
    await bench.close()
  }
})
