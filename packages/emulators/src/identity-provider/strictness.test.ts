import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { identityProviderEmulator, type IdentityProviderEmulator } from './emulator.ts'
import { authorized, exchanged, profileRequest, REDIRECT, registered, VERIFIER } from './testing/generic-client.ts'
import { type ProviderRecord, providerRecords } from './testing/provider-records.ts'

const NOW_MS = 1_900_000_000_000
const mia = {
  id: '4815',
  email: 'mia@people.example',
  emailVerified: true,
  username: 'mia',
  firstName: 'Mia',
  lastName: 'M',
}

function findRecord(id: string): ProviderRecord {
  const record = providerRecords.find((each) => each.id === id)
  if (record === undefined) throw new Error(id)
  return record
}

/** An emulator whose clock can be moved. */
function emulatorWith(clock = { nowMs: NOW_MS }): IdentityProviderEmulator {
  const emulator = identityProviderEmulator({ now: () => clock.nowMs, random: randomBytes })
  emulator.signIn(mia)
  return emulator
}

const query = (parameters: Record<string, string>): string => new URLSearchParams(parameters).toString()
const AUTHORIZE = 'https://github.com/login/oauth/authorize'
const TOKEN = 'https://github.com/login/oauth/access_token'
const PROFILE = 'https://api.github.com/user'
const asking = { client_id: 'client-1', redirect_uri: REDIRECT, response_type: 'code', state: 's', scope: 'user:email' }

const shown: readonly [why: string, change: Record<string, string>][] = [
  ['a client of nobody', { client_id: 'client-2' }],
  ['a redirect URI that is not registered', { redirect_uri: `${REDIRECT}x` }],
]
it.each(shown)('shows the person, and does not send on, %s', async (_why, change) => {
  const emulator = emulatorWith()
  registered(emulator, findRecord('github'), NOW_MS)
  const reply = await emulator.fetch(new Request(`${AUTHORIZE}?${query({ ...asking, ...change })}`))
  expect([reply.status, reply.headers.get('location')]).toEqual([400, null])
})

const sentBack: readonly [error: string, why: string, change: Record<string, string>][] = [
  ['unsupported_response_type', 'another response type', { response_type: 'token' }],
  ['invalid_scope', "scopes joined by another's delimiter", { scope: 'read:user,user:email' }],
  ['invalid_request', 'a challenge that is too short', { code_challenge: 'short', code_challenge_method: 'S256' }],
]
it.each(sentBack)('sends %s back for %s', async (error, _why, change) => {
  const emulator = emulatorWith()
  registered(emulator, findRecord('github'), NOW_MS)
  const reply = await emulator.fetch(new Request(`${AUTHORIZE}?${query({ ...asking, ...change })}`))
  const back = new URL(reply.headers.get('location') ?? '').searchParams
  expect(Object.fromEntries(back)).toMatchObject({ error, state: 's' })
})

it('sends back that the person refused', async () => {
  const emulator = emulatorWith()
  registered(emulator, findRecord('github'), NOW_MS)
  emulator.fail('github', 'authorize', 'denied')
  const reply = await emulator.fetch(new Request(`${AUTHORIZE}?${query(asking)}`))
  expect(new URL(reply.headers.get('location') ?? '').searchParams.get('error')).toBe('access_denied')
})

it('demands a challenge where the provider does', async () => {
  const emulator = emulatorWith()
  registered(emulator, findRecord('lichess'), NOW_MS)
  const reply = await emulator.fetch(new Request(`https://lichess.org/oauth?${query({ ...asking, scope: '' })}`))
  expect(reply.headers.get('location')).toContain('error=invalid_request')
})

