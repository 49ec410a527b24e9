import { afterEach, describe, expect, it } from 'vitest'
import type { AuthOptions } from '../options.ts'
import type { AuthTables } from '../kernel/schema/tables.ts'
import { type AuthWorld, authWorld } from '../testing/auth-world.ts'
import { type HttpVisitor, httpVisitor } from './testing/http-visitor.ts'
import type { Served } from './testing/serve-http.ts'
import type { StartServer } from './testing/servers.ts'

const PASSWORD = 'a made-up pass phrase'
const ACCOUNT = {
  loginMethods: ['email'],
  signupFields: ['email*', 'password1*'],
  emailVerification: 'optional',
} as const
type Settings = NonNullable<AuthOptions<AuthTables>['settings']>

/** What every binding does; `start` serves a host in its framework. */
export function bindingContract(name: string, start: StartServer): void {
  describe(`accounts in ${name}`, () => {
    binding(start)
  })
}

function binding(start: StartServer): void {
  let world: AuthWorld
  let server: Served
  afterEach(async () => {
    await server.close()
    await world.close()
  })
  const open = async (settings: Settings = {}): Promise<HttpVisitor> => {
    world = await authWorld({ settings: { loginRedirectUrl: '/members/', account: ACCOUNT, ...settings } })
    server = await start(world.auth)
    return httpVisitor(server.origin)
  }
  const signUp = (visitor: HttpVisitor, email = 'ada@example.org', path = '/accounts/signup/') =>
    visitor.post(path, { email, password1: PASSWORD })
  const login = (visitor: HttpVisitor, path = '/accounts/login/', headers: Record<string, string> = {}) =>
    visitor.post(path, { login: 'ada@example.org', password: PASSWORD }, headers)

  describe('people', () => {
    it('sign up, out and in, and come back to where they wanted to be', async () => {
      const ada = await open()
      const sent = await ada.get('/members/?page=2')
      expect([sent.status, sent.location]).toEqual([302, '/accounts/login/?next=/members/%3Fpage%3D2'])
      expect((await signUp(ada)).location).toBe('/members/')
      expect((await ada.get('/members/')).text).toBe('Hello ada')
      expect((await ada.post('/accounts/logout/', {})).location).toBe('/')
      expect((await ada.get('/')).text).toBe('{"user":null}')
      const answer = await login(ada, sent.location ?? '')
      expect([answer.status, answer.location]).toEqual([302, '/members/?page=2'])
      expect((await ada.get('/')).text).toBe('{"user":"ada"}')
    })

    it('are let on with a verified address', async () => {
      const ada = await open()
      await signUp(ada)
      const held = await ada.get('/verified/')
      expect(held.text).not.toContain('Hello')
      expect(held.text).toContain('Verify your email address')
      const link = /\/accounts\/confirm-email\/\S+/.exec((await world.mailTo('ada@example.org')).text)?.[0] ?? ''
      await ada.post(link, {})
      expect((await ada.get('/verified/')).text).toBe('Hello ada')
    })

    it('are sent to verify their address where that is mandatory, but from what is open', async () => {
      const ada = await open({ account: { ...ACCOUNT, emailVerification: 'mandatory' } })
      await world.addUser({ username: 'ada', email: 'ada@example.org', password: PASSWORD })
      await login(ada)
      expect((await ada.get('/')).text).toBe('{"user":"ada"}')
      const { db } = world.auth.kernel.database
      await db.updateTable('account_emailaddress').set({ verified: false }).execute()
      expect((await ada.get('/?page=2')).location).toBe('/accounts/verify-email/?next=/%3Fpage%3D2')
      expect((await ada.get('/members/')).text).toBe('Hello ada')
      expect((await ada.get('/accounts/email/')).status).toBe(200)
      expect((await httpVisitor(server.origin).get('/')).text).toBe('{"user":null}')
    })

    it('must reauthenticate after a while', async () => {
      const ada = await open()
      expect((await ada.get('/fresh/')).location).toBe('/accounts/login/?next=/fresh/')
      await signUp(ada)
      await ada.post('/accounts/logout/', {})
      await login(ada)
      expect((await ada.get('/fresh/')).text).toBe('Hello ada')
      world.clock.advance(301_000)
      const held = await ada.get('/fresh/')
      expect(held.location).toBe('/accounts/reauthenticate/?next=/fresh/')
      expect((await ada.get('/fresh-post/')).text).toBe('Hello ada')
      expect((await ada.post(held.location ?? '', { password: PASSWORD })).location).toBe('/fresh/')
      expect((await ada.get('/fresh/')).text).toBe('Hello ada')
    })

    it('see what staff see only if they are', async () => {
      const ada = await open()
      expect((await ada.get('/staff/')).location).toBe('/accounts/login/?next=/staff/')
      await signUp(ada)
      expect((await ada.get('/staff/')).status).toBe(403)
      const { auth } = world
      await auth.kernel.users.update(auth.kernel.database.db, 1, { isStaff: true })
      expect((await ada.get('/staff/')).text).toBe('Hello ada')
    })

    it('at once are not taken for one another', async () => {
      await open()
      const names = ['ada', 'bea', 'cleo', 'dora']
      const visitors = names.map(() => httpVisitor(server.origin))
      await Promise.all(visitors.map((visitor, at) => signUp(visitor, `${names[at]}@example.org`)))
      const rounds = await Promise.all(
        Array.from({ length: 40 }, async (_each, at) => visitors[at % 4]?.get(at % 3 === 0 ? '/members/' : '/')),
      )
      rounds.forEach((got, at) => expect(got?.text).toContain(names[at % 4]))
    })
  })

  describe('forms', () => {
    it('of other sites are refused', async () => {
      const ada = await open()
      await signUp(ada)
      const wrong = await ada.post('/accounts/logout/', { csrfmiddlewaretoken: 'x'.repeat(32) })
      const foreign = await ada.post('/accounts/logout/', {}, { origin: 'https://evil.example' })
      expect([wrong.status, foreign.status]).toEqual([403, 403])
      expect((await ada.get('/')).text).toBe('{"user":"ada"}')
    })

    it("of the host's own need the header, and keep their body", async () => {
      const ada = await open()
      await signUp(ada)
      const send = (headers: Record<string, string>) =>
        ada.request('/api/notes', {
          method: 'POST',
          body: '{"note":"milk"}',
          headers: { 'content-type': 'application/json', ...headers },
        })
      const token = ada.cookies.get('csrftoken') ?? ''
      const refused = await send({})
      expect([refused.status, JSON.parse(refused.text)]).toMatchObject([403, { code: 'csrf_failed' }])
      expect((await send({ 'x-csrftoken': 'x'.repeat(32) })).status).toBe(403)
      expect((await send({ 'x-csrftoken': token, origin: 'https://evil.example' })).status).toBe(403)
      const taken = await send({ 'x-csrftoken': token })
      expect([taken.status, JSON.parse(taken.text)]).toEqual([200, { user: 'ada', note: 'milk' }])
    })

    it('arrive in pieces and as multipart', async () => {
      const ada = await open()
      await ada.get('/accounts/signup/')
      const csrfmiddlewaretoken = ada.cookies.get('csrftoken') ?? ''
      const text = new URLSearchParams({
        csrfmiddlewaretoken,
        email: 'ada@example.org',
        password1: PASSWORD,
      }).toString()
      const pieces = new ReadableStream<Uint8Array>({
        start(controller) {
          for (const letter of text) controller.enqueue(Buffer.from(letter))
          controller.close()
        },
      })
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      await ada.request('/accounts/signup/', { method: 'POST', body: pieces, headers, duplex: 'half' })
      expect((await ada.get('/')).text).toBe('{"user":"ada"}')
      const again = httpVisitor(server.origin)
      await again.get('/accounts/login/')
      const form = new FormData()
      form.set('csrfmiddlewaretoken', again.cookies.get('csrftoken') ?? '')
      form.set('login', 'ada@example.org')
      form.set('password', PASSWORD)
      await again.request('/accounts/login/', { method: 'POST', body: form })
      expect((await again.get('/')).text).toBe('{"user":"ada"}')
    })

    it.each([
      ['that say so', false],
      ['that do not', true],
    ])('of 10 MB %s are refused, and the next request is answered', async (_why, chunked) => {
      const ada = await open()
      const body = new Uint8Array(10 * 1024 * 1024).fill(97)
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const init = { method: 'POST', headers, duplex: 'half' } as const
      const got = await ada.request('/accounts/login/', {
        ...init,
        body: chunked ? new Blob([body]).stream() : body,
      })
      expect(got.status).toBe(413)
      expect((await ada.get('/')).status).toBe(200)
    })
  })

  describe('the wire', () => {
    it('keeps every cookie, and answers HEAD and 304', async () => {
      const ada = await open()
      const signedUp = await signUp(ada)
      expect(signedUp.headers.getSetCookie().map((line) => line.split('=', 1)[0])).toEqual(
        expect.arrayContaining(['sessionid', 'csrftoken']),
      )
      const head = await ada.request('/accounts/email/', { method: 'HEAD' })
      expect([head.status, head.text, head.headers.get('content-type')]).toEqual([200, '', 'text/html; charset=utf-8'])
      const asset = await ada.get('/accounts/assets/auth.css')
      expect([asset.status, asset.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
      const same = await ada.get('/accounts/assets/auth.css', { 'if-none-match': asset.headers.get('etag') ?? '' })
      expect([same.status, same.text]).toEqual([304, ''])
      expect((await ada.get('/accounts/nowhere/')).status).toBe(404)
    })

    it.each([
      ['of the socket', 0, '127.0.0.1'],
      ['that its own proxy names', 1, '198.51.100.9'],
    ])('takes the address %s (%i proxies)', async (_why, trustedProxyCount, address) => {
      const ada = await open({ trustedProxyCount })
      await signUp(ada)
      await login(httpVisitor(server.origin), '/accounts/login/', { 'x-forwarded-for': '203.0.113.5, 198.51.100.9' })
      const { auth } = world
      const sessions = await auth.kernel.sessions.ofUser(auth.kernel.database.db, 1, auth.kernel.clock.now())
      expect(new Set(sessions.map(({ ip }) => ip))).toEqual(new Set(['127.0.0.1', address]))
    })
  })
}
