import { testDatabases } from '@gatepost/sql/testing'
import { Secret, TOTP } from 'otpauth'
import { afterEach, describe, expect, it } from 'vitest'
import type { AuthTables } from '../../kernel/schema/tables.ts'
import type { AuthOptions } from '../../options.ts'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'
import { codeTo } from '../../testing/effects/effect.ts'
import type { Visited, Visitor } from '../../testing/visitor.ts'
import {
  addClient,
  readAuthorizationResponse,
  authorizePath,
  CALLBACK,
  followRedirects,
  PASSWORD,
  post,
  SIGNING_KEY,
  tokensFor,
  fetchUserinfo,
} from './testing-relying-party.ts'

const ALL = { scope_openid: 'on', scope_profile: 'on', scope_email: 'on' }
const FRONT_END = {
  account_confirm_email: '/app/confirm/{key}',
  account_reset_password_from_key: '/app/reset/{key}',
  account_signup: '/app/signup',
}
const DEVICE = '/identity/o/device'

describe.each(testDatabases)('the pages of our OpenID Connect provider on %s', (_name, open) => {
  let world: AuthWorld
  afterEach(() => world.close())

  async function start(
    settings: AuthSettingsInput = {},
    adapters: AuthOptions<AuthTables>['adapters'] = {},
  ): Promise<void> {
    const own = { idpOidc: { enabled: true, privateKey: SIGNING_KEY }, ...settings }
    world = await authWorld({ settings: own, adapters: { ...adapters } }, open)
    await world.addUser({ username: 'ada', email: 'ada@example.org', firstName: 'Ada', password: PASSWORD })
  }
  async function ada(): Promise<Visitor> {
    const visitor = world.visitor()
    await visitor.login('ada', PASSWORD)
    return visitor
  }
  /** Records the client signals. */
  function heard(): readonly string[] {
    const told: string[] = []
    for (const name of ['client_allowed', 'client_revoked'] as const) {
      world.auth.signals.on(name, ({ signal, sender, user, client, ...more }) => {
        const scopes = 'scopes' in more ? ` ${more.scopes.join(' ')}` : ''
        told.push(`${signal} ${sender} ${user.username} ${client.name}${scopes}`)
      })
    }
    return told
  }
  const readCsp = ({ headers }: Visited): string => headers.get('content-security-policy') ?? ''

  it('lead people by the login to consent, and on to the client, once', async () => {
    await start()
    const client = await addClient(world)
    const told = heard()
    const visitor = world.visitor()
    const login = await followRedirects(visitor, await visitor.get(authorizePath(client, { login_hint: 'ada&"' })))
    expect(login.at).toMatch(/^\/accounts\/login\/\?next=\/identity\/o\/interaction\//)
    expect(/name="login"[^>]*/.exec(login.html)?.[0]).toContain('value="ada&amp;&quot;"')
    const consent = await followRedirects(visitor, await visitor.post(login.at, { login: 'ada', password: PASSWORD }))
    expect([consent.status, consent.headers.get('x-frame-options')]).toEqual([200, 'DENY'])
    expect(consent.text).toContain('Notes wants to access your Example account')
    expect(consent.text).toContain("You'll be redirected to notes.example.com")
    expect(consent.html.match(/name="scope_\w+" value="on" checked/g)).toHaveLength(3)
    expect(readCsp(consent)).toMatch(/form-action 'self' https:$/)

    const foreign = await visitor.post(consent.at, { ...ALL, action: 'grant', csrfmiddlewaretoken: 'x'.repeat(32) })
    expect(foreign.status).toBe(403)
    const none = await visitor.post(consent.at, { action: 'grant' })
    expect([none.status, none.text]).toEqual([200, expect.stringContaining('Select at least one permission')])
    expect(none.html).not.toMatch(/name="scope_\w+" value="on" checked/)

    const granted = { scope_openid: 'on', scope_profile: 'on', action: 'grant' }
    const answer = readAuthorizationResponse(await followRedirects(visitor, await visitor.post(consent.at, granted)))
    expect(answer).toMatchObject({ at: CALLBACK, state: 'made-up-state', iss: 'http://auth.test' })
    expect(told).toEqual(['client_allowed OidcClient ada Notes openid profile'])
    const tokens = await tokensFor(world, client, answer['code'] ?? '')
    expect(tokens).toMatchObject({ token_type: 'Bearer', scope: 'openid profile' })
    expect(await fetchUserinfo(world, tokens['access_token'])).toEqual({
      sub: '1',
      name: 'Ada',
      given_name: 'Ada',
      preferred_username: 'ada',
    })
    expect((await visitor.get(consent.at)).status).toBe(400)
    expect((await world.visitor().get(consent.at)).text).toContain('was started in another browser')
  })

  it('are there without the other pages, and lead to the login of the front end', async () => {
    const headless = { enabled: true, only: true, frontendUrls: FRONT_END } as const
    await start({ headless, loginUrl: '/app/login' })
    const client = await addClient(world)
    const visitor = world.visitor()
    const login = await followRedirects(visitor, await visitor.get(authorizePath(client)))
    expect(login.at).toMatch(/^\/app\/login\?next=\/identity\/o\/interaction\//)
    const interaction = decodeURIComponent(login.at.split('next=')[1] ?? '')
    expect((await visitor.get(DEVICE)).location).toBe('/app/login?next=/identity/o/device')
    expect((await visitor.get('/identity/o/logout')).status).toBe(302)
    expect((await visitor.get('/accounts/login/')).status).toBe(404)
    const { auth } = world
    const user = await auth.kernel.users.byId(auth.kernel.database.db, 1)
    if (user === null) throw new Error('Ada is not there')
    const cookies = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const { headers } = await world.auth.visit(
      new Request('http://auth.test/', { headers: { cookie: cookies } }),
      { remoteAddress: '192.0.2.1' },
      (request) => auth.account.login.begin(request, { user }),
    )
    for (const line of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      visitor.cookies.set(name, value)
    }
    expect((await followRedirects(visitor, await visitor.get(interaction))).text).toContain('Notes wants to access')
  })

  it('deny the request for any other action', async () => {
    await start()
    const client = await addClient(world)
    const visitor = await ada()
    for (const fields of [{ action: 'cancel' }, {}, { ...ALL, action: 'Grant' }]) {
      const consent = await followRedirects(visitor, await visitor.get(authorizePath(client)))
      expect(
        readAuthorizationResponse(await followRedirects(visitor, await visitor.post(consent.at, fields))),
      ).toMatchObject({
        at: CALLBACK,
        error: 'access_denied',
        state: 'made-up-state',
      })
    }
  })

  it('let people choose among their verified addresses', async () => {
    await start()
    const { auth } = world
    const more = { userId: 1, verified: true, primary: false }
    await auth.account.emails.insert(auth.kernel.database.db, { ...more, email: 'lovelace@example.org' })
    await auth.account.emails.insert(auth.kernel.database.db, {
      ...more,
      email: 'pending@example.org',
      verified: false,
    })
    const client = await addClient(world)
    const visitor = await ada()
    const consent = await followRedirects(visitor, await visitor.get(authorizePath(client)))
    expect(consent.html).toMatch(/name="email" value="ada@example.org" checked/)
    expect(consent.html).toContain('value="lovelace@example.org"')
    expect(consent.html).not.toContain('pending@example.org')
    const wrong = await visitor.post(consent.at, { ...ALL, action: 'grant', email: 'pending@example.org' })
    expect(wrong.text).toContain('Select one of the available options.')
    const fields = { ...ALL, action: 'grant', email: 'lovelace@example.org' }
    const { code = '' } = readAuthorizationResponse(
      await followRedirects(visitor, await visitor.post(consent.at, fields)),
    )
    const { access_token: token } = await tokensFor(world, client, code)
    expect(await fetchUserinfo(world, token)).toMatchObject({ email: 'lovelace@example.org', email_verified: true })
  })

  it('require reauthentication if the client requests it', async () => {
    await start()
    const client = await addClient(world, { skipConsent: true })
    const visitor = await ada()
    expect(
      readAuthorizationResponse(await followRedirects(visitor, await visitor.get(authorizePath(client)))),
    ).toHaveProperty('code')
    world.clock.advance(60_000)
    const asked = await followRedirects(visitor, await visitor.get(authorizePath(client, { prompt: 'login' })))
    expect(asked.at).toMatch(/^\/accounts\/reauthenticate\/\?next=\/identity\/o\/interaction\//)
    const [, interaction = ''] = decodeURIComponent(asked.at).split('next=')
    expect((await followRedirects(visitor, await visitor.get(interaction))).at).toBe(asked.at)
    world.clock.advance(1_000)
    const confirmed = await visitor.post(asked.at, { password: PASSWORD })
    expect(readAuthorizationResponse(await followRedirects(visitor, confirmed))).toHaveProperty('code')
  })

  it("send users who can't reauthenticate to sign in again", async () => {
    await start({ account: { loginByCodeEnabled: true } })
    const client = await addClient(world, { skipConsent: true })
    const visitor = world.visitor()
    await world.addUser({ username: 'bea', email: 'bea@example.org' })
    const signIn = async (path: string): Promise<Visited> => {
      await visitor.post(path, { email: 'bea@example.org' })
      return visitor.post('/accounts/login/code/confirm/', { code: await codeTo(world, 'bea@example.org') })
    }
    await signIn('/accounts/login/code/')
    world.clock.advance(60_000)
    const asked = await followRedirects(visitor, await visitor.get(authorizePath(client, { prompt: 'login' })))
    expect(asked.at).toMatch(/^\/accounts\/login\/\?next=\/identity\/o\/interaction\//)
    expect(await visitor.whoami()).toBeNull()
    world.clock.advance(1_000)
    const signedIn = await signIn(asked.at.replace('/login/?', '/login/code/?'))
    expect(readAuthorizationResponse(await followRedirects(visitor, signedIn))).toHaveProperty('code')
  })

  it('let a device in by its code, and limit guesses', async () => {
    await start()
    const client = await addClient(world)
    const told = heard()
    const asked = await post(world, '/identity/o/api/device/code', { client_id: client.id, scope: 'openid profile' })
    const code = String(asked['user_code'])
    const poll = () =>
      post(world, '/identity/o/api/token', {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        client_id: client.id,
        device_code: String(asked['device_code']),
      })
    expect((await world.visitor().get(`${DEVICE}?code=${code}`)).location).toBe(
      `/accounts/login/?next=/identity/o/device%3Fcode%3D${code}`,
    )
    const visitor = await ada()
    expect((await visitor.get(DEVICE)).text).toContain('Enter the code shown on your device.')
    expect((await visitor.post(DEVICE, { code: ' ' })).text).toContain('This field is required.')
    const confirm = await visitor.post(DEVICE, { code: code.toLowerCase().replaceAll('-', ' ') })
    expect(confirm.text).toContain('Notes on another device wants to access your')
    expect(confirm.text).toContain(code)
    expect(confirm.text).toContain('Requested from 192.0.2.50')
    expect(confirm.text).toContain('View your name and username')
    expect(confirm.headers.get('x-frame-options')).toBe('DENY')
    const foreign = { code, action: 'confirm', csrfmiddlewaretoken: 'x'.repeat(32) }
    expect((await visitor.post(DEVICE, foreign)).status).toBe(403)
    expect(await poll()).toMatchObject({ error: 'authorization_pending' })
    expect((await visitor.post(`${DEVICE}?code=${code}`, { code, action: 'confirm' })).text).toContain(
      'Device connected',
    )
    expect((await visitor.get(`${DEVICE}?code=${code}`)).text).toContain('Incorrect code.')
    expect(told).toEqual(['client_allowed OidcClient ada Notes openid profile'])
    world.clock.advance(60_000)
    expect(await poll()).toMatchObject({ token_type: 'Bearer', scope: 'openid profile' })
    for (let tries = 0; tries < 5; tries++) await visitor.get(`${DEVICE}?code=AAAA-AAAA`)
    const limited = await visitor.post(DEVICE, { code: 'AAAA-AAAA', action: 'confirm' })
    expect([limited.status, limited.text]).toEqual([200, expect.stringContaining('Too many requests.')])
  })

  it("don't let a device that can do more than read in by a link, and require the second factor", async () => {
    const scopeDisplay = { 'notes:read': 'Read notes', 'notes:write': 'Change notes', admin: 'Everything' }
    const oidc = { scopeDisplay, readOnlyScopes: ['openid', 'notes:read'], sensitiveScopes: ['admin'] }
    await start({ mfa: { enabled: true } }, { oidc })
    const client = await addClient(world, { scopes: ['openid', ...Object.keys(scopeDisplay)] })
    const request = (scope: string) => post(world, '/identity/o/api/device/code', { client_id: client.id, scope })
    const visitor = await ada()
    const linked = async (asked: Readonly<Record<string, unknown>>): Promise<string> =>
      (await visitor.get(`${DEVICE}?code=${String(asked['user_code'])}`)).text
    const reading = await request('openid notes:read')
    expect(reading).toHaveProperty('verification_uri_complete')
    expect(await linked(reading)).toContain('Notes on another device wants to access')

    const writing = await request('openid notes:write')
    expect(writing).not.toHaveProperty('verification_uri_complete')
    const form = await visitor.get(`${DEVICE}?code=${String(writing['user_code'])}`)
    expect(form.text).toContain('Enter the code shown on your device.')
    expect(form.html).not.toContain(String(writing['user_code']))
    const bare = await visitor.post(`${DEVICE}?code=${String(writing['user_code'])}`, { action: 'confirm' })
    expect(bare.text).toContain('This field is required.')
    const typed = await visitor.post(DEVICE, { code: String(writing['user_code']) })
    expect(typed.text).toContain('Notes on another device wants to access')

    const activation = await visitor.get('/accounts/2fa/totp/activate/')
    const secret = /[?&]secret=([A-Z2-7]+)/.exec(activation.html)?.[1] ?? ''
    const totp = new TOTP({ secret: Secret.fromBase32(secret) })
    const codeNow = (): string => totp.generate({ timestamp: world.clock.now() })
    await visitor.post('/accounts/2fa/totp/activate/', { code: codeNow() })
    world.clock.advance(600_000)
    await visitor.post('/accounts/reauthenticate/', { password: PASSWORD })
    const admin = { code: String((await request('openid admin'))['user_code']) }
    const atFactor = '/accounts/2fa/reauthenticate/?next=/identity/o/device'
    expect((await visitor.post(DEVICE, { ...admin, action: 'confirm' })).location).toBe(atFactor)
    expect((await visitor.get(DEVICE)).location).toBe(atFactor)
    const confirmed = await visitor.post(atFactor, { code: codeNow() })
    const shown = await visitor.follow(confirmed)
    expect(shown.text).toContain('Notes on another device wants to access')
    expect(shown.text).toContain('Everything')
    expect((await visitor.post(DEVICE, { ...admin, action: 'confirm' })).text).toContain('Device connected')
    expect((await visitor.get(DEVICE)).text).toContain('Enter the code shown on your device.')
  })

  it('keep a device out', async () => {
    await start()
    const client = await addClient(world)
    const told = heard()
    const asked = await post(world, '/identity/o/api/device/code', { client_id: client.id, scope: 'openid' })
    const visitor = await ada()
    const fields = { code: String(asked['user_code']), action: 'deny' }
    expect((await visitor.post(DEVICE, fields)).text).toContain("Notes wasn't given access.")
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
    const device = { grant_type, client_id: client.id, device_code: String(asked['device_code']) }
    expect(await post(world, '/identity/o/api/token', device)).toMatchObject({ error: 'access_denied' })
    expect((await visitor.get('/accounts/applications/')).text).toContain("You haven't given any apps access")
    expect(told).toEqual([])
  })

  it.each([
    ['en', "Access your account while you're away"],
    ['de', 'Auch in Ihrer Abwesenheit auf Ihr Konto zugreifen'],
    ['es', 'Acceder a tu cuenta en tu ausencia'],
    ['fr', 'Accéder à votre compte en votre absence'],
    ['zh-hans', '在您离线时访问您的账号'],
  ])('describe the offline access of a client that has it, in %s', async (language, description) => {
    await start()
    const created = await addClient(world)
    const scopes = ['openid', 'offline_access']
    const { db } = world.auth.kernel.database
    await db
      .updateTable('allauth_idp_oidc_client')
      .set({ scopes: scopes.join('\n') })
      .where('id', '=', created.id)
      .execute()
    const client = { ...created, scopes }
    const visitor = world.visitor({ language })
    await visitor.login('ada', PASSWORD)
    const consent = await followRedirects(visitor, await visitor.get(authorizePath(client, { prompt: 'consent' })))
    expect(consent.text).toContain(description)
    const { user_code: code } = await post(world, '/identity/o/api/device/code', {
      client_id: client.id,
      scope: scopes.join(' '),
    })
    const device = await followRedirects(visitor, await visitor.get(`${DEVICE}?code=${String(code)}`))
    expect(device.text).toContain(description)
  })

  it('list and revoke access', async () => {
    await start()
    const client = await addClient(world, { skipConsent: true })
    const told = heard()
    const visitor = await ada()
    const { code = '' } = readAuthorizationResponse(
      await followRedirects(visitor, await visitor.get(authorizePath(client))),
    )
    const { access_token: token } = await tokensFor(world, client, code)
    world.clock.advance(300_000)
    const list = await visitor.get('/accounts/applications/')
    expect(list.text).toMatch(/Notes Confirm your identity · .*Authorized: 5 minutes ago/)
    expect((await visitor.get('/accounts/email/')).html).toContain('href="/accounts/applications/"')
    await visitor.post('/accounts/applications/', { client: 'another' })
    expect(await fetchUserinfo(world, token)).toMatchObject({ sub: '1' })
    expect(told).toEqual([])
    const ended = await visitor.follow(await visitor.post('/accounts/applications/', { client: client.id }))
    expect(ended.text).toContain('Notes no longer has access to your account.')
    expect(ended.text).toContain("You haven't given any apps access")
    expect(await fetchUserinfo(world, token)).toBe(401)
    expect(told).toEqual(['client_revoked OidcClient ada Notes'])
  })
})
