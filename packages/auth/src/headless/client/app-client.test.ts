import { afterEach, describe, expect, it } from 'vitest'
import type { ErrorCode } from './operations.ts'
import { type ClientWorld, clientWorld, memoryStorage } from './testing/client-world.ts'

const EMAIL = 'ada@example.org'
const PASSWORD = 'a made-up pass phrase'
const MINUTE = 60_000

let site: ClientWorld
afterEach(() => site.close())

async function open(settings: NonNullable<Parameters<typeof clientWorld>[0]>['settings'] = {}): Promise<void> {
  site = await clientWorld({ settings })
  await site.world.addUser({ username: 'ada', email: EMAIL, password: PASSWORD })
}

describe('with session tokens', () => {
  it('keeps the newest token and sends it', async () => {
    await open({ account: { loginByCodeEnabled: true } })
    const client = site.app()
    expect((await client.getSession()).status).toBe(401)
    expect(client.storage.tokens.size).toBe(0)
    await client.requestLoginCode({ email: EMAIL })
    const first = client.storage.tokens.get('session_token')
    expect(first).toBeTypeOf('string')
    const mail = await site.world.mailTo(EMAIL)
    const code = /^\s*([B-Z]{4}-[B-Z]{4})\s*$/m.exec(mail.text)?.[1] ?? ''
    expect(await client.confirmLoginCode({ code })).toMatchObject({ status: 200 })
    const second = client.storage.tokens.get('session_token')
    expect(second).not.toBe(first)
    expect((await client.getSession()).status).toBe(200)
    expect(site.take().at(-1)?.headers.get('x-session-token')).toBe(second)
    expect(site.take().every(({ headers }) => !headers.has('cookie'))).toBe(true)
  })

  it('types the codes of an operation', async () => {
    await open()
    const response = await site.app().login({ email: EMAIL, password: 'a wrong pass phrase' })
    if (response.status !== 400) throw new Error(`${response.status}`)
    const codes: readonly ErrorCode<'login'>[] = response.errors.map(({ code }) => code)
    expect(codes).toEqual(['email_password_mismatch'])
    const hasOthers: 'incorrect_code' extends ErrorCode<'login'> ? true : false = false
    expect(hasOthers).toBe(false)
  })

  it('is signed in again with stored tokens', async () => {
    await open()
    const storage = memoryStorage()
    await site.app(storage).login({ email: EMAIL, password: PASSWORD })
    expect((await site.app(storage).getSession()).status).toBe(200)
  })

  it('deletes the token of a session that has ended', async () => {
    await open()
    const client = site.app()
    await client.login({ email: EMAIL, password: PASSWORD })
    const { auth } = site.world
    const user = await auth.kernel.users.byUsername(auth.kernel.database.db, 'ada')
    await auth.kernel.sessions.endAll(auth.kernel.database.db, user?.id ?? 0)
    expect((await client.getSession()).status).toBe(410)
    expect(client.storage.tokens.size).toBe(0)
    expect(client.authentication()?.isAuthenticated).toBe(false)
    expect((await client.getSession()).status).toBe(401)
  })

  it('deletes it at logout', async () => {
    await open()
    const client = site.app()
    await client.login({ email: EMAIL, password: PASSWORD })
    expect((await client.logout()).status).toBe(401)
    expect(client.storage.tokens.size).toBe(0)
    expect(await client.accessToken()).toBeNull()
  })
})

