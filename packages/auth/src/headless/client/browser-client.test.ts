import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Authentication } from './authentication.ts'
import { ClientError } from './transport.ts'
import { type ClientWorld, clientWorld } from './testing/client-world.ts'

const EMAIL = 'ada@example.org'
const PASSWORD = 'a made-up pass phrase'

let site: ClientWorld
beforeEach(async () => {
  site = await clientWorld({ settings: { account: { loginByCodeEnabled: true } } })
  await site.world.addUser({ username: 'ada', email: EMAIL, password: PASSWORD })
})
afterEach(() => site.close())

it('signs in and out by cookies alone', async () => {
  const client = site.browser()
  const anonymous = await client.getSession()
  expect(anonymous.status).toBe(401)
  if (anonymous.status === 401) expect(anonymous.data.flows.map(({ id }) => id)).toContain('login')

  const signedIn = await client.login({ email: EMAIL, password: PASSWORD })
  expect(signedIn).toMatchObject({ status: 200, data: { user: { email: EMAIL } }, meta: { is_authenticated: true } })
  expect((await client.getSession()).status).toBe(200)
  const emails = await client.listEmails()
  expect(emails.status === 200 && emails.data).toEqual([{ email: EMAIL, verified: true, primary: true }])

  expect((await client.logout()).status).toBe(401)
  expect((await client.getSession()).status).toBe(401)
  expect(site.take().some(({ headers }) => headers.has('x-session-token'))).toBe(false)
})

it('asks for a CSRF token once, and only to change something', async () => {
  const client = site.browser()
  const [one, two] = await Promise.all([
    client.login({ email: EMAIL, password: 'wrong' }),
    client.requestLoginCode({ email: EMAIL }),
  ])
  expect([one.status, two.status]).toEqual([400, 401])
  expect(site.take().map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET config',
    'POST auth/login',
    'POST auth/code/request',
  ])
  const again = site.browser()
  await again.getSession()
  const token = again.cookies.get('csrftoken')
  await again.login({ email: EMAIL, password: PASSWORD })
  const [, login] = site.take()
  expect(login?.headers.get('x-csrftoken')).toBe(token)
  // It is another one after the sign-in, and still found.
  expect(await again.csrfToken()).toBe(again.cookies.get('csrftoken'))
  expect((await again.logout()).status).toBe(401)
})

it('sends keys as headers and flags as queries', async () => {
  const client = site.browser()
  expect((await client.getPasswordReset({ key: 'no such key, ü' })).status).toBe(400)
  await client.getWebauthnCreation({ passwordless: true }).catch(() => null)
  const [reset, creation] = site.take()
  expect(reset?.headers.get('x-password-reset-key')).toBe('no?such?key,??')
  expect(reset?.body).toBe('')
  expect(creation?.path).toBe('account/authenticators/webauthn?passwordless')
})

