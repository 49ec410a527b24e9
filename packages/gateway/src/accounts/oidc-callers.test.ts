import { type TestDatabase, testDatabases } from '@gatepost/sql/testing'
import { request as httpRequest } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { type AccountsWorld, accountsWorld, PASSWORD } from '../testing/accounts-world.ts'
import type { BrowserSession } from '../testing/browser-session.ts'
import { CLI_CLIENT, ensureCliClient } from './oauth/client-routes.ts'

let world: AccountsWorld
let database: TestDatabase<object> | null = null
afterEach(async () => {
  await world[Symbol.asyncDispose]()
  await database?.close()
  database = null
})

async function worldOn(
  open: (typeof testDatabases)[number][1],
  env: Readonly<Record<string, string>> = {},
): Promise<AccountsWorld> {
  database = await open<object>()
  const { url } = database.options
  return accountsWorld(url === undefined ? env : { ...env, GATEPOST_DATABASE_URL: url })
}

type Answer = Readonly<Record<string, unknown>>
type Fields = Readonly<Record<string, string>>

const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code'

async function post(path: string, fields: Fields): Promise<Answer> {
  const body = new URLSearchParams(fields)
  const answer = await fetch(`${world.gateway().url}/identity/o/api/${path}`, { method: 'POST', body })
  return (await answer.json()) as Answer // every answer of these endpoints is a JSON object
}

/** What the command line is given once somebody has confirmed its code. */
async function signedIn(by: BrowserSession, scope: string): Promise<Answer> {
  const device = await post('device/code', { client_id: CLI_CLIENT, scope })
  await by.submit('/accounts/reauthenticate/', { password: PASSWORD })
  const confirmed = await by.submit('/identity/o/device', { code: String(device['user_code']), action: 'confirm' })
  expect(confirmed.status).toBe(200)
  return post('token', { client_id: CLI_CLIENT, grant_type: DEVICE, device_code: String(device['device_code']) })
}
const createAccessToken = async (by: BrowserSession, scope: string): Promise<string> =>
  String((await signedIn(by, scope))['access_token'])

interface Service {
  readonly id: string
  readonly secret: string
}
const SERVICE = { name: 'Nightly', grant_types: ['client_credentials'] }
const createServiceToken = ({ body }: { readonly body: Answer }): Service => ({
  id: String(body['id']),
  secret: String(body['secret']),
})
const asService = ({ id, secret }: Service, scope: string): Promise<Answer> =>
  post('token', { grant_type: 'client_credentials', client_id: id, client_secret: secret, scope })
const accessOfService = async (service: Service, scope: string): Promise<string> =>
  String((await asService(service, scope))['access_token'])

async function told(token: string, path: string, method = 'GET', body?: unknown): Promise<readonly unknown[]> {
  const answer = await world.ask(method, path, { token, ...(body !== undefined && { body }) })
  return [answer.status, answer.body['code'] ?? 'ok']
}
const me = async (token: string): Promise<Answer> => (await world.ask('GET', '/api/me', { token })).body

