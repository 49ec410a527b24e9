import { afterEach, describe, expect, it } from 'vitest'
import type { AuthSettingsInput } from '../kernel/settings/settings.ts'
import { type AuthWorld, authWorld } from '../testing/auth-world.ts'
import { readPath } from '../testing/api-bench.ts'
import type { ApiVisitor } from '../testing/api-visitor.ts'

const PASSWORD = 'a made-up phrase'
const CREDENTIALS = { email: 'ada@example.org', password: PASSWORD }

let world: AuthWorld
async function open(settings: AuthSettingsInput = {}): Promise<void> {
  world = await authWorld({
    settings: { account: { loginMethods: ['email'] }, ...settings, headless: { enabled: true, ...settings.headless } },
  })
  await world.addUser({ username: 'Ada', email: 'ada@example.org', password: PASSWORD })
}
afterEach(() => world.close())

async function signedIn(client: 'app' | 'browser'): Promise<ApiVisitor> {
  const visitor = world.api(client)
  expect((await visitor.post('auth/login', CREDENTIALS)).status).toBe(200)
  return visitor
}

describe('an app', () => {
  it('gets its session token once, and no cookie', async () => {
    await open()
    const app = await signedIn('app')
    expect(app.cookies.size).toBe(0)
    const again = await app.get('auth/session')
    expect([again.status, readPath(again, 'meta')]).toEqual([200, { is_authenticated: true }])
  })

  it('needs no CSRF token, and ignores an ambient cookie', async () => {
    await open()
    const browser = await signedIn('browser')
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await world.api('app').get('auth/session', { cookie })
    expect([answer.status, readPath(answer, 'meta.is_authenticated')]).toEqual([401, false])
  })

  it.each(['GET', 'POST', 'DELETE'])('gets 410 for the token of an ended session: %s', async (method) => {
    await open()
    const app = await signedIn('app')
    expect((await app.delete('auth/session')).status).toBe(401)
    const gone = await app.send(method, method === 'GET' ? 'config' : 'auth/session')
    expect(gone.body).toMatchObject({
      status: 410,
      data: { flows: [{ id: 'login' }, { id: 'signup' }] },
      meta: { is_authenticated: false },
    })
    expect(gone.status).toBe(410)
  })

  it('is refused a token that never was one', async () => {
    await open()
    const app = world.api('app')
    for (const token of ['x', 'a'.repeat(43), 'ä', '']) {
      app.sessionToken = token
      // An empty header is no token.
      expect((await app.get('config')).status).toBe(token === '' ? 200 : 410)
    }
  })

  it('that only looks around has no session', async () => {
    await open()
    const app = world.api('app')
    await app.get('config')
    await app.get('auth/session')
    expect(app.sessionToken).toBeNull()
    expect(await world.auth.kernel.database.db.selectFrom('gatepost_session').selectAll().execute()).toEqual([])
  })
})

