import { testDatabases } from '@gatepost/sql/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GRACE, type SocialWorld, socialWorld } from '../../testing/social-world.ts'
import type { Visited, Visitor } from '../../testing/visitor.ts'

const CONNECTIONS = '/accounts/3rdparty/'
const SIGNUP = '/accounts/3rdparty/signup/'
const LOGIN = '/accounts/login/'
const XHR = { 'x-requested-with': 'XMLHttpRequest' }

const statusAndLocation = ({ status, location }: Visited): readonly [number, string | null] => [status, location]

describe.each(testDatabases)('sign-ins at providers on %s', (_name, open) => {
  let world: SocialWorld
  const told: string[] = []
  beforeAll(async () => {
    world = await socialWorld(
      {
        settings: {
          account: { rateLimits: { provider_login: null, signup: null } },
          socialaccount: { emailRequired: true },
        },
        adapters: {
          social: {
            getRequestsSession: () => (request) => world.emulator.fetch(request),
            onAuthenticationError: (_request, { providerId, code }) => void told.push(`${providerId} ${code}`),
          },
        },
      },
      open,
    )
  })
  afterAll(() => world.close())

  const become = (id: string, more: Partial<typeof GRACE> = {}): void =>
    world.emulator.signIn({ ...GRACE, id, username: `p${id}`, email: `p${id}@example.org`, ...more })
  /** Signed in for the first time. */
  const arrived = async (id: string): Promise<Visitor> => {
    become(id)
    const visitor = world.visitor()
    await world.through(visitor, 'oidc/acme')
    expect(await visitor.whoami()).toBe(`p${id}`)
    return visitor
  }

  it.each([
    ['google', '1001'],
    ['github', '1002'],
    ['twitter', '1003'],
    ['oidc/acme', '1004'],
  ])('begin by a button of the login page: %s', async (slug, id) => {
    become(id)
    const visitor = world.visitor()
    const path = `/accounts/${slug}/login/?process=login&amp;next=%2Fpapers%2F`
    const login = await visitor.get(`${LOGIN}?next=/papers/`)
    expect(login.html).toContain(`<form method="post" action="${path}">`)
    const begun = await visitor.post(path.replace('&amp;', '&'))
    expect([begun.status, new URL(begun.location ?? '').protocol]).toEqual([302, 'https:'])
    const callback = await world.agree(begun.location)
    expect(statusAndLocation(await visitor.get(callback))).toEqual([302, '/papers/'])
    expect(await visitor.whoami()).not.toBeNull()
    for (const who of [visitor, world.visitor()]) {
      const again = await who.get(callback)
      expect([again.status, again.text.includes("Couldn't sign in with")]).toEqual([401, true])
    }
  })

  it('lead browsers on by a page, as providers go on to hosts that no policy can name', async () => {
    const begun = await world.visitor().post('/accounts/google/login/', {}, { accept: 'text/html,*/*;q=0.8' })
    const [, target = ''] = /<meta http-equiv="refresh" content="0; url=([^"]*)">/.exec(begun.html) ?? []
    expect([begun.status, new URL(target).host]).toEqual([200, 'accounts.google.com'])
    expect(begun.html).toContain(`href="${target}"`)
    expect(begun.headers.get('content-security-policy')).toMatch(/form-action 'self'( http:\/\/auth\.test)?$/)
  })

  it('begin by no link', async () => {
    const visitor = world.visitor()
    const shown = await visitor.get('/accounts/oidc/acme/login/?process=connect')
    expect([shown.status, shown.text]).toEqual([200, expect.stringContaining('Connect Acme')])
    expect(visitor.cookies.has('sessionid')).toBe(false)
    for (const path of [
      'oidc/none/login/',
      'facebook/login/',
      'oidc/google/login/',
      'saml/none/login/',
      'steam/callback/',
    ]) {
      expect([path, (await visitor.get(`/accounts/${path}`)).status]).toEqual([path, 404])
    }
    const forged = await visitor.get('/accounts/google/login/callback/?state=made-up&code=made-up')
    expect([forged.status, await visitor.whoami()]).toEqual([401, null])
  })

  it('end with a page when the person refuses, or the provider fails', async () => {
    const visitor = world.visitor()
    told.length = 0
    world.emulator.fail('google', 'authorize', 'denied')
    expect(statusAndLocation(await world.through(visitor, 'google'))).toEqual([
      302,
      '/accounts/3rdparty/login/cancelled/',
    ])
    expect((await visitor.get('/accounts/3rdparty/login/cancelled/')).text).toContain('Sign-in canceled')
    world.emulator.clearFaults()
    world.emulator.fail('google', 'token', 'error')
    const failed = await world.through(visitor, 'google')
    expect([failed.status, failed.text]).toEqual([401, expect.stringContaining("Couldn't sign in with Google.")])
    expect(failed.html).not.toMatch(/invalid_grant|error_description|token request/)
    world.emulator.clearFaults()
    world.emulator.fail('twitter', 'request_token', 'status_500')
    expect((await world.through(visitor, 'twitter')).status).toBe(401)
    world.emulator.clearFaults()
    expect(told).toEqual(['google cancelled', 'google unknown', 'twitter unknown'])
    expect(await visitor.whoami()).toBeNull()
  })

  it('link accounts, and unlink them as long as there is another way in', async () => {
    const grace = await arrived('2001')
    become('2002')
    expect(statusAndLocation(await world.through(grace, 'github', { process: 'connect' }))).toEqual([302, CONNECTIONS])
    const page = await grace.get(CONNECTIONS)
    expect(page.text).toContain('GitHub p2002 · Connected:')
    expect(page.text).toContain('Acme p2001 · Connected:')
    expect(page.html).toContain('action="/accounts/google/login/?process=connect"')
    const { data } = JSON.parse((await grace.get(CONNECTIONS, XHR)).html) as {
      data: { socialaccounts: { id: number; provider: string; name: string }[] }
    } // as scripts of older sites know it
    const { socialaccounts } = data
    expect(socialaccounts.map(({ provider, name }) => [provider, name])).toEqual([
      ['acme', 'p2001'],
      ['github', 'p2002'],
    ])
    const [acme, github] = socialaccounts.map(({ id }) => String(id))
    expect(statusAndLocation(await grace.post(CONNECTIONS, { account: acme ?? '' }))).toEqual([302, CONNECTIONS])
    const last = await grace.post(CONNECTIONS, { account: github ?? '' })
    expect([last.status, last.html.includes('role="alert"')]).toEqual([200, true])
    const other = await arrived('2003')
    const foreign = await other.post(CONNECTIONS, { account: github ?? '' })
    expect([foreign.status, foreign.html.includes('role="alert"')]).toEqual([200, true])
    become('2002')
    expect(statusAndLocation(await world.through(other, 'github', { process: 'connect', next: '/papers/' }))).toEqual([
      302,
      '/papers/',
    ])
    expect((await other.get(CONNECTIONS)).text).toMatch(/another|other/i)
    expect((await grace.get(CONNECTIONS)).text).toContain('GitHub p2002')
  })

  it('require sign-in before linking', async () => {
    const begun = await world.visitor().post('/accounts/google/login/?process=connect')
    expect(statusAndLocation(begun)).toEqual([302, `${LOGIN}?next=/accounts/google/login/%3Fprocess%3Dconnect`])
    expect(statusAndLocation(await world.visitor().get(CONNECTIONS))).toEqual([302, `${LOGIN}?next=${CONNECTIONS}`])
  })

  it("ask for data that the provider didn't return", async () => {
    become('3001', { email: null })
    const visitor = world.visitor()
    expect(statusAndLocation(await visitor.get(SIGNUP))).toEqual([302, LOGIN])
    expect(statusAndLocation(await world.through(visitor, 'oidc/acme', { next: '/papers/' }))).toEqual([302, SIGNUP])
    const form = await visitor.get(SIGNUP)
    expect(form.html).toMatch(/name="username" value="p3001"/)
    expect(form.text).toContain("You're signing up with Acme as")
    expect(form.html).not.toContain('type="password"')
    const wrong = await visitor.post(SIGNUP, { username: 'p3001', email: 'not an address' })
    expect([wrong.status, wrong.html.includes('aria-invalid="true"')]).toEqual([200, true])
    expect(statusAndLocation(await visitor.post(SIGNUP, { username: 'p3001', email: 'p3001@example.org' }))).toEqual([
      302,
      '/papers/',
    ])
    expect(await visitor.whoami()).toBe('p3001')
    expect(statusAndLocation(await visitor.get(SIGNUP))).toEqual([302, LOGIN])
  })

  it('try the test provider by its form', async () => {
    const visitor = world.visitor()
    const begun = await visitor.post('/accounts/dummy/login/', {}, { accept: 'text/html' })
    const path = begun.location ?? ''
    expect([begun.status, path]).toEqual([
      302,
      expect.stringMatching(/^\/accounts\/dummy\/authenticate\/\?state=\w{16}$/),
    ])
    expect((await visitor.get(path)).text).toContain('Test provider')
    expect((await visitor.post(path, { id: 'x' })).html).toContain('aria-invalid="true"')
    const fields = { id: '77', email: 'd77@example.org', email_verified: 'on', username: 'd77' }
    expect((await visitor.post(path, fields)).status).toBe(302)
    expect(await visitor.whoami()).toBe('d77')
    const other = world.visitor()
    const another = (await other.post('/accounts/dummy/login/')).location ?? ''
    expect(statusAndLocation(await other.post(another, { action: 'cancel' }))).toEqual([
      302,
      '/accounts/3rdparty/login/cancelled/',
    ])
  })

  it('show a form error when no OpenID is found at an address', async () => {
    const typed = { openid: 'https://127.0.0.1/made-up', next: '/papers/' }
    const answer = await world.visitor().post('/accounts/openid/login/?process=login', typed)
    expect([answer.status, answer.html.includes('aria-invalid="true"')]).toEqual([200, true])
    expect(answer.html).toMatch(/value="https:\/\/127\.0\.0\.1\/made-up"/)
    expect(answer.html).toContain('<input type="hidden" name="next" value="/papers/">')
  })

  it('take what Apple posts from its own site, and go on with the session', async () => {
    become('4001')
    const visitor = world.visitor()
    const begun = await visitor.post('/accounts/apple/login/?next=/papers/')
    const { path, fields } = await world.agreeByForm(begun.location)
    expect(path).toBe('/accounts/apple/login/callback/')
    const carrier = world.visitor()
    carrier.cookies.set('csrftoken', 'none')
    const posted = await carrier.post(path, fields, {
      origin: 'https://appleid.apple.com',
      'sec-fetch-site': 'cross-site',
    })
    expect(statusAndLocation(posted)).toEqual([302, `${path}finish/`])
    const [cookie = ''] = posted.headers.getSetCookie()
    expect(cookie).toMatch(
      /^apple-login-session=[\w-]{32}; Path=\/accounts\/apple\/login\/callback\/finish\/; HttpOnly; SameSite=Lax$/,
    )
    expect((await visitor.get(`${path}finish/`)).status).toBe(401)
    visitor.cookies.set('apple-login-session', carrier.cookies.get('apple-login-session') ?? '')
    expect(statusAndLocation(await visitor.get(`${path}finish/`))).toEqual([302, '/papers/'])
    expect([await visitor.whoami(), visitor.cookies.get('apple-login-session')]).toEqual([
      expect.any(String),
      undefined,
    ])
  })

  it('take what Google One Tap posts, with its cookie', async () => {
    become('5001')
    const path = '/accounts/google/login/token/'
    const visitor = world.visitor()
    const credential = world.emulator.idToken('google', 'client of google')
    const headers = { origin: 'https://accounts.google.com', 'sec-fetch-site': 'cross-site' }
    for (const g_csrf_token of ['', 'another']) {
      visitor.cookies.set('g_csrf_token', 'made-up')
      expect((await visitor.post(path, { credential, g_csrf_token }, headers)).status).toBe(401)
    }
    const bad = await visitor.post(path, { credential: 'x.y.z', g_csrf_token: 'made-up' }, headers)
    expect([bad.status, (await visitor.get(path)).status]).toEqual([401, 401])
    expect((await visitor.post(path, { credential, g_csrf_token: 'made-up' }, headers)).status).toBe(302)
    expect(await visitor.whoami()).not.toBeNull()
  })

  it('have pages of results, at the addresses of older sites too', async () => {
    const visitor = world.visitor()
    const error = await visitor.get('/accounts/3rdparty/login/error/')
    expect([error.status, error.text]).toEqual([401, expect.stringContaining("Couldn't sign in with this service.")])
    for (const [old, now] of [
      ['login/cancelled/', 'login/cancelled/'],
      ['login/error/', 'login/error/'],
      ['signup/?a=b', 'signup/?a=b'],
      ['connections/', ''],
    ]) {
      expect(statusAndLocation(await visitor.get(`/accounts/social/${old}`))).toEqual([301, `${CONNECTIONS}${now}`])
    }
  })
})
