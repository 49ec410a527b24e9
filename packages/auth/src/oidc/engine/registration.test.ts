import { testDatabases } from '@gatepost/sql/testing'
import { describe, expect, it } from 'vitest'
import { ORIGIN } from '../../testing/auth-world.ts'
import { type Answered, readAnswer, CHALLENGE, type OidcBench, oidcBench } from './testing-bench.ts'

const PATH = '/identity/o/api/register'
const URIS = { redirect_uris: ['https://agent.example/cb'] }

async function send(bench: OidcBench, method: string, path: string, body?: unknown, token?: string): Promise<Answered> {
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return readAnswer(await bench.call(path, { method, headers, ...(body !== undefined && { body: text }) }))
}

const REFUSED: readonly (readonly [why: string, body: unknown, error: string])[] = [
  ['no JSON', '{', 'invalid_client_metadata'],
  ['a list', [], 'invalid_client_metadata'],
  ['no redirect URIs', {}, 'invalid_redirect_uri'],
  ['none', { redirect_uris: [] }, 'invalid_redirect_uri'],
  ['no text', { redirect_uris: [7] }, 'invalid_redirect_uri'],
  ['http elsewhere', { redirect_uris: ['http://agent.example/cb'] }, 'invalid_redirect_uri'],
  ['the scheme of an app', { redirect_uris: ['org.example.app:/cb'] }, 'invalid_redirect_uri'],
  ['a wildcard', { redirect_uris: ['https://*.agent.example/cb'] }, 'invalid_redirect_uri'],
  ['a fragment', { redirect_uris: ['https://agent.example/cb#x'] }, 'invalid_redirect_uri'],
  ['a script', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
  ['a scope that is not for all', { ...URIS, scope: 'admin' }, 'invalid_client_metadata'],
]

describe.each(testDatabases)('clients that register themselves on %s', (_name, open) => {
  it('are public, manage themselves by their token, and are not too many', async () => {
    const bench = await oidcBench({ open, settings: { dynamicClientRegistrationEnabled: true } })
    try {
      const wanted = { ...URIS, client_name: 'x'.repeat(200), grant_types: ['client_credentials', 'password'] }
      const made = await send(bench, 'POST', PATH, { ...wanted, token_endpoint_auth_method: 'client_secret_basic' })
      const { client_id: id, registration_access_token: token, registration_client_uri: uri } = made.json
      expect([made.status, made.headers.get('cache-control')]).toEqual([201, expect.stringContaining('no-store')])
      expect(made.json).toMatchObject({
        client_name: 'x'.repeat(100),
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        scope: 'openid things:read',
      })
      expect(made.json).not.toHaveProperty('client_secret')
      expect(uri).toBe(`${ORIGIN}${PATH}/${String(id)}`)
      const own = `${PATH}/${String(id)}`
      const asked = { response_type: 'code', scope: 'openid', redirect_uri: 'https://agent.example/cb', state: 's' }
      const params = { ...asked, client_id: String(id), code_challenge: CHALLENGE, code_challenge_method: 'S256' }
      expect((await bench.authorize(params)).searchParams.has('code')).toBe(true)
      const silent = await bench.authorize({ ...params, prompt: 'none' })
      expect(silent.searchParams.get('error')).toBe('consent_required')

      const other = await bench.client()
      const wrong = await send(bench, 'GET', `${PATH}/${other.client.id}`, undefined, String(token))
      const none = await send(bench, 'GET', own, undefined, 'wrong')
      expect([wrong.status, none.status]).toEqual([401, 401])
      expect((await send(bench, 'GET', own, undefined, String(token))).json['client_id']).toBe(id)
      const changed = await send(bench, 'PUT', own, { ...URIS, client_name: 'Mine', scope: 'openid' }, String(token))
      expect(changed.json).toMatchObject({ client_id: id, client_name: 'Mine', scope: 'openid' })
      expect((await send(bench, 'DELETE', own, undefined, String(token))).status).toBe(204)
      expect((await send(bench, 'GET', own, undefined, String(token))).status).toBe(401)

      for (const [why, body, error] of REFUSED) {
        const { status, json } = await send(bench, 'POST', PATH, body)
        expect([why, status, json['error']]).toEqual([why, 400, error])
      }
      let last = await send(bench, 'POST', PATH, URIS)
      for (let count = 0; count < 20 && last.status === 201; count++) last = await send(bench, 'POST', PATH, URIS)
      expect([last.status, last.headers.has('retry-after')]).toEqual([429, true])
      expect(bench.world.logged).toEqual([])
    } finally {
      await bench.close()
    }
  })
})