describe('a code', () => {
  const right = {
    grant_type: 'authorization_code',
    client_id: 'client-1',
    client_secret: 'secret-1',
    redirect_uri: REDIRECT,
  }
  const verifier = 'v'.repeat(43)
  const exchange = async (
    emulator: IdentityProviderEmulator,
    parameters: Record<string, string>,
    more: Record<string, string> = {},
  ) => {
    const headers = { accept: 'application/json', ...more }
    const body = new URLSearchParams(parameters)
    const reply = await emulator.fetch(new Request(TOKEN, { method: 'POST', body, headers }))
    return { status: reply.status, ...((await reply.json()) as Record<string, unknown>) } // compared below
  }
  const findCode = async (emulator: IdentityProviderEmulator): Promise<string> => {
    registered(emulator, findRecord('github'), NOW_MS)
    const pkce = { code_challenge: verifier, code_challenge_method: 'plain' }
    const reply = await emulator.fetch(new Request(`${AUTHORIZE}?${query({ ...asking, ...pkce })}`))
    return new URL(reply.headers.get('location') ?? '').searchParams.get('code') ?? ''
  }
  const wrong: readonly [why: string, change: Record<string, string>, error: string][] = [
    ['the wrong secret', { client_secret: 'secret-2' }, 'invalid_client'],
    ['a client of nobody', { client_id: 'client-2' }, 'invalid_client'],
    ['another redirect URI', { redirect_uri: `${REDIRECT}?x` }, 'bad_verification_code'],
    ['no verifier', { code_verifier: '' }, 'bad_verification_code'],
    ['another grant type', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['another code', { code: 'guess' }, 'bad_verification_code'],
  ]
  it.each(wrong)('is not exchanged with %s', async (_why, change, error) => {
    const emulator = emulatorWith()
    const code = await findCode(emulator)
    const reply = await exchange(emulator, { ...right, code, code_verifier: verifier, ...change })
    expect(reply).toMatchObject({ error })
  })

  it('is exchanged once, and within a minute', async () => {
    const clock = { nowMs: NOW_MS }
    const emulator = emulatorWith(clock)
    const sent = { ...right, code: await findCode(emulator), code_verifier: verifier }
    expect(await exchange(emulator, sent)).toMatchObject({ access_token: expect.any(String) })
    expect(await exchange(emulator, sent)).toMatchObject({ error: 'bad_verification_code' })
    const late = { ...sent, code: await findCode(emulator) }
    clock.nowMs += 60_000
    expect(await exchange(emulator, late)).toMatchObject({ error: 'bad_verification_code' })
  })

  it('is exchanged with the secret in one place only', async () => {
    const emulator = emulatorWith()
    const headers = { authorization: `Basic ${Buffer.from('client-1:secret-1').toString('base64')}` }
    const { client_secret: _left, ...rest } = right
    const sent = { ...rest, code: await findCode(emulator), code_verifier: verifier }
    expect(await exchange(emulator, sent, headers)).toMatchObject({ error: 'invalid_client' })
  })

  it('brings a form, unless JSON is asked for', async () => {
    const emulator = emulatorWith()
    const body = new URLSearchParams({ ...right, code: await findCode(emulator), code_verifier: verifier })
    const reply = await emulator.fetch(new Request(TOKEN, { method: 'POST', body }))
    expect(reply.headers.get('content-type')).toBe('application/x-www-form-urlencoded')
    expect(new URLSearchParams(await reply.text()).get('access_token')).toMatch(/./)
  })
})

const versions: readonly [provider: string, method: string, from: string, to: string, token: string, said: object][] = [
  ['pinterest', 'POST', '/v1/me', '/v5/user_account', '/v5/oauth/token', { username: 'mia' }],
  ['pinterest', 'PUT', '/v1/me', '/v3/users/me', '/v3/oauth/token', { data: { id: '4815' } }],
  ['patreon', 'POST', '/api/oauth2/api/current_user', '/api/oauth2/v2/identity', '', { data: { id: '4815' } }],
  ['battlenet', 'POST', 'oauth.battle.net', 'oauth.battlenet.com.cn', '', { id: 4815 }],
  ['github', 'POST', 'api.github.com', 'github.enterprise.example/api/v3', '', { id: 4815 }],
]
it.each(versions)('answers at the other addresses of %s, with %s', async (provider, method, from, to, token, said) => {
  const emulator = emulatorWith()
  const client = registered(emulator, findRecord(provider), NOW_MS)
  const { token_url = '', profile_url = '' } = emulator.endpoints(provider)
  const code = (await authorized(client)).get('code') ?? ''
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT,
    code_verifier: VERIFIER,
  })
  const headers = new Headers({ accept: 'application/json' })
  if (provider === 'pinterest')
    headers.set('authorization', `Basic ${Buffer.from('client-1:secret-1').toString('base64')}`)
  else
    for (const [name, value] of [
      ['client_id', 'client-1'],
      ['client_secret', 'secret-1'],
    ] as const)
      body.set(name, value)
  const address = token === '' ? token_url.replace(from, to) : new URL(token, token_url)
  const exchange: RequestInit = { headers, body }
  const reply = await emulator.fetch(new Request(address, { ...exchange, method }))
  const { access_token } = (await reply.json()) as Record<string, string> // used by the next request
  const profile = new Request(profile_url.replace(from, to), {
    headers: { authorization: `${provider === 'github' ? 'token' : 'Bearer'} ${access_token}` },
  })
  expect(await (await emulator.fetch(profile)).json()).toMatchObject(said)
})