describe('with access tokens', () => {
  const jwt = (more: object = {}) =>
    ({
      headless: { tokenStrategy: 'jwt', jwtAlgorithm: 'HS256', jwtPrivateKey: 'made-up '.repeat(5), ...more },
    }) as const

  it('has them from the sign-in on, and sends nothing else', async () => {
    await open(jwt())
    const client = site.app()
    await client.login({ email: EMAIL, password: PASSWORD })
    expect([...client.storage.tokens.keys()].toSorted()).toEqual(['access_token', 'refresh_token'])
    site.take()
    expect((await client.getSession()).status).toBe(200)
    const [sent] = site.take()
    expect(sent?.headers.get('authorization')).toBe(`Bearer ${client.storage.tokens.get('access_token')}`)
    expect(sent?.headers.has('x-session-token')).toBe(false)
  })

  it('sends them under the scheme that the server asks for', async () => {
    await open(jwt({ jwtAuthorizationHeaderScheme: 'Token' }))
    const client = site.app(memoryStorage(), { authorizationScheme: 'Token' })
    await client.login({ email: EMAIL, password: PASSWORD })
    expect((await client.getSession()).status).toBe(200)
    expect(site.take().at(-1)?.headers.get('authorization')).toMatch(/^Token /)
  })

  it('refreshes once for all requests that wait', async () => {
    await open(jwt())
    const client = site.app()
    await client.login({ email: EMAIL, password: PASSWORD })
    const before = client.storage.tokens.get('refresh_token')
    site.world.clock.advance(6 * MINUTE)
    site.take()
    const answers = await Promise.all([
      client.getSession(),
      client.listEmails(),
      client.addEmail({ email: 'b@example.org' }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const paths = site.take().map(({ path }) => path)
    expect(paths.filter((path) => path === 'tokens/refresh')).toHaveLength(1)
    expect(paths).toHaveLength(4)
    expect(client.storage.tokens.get('refresh_token')).not.toBe(before)
  })

  it('refreshes and asks again where a token that seemed good is refused', async () => {
    await open(jwt())
    const storage = memoryStorage()
    const client = site.app(storage)
    await client.login({ email: EMAIL, password: PASSWORD })
    site.intercept('auth/session', async () =>
      Response.json({ status: 401, data: { flows: [] }, meta: { is_authenticated: false } }, { status: 401 }),
    )
    site.take()
    const changes: boolean[] = []
    client.onChange(({ isAuthenticated }) => changes.push(isAuthenticated))
    expect((await client.getSession()).status).toBe(200)
    expect(site.take().map(({ path }) => path)).toEqual(['auth/session', 'tokens/refresh', 'auth/session'])
    expect(changes).toEqual([])
  })

  it('never retries an operation that changes something', async () => {
    await open(jwt())
    const client = site.app()
    await client.login({ email: EMAIL, password: PASSWORD })
    site.take()
    site.intercept('account/email', async () =>
      Response.json({ status: 401, data: { flows: [] }, meta: { is_authenticated: false } }, { status: 401 }),
    )
    expect((await client.addEmail({ email: 'b@example.org' })).status).toBe(401)
    expect(site.take().map(({ path }) => path)).toEqual(['account/email', 'tokens/refresh'])
    // The session continues, so no listener is notified.
    expect(client.authentication()?.isAuthenticated).toBe(true)
    expect((await client.listEmails()).status).toBe(200)
    expect(site.take().map(({ path }) => path)).toEqual(['account/email'])
  })

  it('refreshes a stored token of unknown age first', async () => {
    await open(jwt())
    const storage = memoryStorage()
    await site.app(storage).login({ email: EMAIL, password: PASSWORD })
    site.take()
    expect((await site.app(storage).getSession()).status).toBe(200)
    expect(site.take().map(({ path }) => path)).toEqual(['tokens/refresh', 'auth/session'])
  })

  it('takes the refresh token that another window has stored', async () => {
    await open(jwt())
    const storage = memoryStorage()
    const [one, two] = [site.app(storage), site.app(storage)]
    await one.login({ email: EMAIL, password: PASSWORD })
    expect((await two.getSession()).status).toBe(200)
    site.world.clock.advance(6 * MINUTE)
    expect((await one.getSession()).status).toBe(200)
    expect((await one.getSession()).status).toBe(200)
  })

  it('signs out, and notifies listeners, when the refresh is refused', async () => {
    await open(jwt())
    const client = site.app()
    await client.login({ email: EMAIL, password: PASSWORD })
    site.world.clock.advance(2 * 86_400_000)
    const changes: boolean[] = []
    client.onChange(({ isAuthenticated }) => changes.push(isAuthenticated))
    expect(await client.accessToken()).toBeNull()
    expect(client.storage.tokens.size).toBe(0)
    expect(changes).toEqual([false])
    expect((await client.getSession()).status).toBe(401)
    expect((await client.login({ email: EMAIL, password: PASSWORD })).status).toBe(200)
  })

  it('keeps its tokens if the server is unreachable', async () => {
    await open(jwt())
    const client = site.app()
    await client.login({ email: EMAIL, password: PASSWORD })
    site.world.clock.advance(6 * MINUTE)
    site.intercept('tokens/refresh', () => Promise.reject(new TypeError('fetch failed')))
    await expect(client.getSession()).rejects.toMatchObject({ code: 'unreachable' })
    expect((await client.getSession()).status).toBe(200)
  })

  it('stays signed in when the password changes', async () => {
    await open(jwt())
    const client = site.app()
    await client.login({ email: EMAIL, password: PASSWORD })
    const changed = await client.changePassword({ current_password: PASSWORD, new_password: 'another made-up phrase' })
    expect(changed.status).toBe(200)
    expect((await client.getSession()).status).toBe(200)
    site.world.clock.advance(6 * MINUTE)
    expect((await client.getSession()).status).toBe(200)
  })

  it('continues with the session token if it gets only that', async () => {
    await open(jwt())
    const client = site.app()
    await client.login({ email: EMAIL, password: PASSWORD })
    site.intercept('account/password/change', async () =>
      Response.json({ status: 200, data: {}, meta: { is_authenticated: true, session_token: 'made-up' } }),
    )
    await client.changePassword({ new_password: 'another made-up phrase' })
    site.take()
    // The token is made up, so the API reports that the session has ended.
    expect((await client.getSession()).status).toBe(410)
    expect(site.take().map(({ headers }) => headers.get('x-session-token'))).toEqual(['made-up'])
    expect(client.storage.tokens.size).toBe(0)
  })

  it('gives other services a token that is good', async () => {
    await open(jwt())
    const client = site.app()
    await client.login({ email: EMAIL, password: PASSWORD })
    site.world.clock.advance(6 * MINUTE)
    const token = (await client.accessToken()) ?? ''
    expect(await site.world.auth.module('headless').tokens.checkAccessToken?.(token)).not.toBeNull()
  })

  it('ends with the logout', async () => {
    await open(jwt())
    const client = site.app()
    await client.login({ email: EMAIL, password: PASSWORD })
    const refresh_token = client.storage.tokens.get('refresh_token') ?? ''
    expect((await client.logout()).status).toBe(401)
    expect(client.storage.tokens.size).toBe(0)
    expect(await client.refreshTokens({ refresh_token })).toEqual({ status: 400 })
  })

  it('starts with a refresh if only the refresh token was stored', async () => {
    await open(jwt())
    const storage = memoryStorage()
    await site.app(storage).login({ email: EMAIL, password: PASSWORD })
    storage.tokens.delete('access_token')
    expect((await site.app(storage).getSession()).status).toBe(200)
  })

  it('stays signed out if its tokens are deleted during a refresh', async () => {
    await open(jwt())
    const client = site.app()
    await client.login({ email: EMAIL, password: PASSWORD })
    site.world.clock.advance(6 * MINUTE)
    const [begun, late] = [Promise.withResolvers<void>(), Promise.withResolvers<Response>()]
    site.intercept('tokens/refresh', () => {
      begun.resolve()
      return late.promise
    })
    site.take()
    const asked = client.getSession()
    await begun.promise
    await client.forget()
    late.resolve(Response.json({ status: 200, data: { access_token: 'made-up', refresh_token: 'made-up too' } }))
    expect((await asked).status).toBe(401)
    expect(site.take().map(({ headers }) => headers.has('authorization'))).toEqual([false, false])
    expect(client.storage.tokens.size).toBe(0)
  })

  it("stores the tokens of the app's own refresh if it used the client's token", async () => {
    await open(jwt())
    const client = site.app()
    await client.login({ email: EMAIL, password: PASSWORD })
    const refresh_token = client.storage.tokens.get('refresh_token') ?? ''
    expect((await client.refreshTokens({ refresh_token })).status).toBe(200)
    expect(client.storage.tokens.get('refresh_token')).not.toBe(refresh_token)
    site.world.clock.advance(6 * MINUTE)
    expect((await client.getSession()).status).toBe(200)
  })

  it('loses no refresh token where the storage fails', async () => {
    await open(jwt())
    const storage = memoryStorage()
    const set = storage.set.bind(storage)
    const failing = { ...storage, set }
    const client = site.app(failing)
    await client.login({ email: EMAIL, password: PASSWORD })
    site.world.clock.advance(6 * MINUTE)
    failing.set = () => Promise.reject(new Error('locked'))
    await expect(client.getSession()).rejects.toThrow('locked')
    failing.set = set
    expect((await client.getSession()).status).toBe(200)
    site.world.clock.advance(6 * MINUTE)
    expect((await client.getSession()).status).toBe(200)
    expect((await site.app(storage).getSession()).status).toBe(200)
  })
})
