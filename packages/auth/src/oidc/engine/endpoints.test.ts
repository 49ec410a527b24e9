import { testDatabases } from '@gatepost/sql/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ORIGIN } from '../../testing/auth-world.ts'
import { readAnswer, CALLBACK, codeGrant, type OidcBench, oidcBench, authorizationRequest } from './testing-bench.ts'

const TOKEN = '/identity/o/api/token'
const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code'
const OTHER = 'https://other.example'

describe.each(testDatabases)('the endpoints of our OpenID Connect provider on %s', (_name, open) => {
  let bench: OidcBench
  beforeAll(async () => {
    bench = await oidcBench({ open, rest: { settings: { allowedHosts: ['other.example'] } } })
  })
  afterAll(() => bench.close())

  it('publish the metadata, to anyone and under each host of the site', async () => {
    const paths = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']
    const [one, two] = await Promise.all(paths.map(async (path) => readAnswer(await bench.call(path))))
    expect(one?.json).toEqual(two?.json)
    expect(one?.json).toMatchObject({
      issuer: ORIGIN,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      id_token_signing_alg_values_supported: ['RS256'],
      subject_types_supported: ['public'],
      end_session_endpoint: `${ORIGIN}/identity/o/logout`,
    })
    expect(one?.json).not.toHaveProperty('registration_endpoint')
    expect(one?.headers.get('access-control-allow-origin')).toBe('*')
    const { json } = await readAnswer(await bench.call(`${OTHER}${paths[0] ?? ''}`))
    expect(json).toMatchObject({ issuer: OTHER, token_endpoint: `${OTHER}${TOKEN}` })
    for (const path of [paths[0] ?? '', TOKEN, '/identity/o/authorize']) {
      const method = path === TOKEN ? 'POST' : 'GET'
      expect((await bench.call(`https://evil.example${path}`, { method })).status).toBe(400)
    }
    expect((await bench.call('/identity/o/api/register', { method: 'POST' })).status).toBe(404)
  })

  it('are open to scripts of registered origins', async () => {
    await bench.client({ corsOrigins: ['https://app.example'] })
    const ask = async (path: string, origin: string): Promise<string | null> => {
      const headers = { origin, 'access-control-request-method': 'POST' }
      const response = await bench.call(path, { method: 'OPTIONS', headers })
      expect(response.status).toBe(204)
      return response.headers.get('access-control-allow-origin')
    }
    expect(await ask(TOKEN, 'https://app.example')).toBe('https://app.example')
    expect(await ask(TOKEN, 'https://evil.example')).toBeNull()
    expect(await ask('/.well-known/jwks.json', 'https://evil.example')).toBe('*')
  })

  it('post a response with a page that can run no other script', async () => {
    const { client } = await bench.client({ skipConsent: true })
    const params = {
      ...authorizationRequest(client, { response_mode: 'form_post', prompt: 'consent' }),
      state: '"><script>',
    }
    const page = await bench.browser.get(`/identity/o/authorize?${String(new URLSearchParams(params))}`)
    expect(page.status).toBe(200)
    expect(page.html).toContain(`action="${CALLBACK}"`)
    expect(page.html.match(/<script>/g)).toHaveLength(1)
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'sha256-[\w+/=]+';/)
    expect(page.headers.get('cache-control')).toContain('no-store')
  })

  it('return the address that the user chose', async () => {
    const { auth } = bench.world
    const { db } = auth.kernel.database
    const { id: userId } = bench.user
    await auth.account.emails.insert(db, { userId, email: 'second@example.org', verified: true, primary: false })
    const own = await bench.client()
    const begun = await bench.browser.get(
      `/identity/o/authorize?${String(new URLSearchParams(authorizationRequest(own.client, { scope: 'openid email' })))}`,
    )
    const fields = { scope_openid: 'on', scope_email: 'on', email: 'second@example.org', action: 'grant' }
    const allowed = await bench.browser.post(begun.location ?? '', fields)
    const to = new URL((await bench.browser.get(allowed.location ?? '')).location ?? '')
    const { json } = await bench.post(TOKEN, codeGrant(own, to.searchParams.get('code') ?? ''))
    const body = new URLSearchParams({ access_token: String(json['access_token']) })
    const info = await readAnswer(await bench.call('/identity/o/api/userinfo', { method: 'POST', body }))
    expect(info.json).toMatchObject({ sub: '1', email: 'second@example.org', email_verified: true })
    const claims: unknown = JSON.parse(
      Buffer.from(String(json['id_token']).split('.')[1] ?? '', 'base64url').toString(),
    )
    expect(claims).toMatchObject({ email: 'second@example.org' })
    const row = await db
      .selectFrom('allauth_idp_oidc_token')
      .select('hash')
      .where('client_id', '=', own.client.id)
      .execute()
    expect(row.map(({ hash }) => hash)).toContain(auth.module('oidc').adapter.hashToken(String(json['access_token'])))
  })

  it('issue codes to devices of public clients only, and report expiry', async () => {
    const { client } = await bench.client({ type: 'public', grantTypes: [DEVICE], redirectUris: [] })
    const confidential = await bench.client()
    const path = '/identity/o/api/device/code'
    const ask = { client_id: client.id, scope: 'openid' }
    const refused = await bench.post(path, { client_id: confidential.client.id, client_secret: confidential.secret })
    expect([refused.status, refused.json['error']]).toEqual([401, 'invalid_client'])
    expect((await bench.post(path, ask, { 'content-type': 'text/plain' })).status).toBe(400)
    expect((await bench.post(path, { ...ask, scope: 'admin' })).json['error']).toBe('invalid_scope')
    const poll = async (code: unknown): Promise<unknown> => {
      bench.world.clock.advance(5_000)
      const fields = { grant_type: DEVICE, client_id: client.id, device_code: String(code) }
      return (await bench.post(TOKEN, fields)).json['error']
    }
    const denied = await bench.post(path, ask)
    expect(await bench.decide(String(denied.json['user_code']), false)).toBe(true)
    expect(await poll(denied.json['device_code'])).toBe('access_denied')
    const late = await bench.post(path, ask)
    bench.world.clock.advance(301_000)
    expect(await bench.decide(String(late.json['user_code']), true)).toBe(false)
    expect(await poll(late.json['device_code'])).toBe('expired_token')
    expect(await poll('unknown')).toBe('invalid_grant')
  })

  it("parse a client's logout request", async () => {
    const own = await bench.client({ postLogoutRedirectUris: ['https://client.example/bye'] })
    const hint = String((await bench.tokens(own)).json['id_token'])
    const engine = await bench.world.auth.module('oidc').engine()
    const cookie = [...bench.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const ask = async (params: Record<string, string>): Promise<unknown> => {
      const request = new Request(ORIGIN, { headers: { cookie } })
      const from = { remoteAddress: '192.0.2.7' }
      const { result } = await bench.world.auth.visit(request, from, async (visit) => {
        const { client, isForUser, redirectTo } = await engine.requestedLogout(visit, new URLSearchParams(params))
        return [client?.id === own.client.id, isForUser, redirectTo]
      })
      return result
    }
    const bye = { post_logout_redirect_uri: 'https://client.example/bye', state: 'x&y' }
    expect(await ask({ id_token_hint: hint, ...bye })).toEqual([true, true, 'https://client.example/bye?state=x%26y'])
    expect(await ask({ client_id: own.client.id, ...bye })).toEqual([true, false, expect.stringContaining('/bye')])
    expect(await ask(bye)).toEqual([false, false, null])
    expect(await ask({ id_token_hint: hint, client_id: 'another', ...bye })).toEqual([false, false, null])
    expect(await ask({ id_token_hint: `${hint}x`, ...bye })).toEqual([false, false, null])
    const elsewhere = { id_token_hint: hint, post_logout_redirect_uri: 'https://evil.example/' }
    expect(await ask(elsewhere)).toEqual([true, true, null])
  })
})