describe('the authentication', () => {
  it('is emitted on every change, and only then', async () => {
    const client = site.browser()
    const seen: Authentication[] = []
    const stop = client.onChange((authentication) => seen.push(authentication))
    expect(client.authentication()).toBeNull()
    await client.getSession()
    await client.getSession()
    await client.login({ email: EMAIL, password: PASSWORD })
    await client.getSession()
    await client.logout()
    expect(seen.map(({ isAuthenticated, user }) => [isAuthenticated, user?.email ?? null])).toEqual([
      [false, null],
      [true, EMAIL],
      [false, null],
    ])
    stop()
    await client.login({ email: EMAIL, password: PASSWORD })
    expect(seen).toHaveLength(3)
    expect(client.authentication()).toMatchObject({ isAuthenticated: true, user: { email: EMAIL } })
  })

  it("is emitted to every listener, and a throwing listener doesn't fail the request", async () => {
    const client = site.browser()
    const uncaught: unknown[] = []
    vi.stubGlobal('queueMicrotask', (work: () => void) => {
      try {
        work()
      } catch (error) {
        uncaught.push(error)
      }
    })
    const failure = new Error('of the listener')
    const seen: boolean[] = []
    client.onChange(() => {
      throw failure
    })
    client.onChange(({ isAuthenticated }) => seen.push(isAuthenticated))
    expect((await client.login({ email: EMAIL, password: PASSWORD })).status).toBe(200)
    vi.unstubAllGlobals()
    expect(seen).toEqual([true])
    expect(uncaught).toEqual([failure])
  })

  it('is emitted when its methods change', async () => {
    const client = site.browser()
    await client.login({ email: EMAIL, password: PASSWORD })
    const seen: number[] = []
    client.onChange(({ methods }) => seen.push(methods.length))
    await client.reauthenticate({ password: PASSWORD })
    expect(seen).toEqual([2])
  })

  it('contains the pending step', async () => {
    const client = site.browser()
    await client.requestLoginCode({ email: EMAIL })
    expect(client.authentication()?.flows).toContainEqual({ id: 'login_by_code', is_pending: true })
  })

  it('reflects the newest request, whichever response comes last', async () => {
    const client = site.browser()
    await client.getConfig()
    const late = Promise.withResolvers<Response>()
    site.intercept('auth/session', () => late.promise)
    const asked = client.getSession()
    await client.login({ email: EMAIL, password: PASSWORD })
    late.resolve(
      Response.json({ status: 401, data: { flows: [] }, meta: { is_authenticated: false } }, { status: 401 }),
    )
    expect((await asked).status).toBe(401)
    expect(client.authentication()?.isAuthenticated).toBe(true)
  })

  it("stays signed in when a step of a login doesn't fit", async () => {
    const other = await clientWorld({ settings: { mfa: { enabled: true } } })
    try {
      await other.world.addUser({ username: 'ada', email: EMAIL, password: PASSWORD })
      const client = other.browser()
      await client.login({ email: EMAIL, password: PASSWORD })
      expect((await client.authenticateByCode({ code: '123456' })).status).toBe(401)
      expect(client.authentication()?.isAuthenticated).toBe(true)
    } finally {
      await other.close()
    }
  })
})

describe('a response from something other than the API', () => {
  const page = (status: number): Response =>
    new Response('<!doctype html>', { status, headers: { 'content-type': 'text/html' } })

  it.each([
    ['a page', () => Promise.resolve(page(403)), 'unexpected_answer', 403],
    ['a page with a good status', () => Promise.resolve(page(200)), 'unexpected_answer', 200],
    [
      'a failure of the server',
      () => Promise.resolve(Response.json({ status: 500 }, { status: 500 })),
      'unexpected_answer',
      500,
    ],
    ['unrelated JSON', () => Promise.resolve(Response.json({ ok: true })), 'unexpected_answer', 200],
    ['a connection that breaks', () => Promise.reject(new TypeError('fetch failed')), 'unreachable', null],
  ] as const)('%s is an error', async (_what, answer, code, status) => {
    const client = site.browser()
    site.intercept('config', answer)
    const failed = await client.getConfig().catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(ClientError)
    expect(failed).toMatchObject({ code, status })
    // Nothing is tried again by itself.
    expect(site.take()).toHaveLength(1)
  })

  it('is not found where the settings have no such path', async () => {
    await expect(site.browser().listAuthenticators()).rejects.toMatchObject({ code: 'unexpected_answer', status: 404 })
  })
})

it('returns when to retry', async () => {
  const limited = await clientWorld({ settings: { account: { rateLimits: { login: '1/m/ip' } } } })
  try {
    const client = limited.browser()
    await client.login({ email: EMAIL, password: PASSWORD })
    const second = await client.login({ email: EMAIL, password: PASSWORD })
    expect(second).toEqual({ status: 429, retryAfterSeconds: 60 })
  } finally {
    await limited.close()
  }
})