describe('a profile', () => {
  it('is shown for a token in its one place, for its provider, for an hour', async () => {
    const clock = { nowMs: NOW_MS }
    const emulator = emulatorWith(clock)
    registered(emulator, findRecord('github'), NOW_MS)
    registered(emulator, findRecord('gitea'), NOW_MS)
    const status = async (url: string, authorization: string | null): Promise<number> =>
      (await emulator.fetch(new Request(url, authorization === null ? {} : { headers: { authorization } }))).status
    const token = emulator.accessToken('github', 'client-1')
    expect(await status(PROFILE, `token ${token}`)).toBe(200)
    expect(await status(PROFILE, `Bearer ${token}`)).toBe(401)
    expect(await status(`${PROFILE}?access_token=${token}`, null)).toBe(401)
    expect(await status('https://gitea.com/api/v1/user', `token ${token}`)).toBe(401)
    clock.nowMs += 3_600_000
    expect(await status(PROFILE, `token ${token}`)).toBe(401)
  })

  it('hides an address that was not asked for', async () => {
    const emulator = emulatorWith()
    const client = registered(emulator, { ...findRecord('spotify'), scopes_added_when_email_wanted: [] }, NOW_MS)
    const callback = await authorized(client)
    const reply = await exchanged(client, callback)
    const request = profileRequest(client, 'https://api.spotify.com/v1/me', reply, callback)
    expect(await (await emulator.fetch(request)).json()).toMatchObject({ id: '4815', email: null })
  })

  const shownId = /4815|8wl2p/
  const demanding: readonly [provider: string, part: string][] = [
    ['reddit', 'user-agent'],
    ['mediawiki', 'user-agent'],
    ['twitch', 'client-id'],
    ['tiktok', 'client-id'],
    ['dwolla', 'accept'],
    ['facebook', 'appsecret_proof'],
    ['odnoklassniki', 'sig'],
    ['mailru', 'sig'],
    ['stackexchange', 'key'],
    ['disqus', 'api_secret'],
    ['vk', 'client_id'],
  ]
  it.each(demanding)('of %s is refused without %s', async (provider, part) => {
    const emulator = emulatorWith()
    const client = registered(emulator, findRecord(provider), NOW_MS)
    const callback = await authorized(client)
    const reply = await exchanged(client, callback)
    const address =
      provider === 'dwolla'
        ? 'https://api.dwolla.com/accounts/4815'
        : (emulator.endpoints(provider)['profile_url'] ?? '')
    const request = profileRequest(client, address, reply, callback)
    const right = await emulator.fetch(request.clone())
    expect(JSON.stringify(await right.json())).toMatch(shownId)
    const url = new URL(request.url)
    url.searchParams.delete(part)
    const headers = new Headers(request.headers)
    headers.delete(part)
    const body = request.method === 'POST' ? (await request.text()).replace(/&?client_id=[^&]*/, '') : null
    const less = await emulator.fetch(new Request(url, { method: request.method, headers, body }))
    expect(JSON.stringify(await less.json())).not.toMatch(shownId)
  })
})

it("tells Facebook's apps whose a token is, and no one else", async () => {
  const emulator = emulatorWith()
  registered(emulator, findRecord('facebook'), NOW_MS)
  const graph = 'https://graph.facebook.com/v19.0'
  const app = { client_id: 'client-1', client_secret: 'secret-1', grant_type: 'client_credentials' }
  const get = async (path: string, parameters: Record<string, string>): Promise<unknown> =>
    (await emulator.fetch(new Request(`${graph}${path}?${query(parameters)}`))).json()
  const { access_token = '' } = (await get('/oauth/access_token', app)) as Record<string, string> // used below
  const input_token = emulator.accessToken('facebook', 'client-1')
  expect(await get('/debug_token', { input_token, access_token })).toMatchObject({
    data: { app_id: 'client-1', is_valid: true, user_id: '4815' },
  })
  expect(await get('/debug_token', { input_token: 'guess', access_token })).toMatchObject({ data: { is_valid: false } })
  expect(await get('/debug_token', { input_token, access_token: 'guess' })).toMatchObject({ error: { code: 190 } })
  const swapped = await get('/oauth/access_token', {
    ...app,
    grant_type: 'fb_exchange_token',
    fb_exchange_token: input_token,
  })
  expect(swapped).toMatchObject({ access_token: expect.any(String), expires_in: 5_184_000 })
})

it('remembers what was sent, and answers nothing but providers', async () => {
  const emulator = emulatorWith()
  expect((await emulator.fetch(new Request('https://github.com/'))).status).toBe(404)
  await emulator.fetch(new Request(TOKEN, { method: 'POST', body: new URLSearchParams({ code: 'c' }) }))
  expect(emulator.requests).toEqual([
    { provider: 'github', kind: 'token', method: 'POST', url: TOKEN, headers: expect.any(Object), body: 'code=c' },
  ])
})