describe.each(testDatabases)('access tokens of clients, on %s', (_name, open) => {
  it('of the command line need its client, which every start makes anew where it is gone', async () => {
    world = await worldOn(open)
    const ann = await world.first()
    const token = await createAccessToken(ann, 'account')
    const { auth } = world.gateway().accounts
    await world.ask('PATCH', `/api/admin/clients/${CLI_CLIENT}`, { body: { scopes: ['account'] } })
    await Promise.all([ensureCliClient(auth), ensureCliClient(auth)])
    const clients = async () => (await world.ask('GET', '/api/admin/clients')).body['clients']
    expect(await clients()).toMatchObject([{ id: CLI_CLIENT, scopes: ['account'] }])
    expect(await post('device/code', { client_id: CLI_CLIENT, scope: 'admin' })).toMatchObject({
      error: 'invalid_scope',
    })
    await world.ask('DELETE', `/api/admin/clients/${CLI_CLIENT}`)
    expect(await told(token, '/api/me')).toEqual([401, 'unauthorized'])
    expect(await post('device/code', { client_id: CLI_CLIENT, scope: 'account' })).toMatchObject({
      error: 'invalid_client',
    })
    // As two nodes that start at once.
    await Promise.all([ensureCliClient(auth), ensureCliClient(auth)])
    expect(await clients()).toMatchObject([{ id: CLI_CLIENT, type: 'public' }])
    expect(await told(token, '/api/me')).toEqual([401, 'unauthorized'])
    const wrong = { name: 'x', redirect_uris: ['javascript:alert(1)'], type: 'public' }
    expect((await world.ask('POST', '/api/admin/clients', { body: wrong })).body['error']).toMatch(/^redirect_uris: /)
  })

  it('act for who allowed them, with their rights of today and no scope besides', async () => {
    world = await worldOn(open)
    const ann = await world.first()
    const bo = await world.invited('bo@example.org', true)
    const token = await createAccessToken(bo, 'openid account channels:read admin')
    expect(await me(token)).toMatchObject({
      kind: 'client',
      account: 'u2',
      scopes: ['channels:read', 'account', 'admin'],
    })
    expect(await told(token, '/api/channels?account=owner')).toEqual([200, 'ok'])
    expect(await told(token, '/api/channels/telegram/send', 'POST', { message: 'hi' })).toEqual([403, 'scope_missing'])
    expect(await told(token, '/api/tokens', 'POST', { name: 'x', scopes: ['channels:send'] })).toEqual([
      403,
      'scope_not_allowed',
    ])
    // A session is no proof for agents: any page could use it.
    expect((await bo.call('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' })).status).toBe(401)
    const narrow = await createAccessToken(bo, 'openid channels:read')
    expect(await told(narrow, '/api/channels?account=owner')).toEqual([404, 'unknown_account'])
    // Not of staff any more: only what is left of it.
    await world.ask('PATCH', '/api/accounts/u2', { body: { staff: false } })
    expect((await me(token))['scopes']).toEqual(['channels:read', 'account'])
    expect(await told(token, '/api/channels?account=owner')).toEqual([404, 'unknown_account'])
    expect(await told(token, '/api/audit')).toEqual([403, 'scope_missing'])
    await world.ask('PATCH', '/api/accounts/u2', { body: { active: false } })
    expect(await told(token, '/api/me')).toEqual([401, 'unauthorized'])
    await world.ask('PATCH', '/api/accounts/u2', { body: { active: true } })
    expect(await told(token, '/api/me')).toEqual([401, 'unauthorized'])
    const own = await createAccessToken(ann, 'openid account')
    world.advance(3_600_000)
    expect(await told(own, '/api/me')).toEqual([401, 'unauthorized'])
  })

  it('end the personal tokens created with them when their user or staff end the client', async () => {
    world = await worldOn(open)
    const ann = await world.first()
    const create = async (token: string): Promise<string> => {
      const made = await world.ask('POST', '/api/tokens', { token, body: { name: 'program', scopes: ['account'] } })
      const { body } = await world.ask('POST', '/api/tokens', {
        token: String(made.body['token']),
        body: { name: 'child', scopes: ['account'] },
      })
      return String(body['token'])
    }
    const revoked = await signedIn(ann, 'account')
    const byRevoked = await create(String(revoked['access_token']))
    expect(await told(byRevoked, '/api/me')).toEqual([200, 'ok'])
    await fetch(`${world.gateway().url}/identity/o/api/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: CLI_CLIENT, token: String(revoked['refresh_token']) }),
    })
    expect(await told(byRevoked, '/api/me')).toEqual([401, 'unauthorized'])

    const byPerson = await create(await createAccessToken(ann, 'account'))
    await ann.submit('/accounts/applications/', { client: CLI_CLIENT })
    expect(await told(byPerson, '/api/me')).toEqual([401, 'unauthorized'])

    const byCli = await create(await createAccessToken(ann, 'account'))
    const service = await world.ask('POST', '/api/admin/clients', { body: { ...SERVICE, scopes: ['account'] } })
    const byService = await create(await accessOfService(createServiceToken(service), 'account'))
    expect([await told(byCli, '/api/me'), await told(byService, '/api/me')]).toEqual([
      [200, 'ok'],
      [200, 'ok'],
    ])
    for (const id of [CLI_CLIENT, String(service.body['id'])]) await world.ask('DELETE', `/api/admin/clients/${id}`)
    expect([await told(byCli, '/api/me'), await told(byService, '/api/me')]).toEqual([
      [401, 'unauthorized'],
      [401, 'unauthorized'],
    ])
  })

  it('that a client has for itself act for who holds its secret', async () => {
    world = await worldOn(open)
    await world.first()
    const bo = await world.invited('bo@example.org', true)
    const boAdmin = await createAccessToken(bo, 'openid account admin')
    const scopes = ['account', 'admin', 'channels:read']
    const made = await world.ask('POST', '/api/admin/clients', { token: boAdmin, body: { ...SERVICE, scopes } })
    const ofBo = await accessOfService(createServiceToken(made), 'account admin')
    expect(await me(ofBo)).toMatchObject({ account: 'u2', scopes: ['account', 'admin'], user: { id: '2' } })
    const owners = await world.ask('POST', '/api/admin/clients', { body: { ...SERVICE, scopes } })
    const ofOwner = await accessOfService(createServiceToken(owners), 'account admin')
    expect(await me(ofOwner)).toMatchObject({ account: 'owner', user: null })
    expect(await told(ofOwner, '/api/accounts/owner', 'PATCH', { staff: false })).toEqual([409, 'owner_account'])
    // Whoever is shown a secret gets no more from it than they have: not the rights of the owner token.
    const id = String(owners.body['id'])
    const renewed = await world.ask('POST', `/api/admin/clients/${id}/secret`, { token: boAdmin })
    const ofRenewed = await accessOfService({ id, secret: String(renewed.body['secret']) }, 'account admin')
    expect(await me(ofRenewed)).toMatchObject({ account: 'u2', user: { id: '2' } })
    await bo.submit('/accounts/reauthenticate/', { password: PASSWORD })
    const page = await bo.submit('/accounts/admin/clients/add/', {
      name: 'By page',
      grant_service: 'on',
      scope_admin: 'on',
      scope_account: 'on',
    })
    const { body: all } = await world.ask('GET', '/api/admin/clients')
    const byPage = (all['clients'] as readonly Answer[]).find(({ name }) => name === 'By page') // as openapi.test.ts holds it
    const secret = /id="client_secret"[^>]*>([^<]*)</.exec(page.text)?.[1] ?? ''
    const ofPage = await accessOfService({ id: String(byPage?.['id']), secret }, 'account admin')
    expect(await me(ofPage)).toMatchObject({ account: 'u2', scopes: ['account', 'admin'] })
    await world.ask('PATCH', '/api/accounts/u2', { body: { staff: false } })
    for (const token of [ofBo, ofRenewed, ofPage])
      expect(await told(token, '/api/audit')).toEqual([403, 'scope_missing'])
    await world.ask('PATCH', '/api/accounts/u2', { body: { active: false } })
    for (const token of [ofBo, ofRenewed, ofPage]) expect(await told(token, '/api/me')).toEqual([401, 'unauthorized'])
    const lines = (await world.ask('GET', '/api/audit?limit=200')).body['items'] as readonly Answer[] // as openapi.test.ts holds it
    expect(lines).toContainEqual(
      expect.objectContaining({ action: 'staff_page_sent', actor: '2', target: '/accounts/admin/clients/add/' }),
    )
    expect(lines).toContainEqual(
      expect.objectContaining({ action: 'createClient', actor_kind: 'client', actor: `2 by ${CLI_CLIENT}` }),
    )
    const everything = JSON.stringify([world.lines, lines])
    for (const one of [ofBo, boAdmin, secret, String(renewed.body['secret'])]) expect(everything).not.toContain(one)
  })
})

it('staff who lack the second factor that they must have, have no rights of staff by a client or a page', async () => {
  world = await accountsWorld({ GATEPOST_STAFF_SECOND_FACTOR: 'on', MFA_ALLOW_UNVERIFIED_EMAIL: 'true' })
  const ann = await world.first()
  const token = await createAccessToken(ann, 'openid account admin')
  expect(await told(token, '/api/admin/clients')).toEqual([403, 'second_factor_required'])
  await ann.submit('/accounts/reauthenticate/', { password: PASSWORD })
  const FIELDS = { name: 'Mine', grant_service: 'on', scope_admin: 'on' }
  expect((await ann.submit('/accounts/admin/clients/add/', FIELDS)).status).toBe(403)
  expect((await ann.get('/accounts/admin/social-apps/')).status).toBe(403)
  const { body } = await world.ask('GET', '/api/admin/clients')
  expect(body['clients']).toMatchObject([{ id: CLI_CLIENT }])
  const set = await ann.get('/accounts/2fa/totp/activate/')
  const secret = /\b[A-Z2-7]{32}\b/.exec(set.text)?.[0] ?? ''
  await ann.submit('/accounts/2fa/totp/activate/', { code: world.totpCode(secret) })
  expect(await told(token, '/api/admin/clients')).toEqual([200, 'ok'])
  expect((await ann.submit('/accounts/admin/clients/add/', FIELDS)).status).toBe(200)
})

/** As a reverse proxy sends it on: to this machine, with or without the name that the visitor used. */
function throughProxy(path: string, token: string, host: string): Promise<number> {
  const { port } = new URL(world.gateway().url)
  const headers = { host, authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ host: '127.0.0.1', port, path, method: 'POST', headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    sent.on('error', reject)
    sent.end('{}')
  })
}

it('a token for a resource is good there alone, also behind a proxy that does not tell the name', async () => {
  world = await accountsWorld({ GATEPOST_PUBLIC_URL: 'https://gate.example.org' })
  const { auth } = world.gateway().accounts
  const { port } = new URL(world.gateway().url)
  const withAudience = async (name: string, aud: string): Promise<string> => {
    const token = `made-up-${name}`
    await auth.kernel.database.db
      .insertInto('allauth_idp_oidc_token')
      .values({
        type: 'at',
        hash: auth.module('oidc').adapter.hashToken(token),
        client_id: CLI_CLIENT,
        user_id: 1,
        scopes: 'channels:read',
        created_at: '2024-01-02 03:04:05.000000',
        expires_at: null,
        data: JSON.stringify({ gatepost: { aud } }),
      })
      .execute()
    return token
  }
  await auth.kernel.database.db
    .insertInto('auth_user')
    .values({
      id: 1,
      password: '!',
      is_superuser: false,
      username: 'ann',
      first_name: '',
      last_name: '',
      email: 'ann@example.org',
      is_staff: false,
      is_active: true,
      date_joined: '2024-01-02 03:04:05.000000',
    })
    .execute()
  const here = await withAudience('here', 'https://gate.example.org/mcp')
  const elsewhere = await withAudience('elsewhere', 'https://other.example.org/mcp')
  for (const host of ['gate.example.org', `127.0.0.1:${port}`]) {
    expect([host, await throughProxy('/mcp', here, host)]).not.toEqual([host, 401])
    expect([host, await throughProxy('/mcp', elsewhere, host)]).toEqual([host, 401])
    expect([host, await throughProxy('/api/tokens', here, host)]).toEqual([host, 401])
  }
})
