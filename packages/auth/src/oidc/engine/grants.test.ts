import { testDatabases } from '@gatepost/sql/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { timeText } from '../../kernel/schema/values.ts'
import type { Visitor } from '../../testing/visitor.ts'
import type { OidcClient } from '../clients.ts'
import { type Answered, codeGrant, type OidcBench, oidcBench, PASSWORD, authorizationRequest } from './testing-bench.ts'

const TOKEN = '/identity/o/api/token'
type Own = { readonly client: OidcClient; readonly secret: string }

const readTextMember = ({ json }: Answered, name: string): string => String(json[name])
const errors = (answers: readonly Answered[]): readonly unknown[] => answers.map(({ json }) => json['error'])

describe.each(testDatabases)("users' grants to clients on %s", (_name, open) => {
  let bench: OidcBench
  let own: Own
  beforeAll(async () => {
    bench = await oidcBench({ open })
    own = await bench.client()
  })
  afterAll(() => bench.close())

  const refresh = (token: string, of = own): Promise<Answered> =>
    bench.post(TOKEN, {
      grant_type: 'refresh_token',
      refresh_token: token,
      client_id: of.client.id,
      client_secret: of.secret,
    })
  const isLive = async (token: string): Promise<boolean> =>
    (await bench.world.auth.module('oidc').tokens.check(token)) !== null
  /** Where the authorization endpoint leads: its error, or the page that it shows first. */
  async function leadsTo(browser: Visitor, params: Record<string, string>): Promise<string> {
    const { location } = await browser.get(`/identity/o/authorize?${String(new URLSearchParams(params))}`)
    if (location?.startsWith('/') === true) return (await browser.get(location)).location?.split('?')[0] ?? 'consent'
    const query = new URL(location ?? '').searchParams
    return query.get('error') ?? (query.has('code') ? 'code' : 'nothing')
  }

  it('gives tokens to one of two requests with one code, and ends them', async () => {
    const code = await bench.code(own.client)
    const both = await Promise.all([0, 1].map(() => bench.post(TOKEN, codeGrant(own, code))))
    expect(errors(both)).toContain('invalid_grant')
    for (const { json } of both.filter(({ status }) => status === 200)) {
      expect(await isLive(String(json['access_token']))).toBe(false)
      expect((await refresh(String(json['refresh_token']))).json['error']).toBe('invalid_grant')
    }
  })

  it('ends a family of which one token is used twice at once', async () => {
    const first = readTextMember(await bench.tokens(own), 'refresh_token')
    const both = await Promise.all([refresh(first), refresh(first)])
    expect(errors(both)).toContain('invalid_grant')
    for (const { json } of both.filter(({ status }) => status === 200)) {
      expect((await refresh(String(json['refresh_token']))).json['error']).toBe('invalid_grant')
      expect(await isLive(String(json['access_token']))).toBe(false)
    }
  })

  it('asks once, and again for more scopes or after a revocation', async () => {
    const { client } = await bench.client()
    const { browser, user, world } = bench
    const ask = (scope: string, more: Record<string, string> = {}): Promise<string> =>
      leadsTo(browser, authorizationRequest(client, { scope, ...more }))
    expect(await ask('openid')).toBe('consent')
    await bench.code(client, { scope: 'openid things:read' })
    expect(await ask('openid')).toBe('code')
    expect(await ask('things:read', { prompt: 'none' })).toBe('code')
    expect(await ask('openid', { prompt: 'consent' })).toBe('consent')
    expect(await ask('openid email')).toBe('consent')
    expect(await ask('openid email', { prompt: 'none' })).toBe('consent_required')
    const { auth } = world
    await auth.module('oidc').tokens.revokeOfUser(auth.kernel.database.db, user.id, client.id)
    expect(await ask('openid', { prompt: 'none' })).toBe('consent_required')
  })

  it('asks each time for an app on a device, because other apps can impersonate it', async () => {
    const redirectUris = ['http://127.0.0.1/cb', 'https://client.example/callback']
    const { client } = await bench.client({ type: 'public', redirectUris })
    const local = authorizationRequest(client, { redirect_uri: 'http://127.0.0.1:4711/cb' })
    expect((await bench.authorize(local)).searchParams.has('code')).toBe(true)
    expect(await leadsTo(bench.browser, local)).toBe('consent')
    expect(await leadsTo(bench.browser, { ...local, prompt: 'none' })).toBe('consent_required')
    expect(await leadsTo(bench.browser, authorizationRequest(client))).toBe('code')
  })

  it('takes a scope from a client and its tokens at once', async () => {
    const less = await bench.client({ scopes: ['openid', 'email'] })
    const tokens = await bench.tokens(less, { scope: 'openid email' })
    const { auth } = bench.world
    await auth.module('oidc').clients.update(auth.kernel.database.db, less.client.id, { scopes: ['openid'] })
    expect(await auth.module('oidc').tokens.check(readTextMember(tokens, 'access_token'))).toMatchObject({
      scopes: ['openid'],
    })
    expect((await refresh(readTextMember(tokens, 'refresh_token'), less)).json['scope']).toBe('openid')
  })

  it('issues no client credentials token to a public client, whatever its row contains', async () => {
    const { client } = await bench.client({ type: 'public' })
    const { db } = bench.world.auth.kernel.database
    const changed = { grant_types: 'client_credentials' }
    await db.updateTable('allauth_idp_oidc_client').set(changed).where('id', '=', client.id).execute()
    const { status, json } = await bench.post(TOKEN, { grant_type: 'client_credentials', client_id: client.id })
    expect([status, json['error']]).toEqual([400, 'unauthorized_client'])
  })

  it('ends codes and tokens with the consent, and lists the rest', async () => {
    const { auth } = bench.world
    const taken = await bench.client({ name: 'Taken back' })
    const tokens = await bench.tokens(taken)
    const code = await bench.code(taken.client)
    const allowed = await auth.module('oidc').tokens.ofUser(auth.kernel.database.db, bench.user.id)
    const since = bench.world.clock.now()
    expect(allowed.find(({ client }) => client.id === taken.client.id)).toMatchObject({
      client: { name: 'Taken back' },
      scopes: ['openid', 'things:read'],
      since,
    })
    const onlyAllowed = await bench.client()
    await bench.code(onlyAllowed.client)
    const listed = await auth.module('oidc').tokens.ofUser(auth.kernel.database.db, bench.user.id)
    expect(listed.map(({ client }) => client.id)).toContain(onlyAllowed.client.id)
    await auth.module('oidc').tokens.revokeOfUser(auth.kernel.database.db, bench.user.id, taken.client.id)
    const left = await auth.module('oidc').tokens.ofUser(auth.kernel.database.db, bench.user.id)
    expect(left.map(({ client }) => client.id)).not.toContain(taken.client.id)
    expect(await isLive(readTextMember(tokens, 'access_token'))).toBe(false)
    expect((await refresh(readTextMember(tokens, 'refresh_token'), taken)).json['error']).toBe('invalid_grant')
    expect((await bench.post(TOKEN, codeGrant(taken, code))).json['error']).toBe('invalid_grant')
  })

  it('knows only the currently signed-in user', async () => {
    const browser = bench.world.visitor()
    const params = authorizationRequest(own.client)
    expect(await leadsTo(browser, params)).toBe('/accounts/login/')
    await browser.login('ada', PASSWORD)
    const hint = readTextMember(await bench.tokens(own), 'id_token')
    expect(await leadsTo(browser, params)).toBe('code')
    expect(await leadsTo(browser, { ...params, id_token_hint: hint })).toBe('code')
    await browser.post('/accounts/logout/')
    expect(await leadsTo(browser, { ...params, prompt: 'none' })).toBe('login_required')
    await bench.world.addUser({ username: 'grace', email: 'grace@example.org', password: PASSWORD })
    await browser.login('grace', PASSWORD)
    expect(await leadsTo(browser, params)).toBe('consent')
    expect(await leadsTo(browser, { ...params, id_token_hint: hint, prompt: 'none' })).toBe('login_required')
    const to = await bench.authorize({ ...params, id_token_hint: hint }, { browser })
    expect(to.searchParams.get('error')).toBe('login_required')
    await browser.post('/accounts/logout/')
    await browser.login('ada', PASSWORD)
    const hinted = new URLSearchParams({ ...params, id_token_hint: hint, prompt: 'consent' }).toString()
    const begun = (await browser.get(`/identity/o/authorize?${hinted}`)).location ?? ''
    await browser.post('/accounts/logout/')
    await browser.login('grace', PASSWORD)
    const [, resume = ''] = /url=([^"]+)"/.exec((await browser.get(begun)).html) ?? []
    expect((await browser.get(resume)).location).toContain('error=login_required')
  })

  it('requires an authentication as recent as `max_age`', async () => {
    const { browser, world } = bench
    const params = authorizationRequest(own.client)
    world.clock.advance(3_600_000)
    expect(await leadsTo(browser, { ...params, max_age: '60' })).toBe('/accounts/reauthenticate/')
    expect(await leadsTo(browser, { ...params, max_age: '60', prompt: 'none' })).toBe('login_required')
    expect(await leadsTo(browser, { ...params, max_age: '7200' })).toBe('code')
    for (const wish of [{ prompt: 'login' }, { max_age: '1' }]) {
      const begun = await browser.get(`/identity/o/authorize?${String(new URLSearchParams({ ...params, ...wish }))}`)
      const at = begun.location ?? ''
      expect((await browser.get(at)).location).toMatch(/^\/accounts\/reauthenticate\//)
      const confirmed = await browser.post(`/accounts/reauthenticate/?next=${at}`, { password: PASSWORD })
      expect(confirmed.location).toBe(at)
      world.clock.advance(5_000)
      expect((await browser.get(at)).html).toContain('/identity/o/authorize/')
      world.clock.advance(600_000)
    }
    const to = await bench.authorize(params)
    expect(to.searchParams.has('code')).toBe(true)
  })

  it('takes the tokens of an old site', async () => {
    const { auth } = bench.world
    const { dialect, db } = auth.kernel.database
    const now = bench.world.clock.now()
    const stored = (type: string, token: string, expires: number | null) => ({
      type,
      hash: auth.module('oidc').adapter.hashToken(token),
      client_id: own.client.id,
      user_id: Number(bench.user.id),
      scopes: 'openid\nemail',
      created_at: timeText(now - 1_000, dialect),
      expires_at: expires === null ? null : timeText(expires, dialect),
      data: null,
    })
    const rows = [
      stored('at', 'old-access', now + 60_000),
      stored('at', 'old-and-over', now - 1),
      stored('rt', 'old-refresh', null),
    ]
    await db.insertInto('allauth_idp_oidc_token').values(rows).execute()
    expect(await auth.module('oidc').tokens.check('old-access')).toMatchObject({
      scopes: ['openid', 'email'],
      audience: null,
    })
    expect(await isLive('old-and-over')).toBe(false)
    const headers = { authorization: 'Bearer old-access' }
    const info = await bench.call('/identity/o/api/userinfo', { headers })
    expect(await info.json()).toMatchObject({ email: 'ada@example.org' })
    const first = await refresh('old-refresh')
    expect(first.json).toMatchObject({ scope: 'openid email', token_type: 'Bearer' })
    const second = await refresh(readTextMember(first, 'refresh_token'))
    expect(second.status).toBe(200)
    expect((await refresh('old-refresh')).json['error']).toBe('invalid_grant')
    expect(await isLive(readTextMember(second, 'access_token'))).toBe(false)
    await auth.module('oidc').tokens.sweep(now)
    const left = await db
      .selectFrom('allauth_idp_oidc_token')
      .select('id')
      .where('hash', '=', rows[1]?.hash ?? '')
      .execute()
    expect(left).toEqual([])
  })

  it('ends when the account is disabled or its password is reset', async () => {
    const { auth, clock } = bench.world
    const tokens = await bench.tokens(own)
    const access = readTextMember(tokens, 'access_token')
    await auth.kernel.users.update(auth.kernel.database.db, bench.user.id, { isActive: false })
    expect(await isLive(access)).toBe(false)
    expect((await refresh(readTextMember(tokens, 'refresh_token'))).json['error']).toBe('invalid_grant')
    await auth.kernel.users.update(auth.kernel.database.db, bench.user.id, { isActive: true })
    expect(await isLive(access)).toBe(true)
    await auth.accounts.setPassword(bench.user.id, PASSWORD)
    clock.advance(1_000)
    expect(await isLive(access)).toBe(false)
    const rows = await auth.module('oidc').tokens.ofUser(auth.kernel.database.db, bench.user.id)
    expect(rows).toEqual([])
  })
})