describe('a browser', () => {
  it('gets the CSRF cookie with every response, and never a token', async () => {
    await open()
    const browser = world.api('browser')
    const first = await browser.get('config')
    expect(first.headers.getSetCookie().join()).toMatch(/^csrftoken=/)
    const answer = await browser.post('auth/login', CREDENTIALS)
    expect([answer.status, readPath(answer, 'meta')]).toEqual([200, { is_authenticated: true }])
    expect((await browser.get('auth/session')).headers.getSetCookie().join()).toMatch(/^csrftoken=/)
  })

  it.each([
    ['without a token', { 'x-csrftoken': '' }],
    ['with a wrong one', { 'x-csrftoken': 'x'.repeat(32) }],
    ['from another site', { origin: 'https://evil.example' }],
  ])('is refused %s, by a page', async (_why, headers) => {
    await open()
    const browser = await signedIn('browser')
    const refused = await browser.delete('auth/session', undefined, headers)
    expect([refused.status, refused.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8'])
    expect(refused.headers.get('x-frame-options')).toBe('DENY')
    expect((await browser.get('auth/session')).status).toBe(200)
  })
})

describe("a sign-in through an app's API", () => {
  const logIn = async (headers: Readonly<Record<string, string>>): Promise<number> => {
    const request = new Request('http://auth.test/_allauth/app/v1/auth/login', {
      method: 'POST',
      body: JSON.stringify({ email: 'nobody@example.org', password: 'a made-up pass phrase' }),
      headers: { 'content-type': 'application/json', ...headers },
    })
    return (await world.auth.fetch(request, { remoteAddress: '192.0.2.9' })).status
  }

  it('is refused from a page of another site, unless its origin is trusted', async () => {
    await open({ csrfTrustedOrigins: ['https://app.example'] })
    const refused = [{ origin: 'https://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }]
    for (const headers of refused) expect([headers, await logIn(headers)]).toEqual([headers, 403])
    const accepted = [{}, { origin: 'http://auth.test' }, { origin: 'https://app.example' }]
    for (const headers of accepted) expect([headers, await logIn(headers)]).toEqual([headers, 400])
  })

  it('is refused unless its media type is JSON', async () => {
    await open()
    const { addUser } = world
    await addUser({ username: 'nobody', email: 'nobody@example.org', password: 'a made-up pass phrase' })
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'text/plain; application/json', ''])
      expect([type, await logIn({ 'content-type': type })]).toEqual([type, 400])
    expect(await logIn({ 'content-type': 'application/json; charset=utf-8' })).toBe(200)
  })
})

describe('every response', () => {
  it('is JSON that no cache keeps', async () => {
    await open()
    for (const client of ['app', 'browser'] as const) {
      const { headers } = await world.api(client).get('auth/session')
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(headers.get('cache-control')).toContain('no-store')
    }
  })

  it('responds in the requested language', async () => {
    await open()
    const wrong = await world.api('app', { language: 'de' }).post('auth/login', {})
    expect(readPath(wrong, 'errors.0.message')).not.toBe(
      readPath(await world.api('app').post('auth/login', {}), 'errors.0.message'),
    )
  })
})

const nowhere = [
  'auth/login/',
  'auth/nothing',
  '',
  '/_allauth/',
  '/_allauth/other/v1/config',
  '/_allauth/app/v2/config',
]
it.each(nowhere)('%s is a page that is not there', async (path) => {
  await open()
  const answer = await world.api('app').get(path)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
})

it.each([
  ['GET', 'auth/nothing'],
  ['POST', 'auth/2fa/trust'],
  ['GET', '/headless/signup/'],
])('gives an app no cookie for what is not there: %s %s', async (method, path) => {
  await open()
  const browser = await signedIn('browser')
  const app = world.api('app')
  app.sessionToken = 'x'
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const { status, headers } = await app.send(method, path, undefined, { cookie })
  expect([status, headers.getSetCookie()]).toEqual([path.startsWith('/') ? 405 : 404, []])
})

it('knows the methods of a path, after the input', async () => {
  await open()
  const app = world.api('app')
  const right = await app.put('auth/login', CREDENTIALS)
  expect([right.status, right.body, right.headers.get('allow')]).toEqual([405, null, 'POST'])
  expect((await app.put('auth/login', {})).status).toBe(400)
  expect((await app.get('auth/login')).status).toBe(405)
})

it.each(['{', '[]', '"x"', '{"email":1', '\u0000'])('refuses a body that is no object of JSON: %s', async (body) => {
  await open()
  const answer = await world.api('app').post('auth/login', body)
  expect([answer.status, readPath(answer, 'errors')]).toMatchObject([400, [{ code: 'invalid' }]])
})

it('redirects http to https if configured', async () => {
  await open({ secureSslRedirect: true })
  const answer = await world.api('app').get('config')
  expect([answer.status, answer.headers.get('location')]).toEqual([301, 'https://auth.test/_allauth/app/v1/config'])
})

it('warns the operator of a proxy missing from the settings', async () => {
  await open()
  for (const ip of ['192.0.2.1', '192.0.2.2']) await world.api('app').get('config', { 'x-forwarded-for': ip })
  expect(world.logged.filter(({ message }) => message.includes('X-Forwarded-For'))).toHaveLength(1)
})

it('refuses a body that is too large', async () => {
  await open()
  for (const client of ['app', 'browser'] as const) {
    const answer = await world.api(client).post('auth/login', { email: 'x'.repeat(200_000) })
    expect([answer.status, answer.body]).toEqual([413, { status: 413 }])
  }
})

it('is not there when it is off, or for a client that is not served', async () => {
  await open({ headless: { clients: ['app'] } })
  expect((await world.api('browser').get('config')).status).toBe(404)
  expect((await world.api('app').get('config')).status).toBe(200)
  expect(world.auth.handles('/_allauth/app/v1/config')).toBe(true)
  await world.close()
  world = await authWorld()
  expect((await world.api('app').get('config')).status).toBe(404)
  expect([world.auth.handles('/_allauth/app/v1/config'), world.auth.handles('/headless/signup/')]).toEqual([
    false,
    false,
  ])
})

it('is mounted at the configured path', async () => {
  await open({ headless: { path: '/api/auth/' } })
  expect((await world.api('app').get('/api/auth/app/v1/config')).status).toBe(200)
  expect((await world.api('app').get('/_allauth/app/v1/config')).status).toBe(404)
})

describe('the paths of the contract', () => {
  it('are those of the reference, for an app without a word about it', async () => {
    await open()
    const app = world.api('app')
    const signedUp = await app.post('/headless/signup/', {
      username: 'bo',
      email: 'bo@example.org',
      password: PASSWORD,
    })
    expect([signedUp.status, typeof readPath(signedUp, 'meta.session_token')]).toEqual([200, 'string'])
    expect(readPath(await app.get('/headless/users/me/'), 'data.user.email')).toBe('bo@example.org')
    expect((await app.post('/headless/authentication/logout/')).status).toBe(401)
    app.sessionToken = null
    expect((await app.post('/headless/authentication/login/', CREDENTIALS)).status).toBe(200)
    expect(readPath(await app.get('/headless/emails/'), 'data')).toMatchObject([{ email: 'ada@example.org' }])
    const change = { current_password: PASSWORD, new_password: 'another made-up phrase' }
    expect((await app.post('/headless/password/change/', change)).status).toBe(200)
    const set = await app.post('/headless/password/set/', { new_password: 'a third made-up phrase' })
    expect([set.status, readPath(set, 'errors')]).toMatchObject([
      400,
      [{ code: 'required', param: 'current_password' }],
    ])
    expect((await world.api('app').post('/headless/password/reset/', { email: 'ada@example.org' })).status).toBe(200)
  })

  it('take a cookie for a browser, which needs its CSRF token', async () => {
    await open()
    const browser = await signedIn('browser')
    expect((await browser.get('/headless/users/me/')).status).toBe(200)
    expect((await browser.post('/headless/authentication/logout/', undefined, { 'x-csrftoken': '' })).status).toBe(403)
    expect((await browser.post('/headless/authentication/logout/')).status).toBe(401)
  })

  it('recognize a browser behind a proxy that requires its own password', async () => {
    await open()
    const browser = world.api('browser')
    const answer = await browser.post('/headless/authentication/login/', CREDENTIALS, { authorization: 'Basic eDp5' })
    expect([answer.status, readPath(answer, 'meta')]).toEqual([200, { is_authenticated: true }])
    expect((await browser.get('auth/session')).status).toBe(200)
  })

  it('have only their own methods', async () => {
    await open()
    const answer = await world.api('app').get('/headless/signup/')
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
  })
})
