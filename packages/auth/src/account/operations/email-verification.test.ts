import { afterEach, describe, expect, it } from 'vitest'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import { everywhere, statusAndErrors, observableResponse, statusAndPendingFlows } from '../../testing/api-cases.ts'
import type { ApiVisitor } from '../../testing/api-visitor.ts'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'

type Account = NonNullable<AuthSettingsInput['account']>

const PASSWORD = 'tangerine-orbit-42'
const BASE: Account = {
  loginMethods: ['email'],
  signupFields: ['email*', 'password1*'],
  emailVerification: 'mandatory',
}
const KEY = 'x-email-verification-key'
const VERIFY = 'auth/email/verify'
const RESEND = 'auth/email/verify/resend'

let world: AuthWorld
afterEach(() => world.close())

async function codeTo(email: string): Promise<string> {
  return /^\s*([B-Z]{4}-[B-Z]{4})\s*$/m.exec((await world.mailTo(email)).text)?.[1] ?? ''
}
async function keyTo(email: string): Promise<string> {
  return decodeURIComponent(/confirm-email\/([^/\s]+)\//.exec((await world.mailTo(email)).text)?.[1] ?? '')
}
const isVerified = async (email: string, userId = 1): Promise<boolean | undefined> => {
  const { auth } = world
  return (await auth.account.emails.find(auth.kernel.database.db, userId, email))?.verified
}

describe.each(everywhere)('auth/email/verify by code, %s', (_name, client, open) => {
  async function signedUp(account: Account = {}): Promise<ApiVisitor> {
    const all = { ...BASE, emailVerificationByCodeEnabled: true, ...account }
    world = await authWorld({ settings: { headless: { enabled: true }, account: all } }, open)
    const api = world.api(client)
    const answer = await api.post('auth/signup', { email: 'ada@example.org', password: PASSWORD })
    expect(statusAndPendingFlows(answer)).toEqual([401, 'verify_email'])
    return api
  }

  it("shows the code's user without using it up, and then accepts it", async () => {
    const api = await signedUp()
    const code = await codeTo('ada@example.org')
    for (const text of [code, code.toLowerCase().replace('-', '')]) {
      const { body } = await api.get(VERIFY, { [KEY]: text })
      expect(body).toEqual({
        status: 200,
        data: { email: 'ada@example.org', user: expect.objectContaining({ id: 1, email: 'ada@example.org' }) },
        meta: { is_authenticating: true },
      })
    }
    expect(await isVerified('ada@example.org')).toBe(false)
    const answer = await api.post(VERIFY, { key: code })
    expect(answer.body).toMatchObject({ status: 200, meta: { is_authenticated: true } })
    expect(await isVerified('ada@example.org')).toBe(true)
    expect((await api.post(VERIFY, { key: code })).body).toEqual({ status: 409 })
    expect((await api.get(VERIFY, { [KEY]: code })).status).toBe(409)
  })

  it.each([
    ['POST', 'BBBB-BBBB', 'incorrect_code key'],
    ['POST', '', 'required key'],
    ['POST', 7, 'incorrect_code key'],
    ['GET', 'BBBB-BBBB', 'incorrect_code key'],
    ['GET', undefined, 'required key'],
  ] as const)('counts a wrong %s of %j', async (method, key, error) => {
    const api = await signedUp()
    const code = await codeTo('ada@example.org')
    const rejected: boolean[] = []
    world.auth.signals.on('email_verification_code_rejected', ({ last_attempt }) => void rejected.push(last_attempt))
    for (let tries = 0; tries < 3; tries++) {
      expect(statusAndPendingFlows(await api.get('auth/session'))).toEqual([401, 'verify_email'])
      const answer =
        method === 'POST'
          ? await api.post(VERIFY, { key })
          : await api.get(VERIFY, key === undefined ? {} : { [KEY]: key })
      expect(statusAndErrors(answer)).toEqual([400, error])
    }
    expect(rejected).toEqual([false, false, true])
    expect(statusAndPendingFlows(await api.get('auth/session'))).toEqual([401])
    expect((await api.get(VERIFY, { [KEY]: code })).status).toBe(409)
    expect((await api.post(VERIFY, { key: code })).body).toEqual({ status: 409 })
    expect(await isVerified('ada@example.org')).toBe(false)
  })

  it("doesn't count a malformed body", async () => {
    const api = await signedUp()
    for (let tries = 0; tries < 4; tries++)
      expect(statusAndErrors(await api.post(VERIFY, '{"key":'))).toEqual([400, 'invalid'])
    expect((await api.post(VERIFY, { key: await codeTo('ada@example.org') })).status).toBe(200)
  })

  it('counts every one of many parallel guesses, and accepts the right code once', async () => {
    const api = await signedUp()
    const code = await codeTo('ada@example.org')
    const guesses = await Promise.all(Array.from({ length: 3 }, () => api.get(VERIFY, { [KEY]: 'BBBB-BBBB' })))
    expect(guesses.map(({ status }) => status)).toEqual([400, 400, 400])
    expect((await api.post(VERIFY, { key: code })).status).toBe(409)

    world.clock.advance(20_000)
    const again = world.api(client)
    await again.post('auth/login', { email: 'ada@example.org', password: PASSWORD })
    const right = await codeTo('ada@example.org')
    const signedIn: string[] = []
    world.auth.signals.on('user_logged_in', ({ user }) => void signedIn.push(user.email))
    await Promise.all([1, 2, 3].map(() => again.post(VERIFY, { key: right })))
    expect(signedIn).toEqual(['ada@example.org'])
  })

  it('expires', async () => {
    const api = await signedUp()
    const code = await codeTo('ada@example.org')
    world.clock.advance(900_001)
    expect((await api.post(VERIFY, { key: code })).status).toBe(409)
  })

  it('rejects an address that another user has verified in the meantime', async () => {
    const api = await signedUp({ preventEnumeration: 'strict' })
    const code = await codeTo('ada@example.org')
    await world.addUser({ username: 'eve', email: 'eve@example.org' })
    const { auth } = world
    await auth.account.emails.insert(auth.kernel.database.db, {
      userId: 2,
      email: 'ada@example.org',
      verified: true,
      primary: false,
    })
    expect(statusAndErrors(await api.get(VERIFY, { [KEY]: code }))).toEqual([400, 'email_taken key'])
    expect(statusAndErrors(await api.post(VERIFY, { key: code }))).toEqual([400, 'email_taken key'])
    expect(await isVerified('ada@example.org')).toBe(false)
  })

  it('resends a code as often as the settings allow', async () => {
    const api = await signedUp({ emailVerificationSupportsResend: 2 })
    const first = await codeTo('ada@example.org')
    const early = await api.post(RESEND)
    expect([early.status, early.body, early.headers.get('retry-after')]).toEqual([429, { status: 429 }, '10'])
    world.clock.advance(10_001)
    expect((await api.post(RESEND, 'no JSON')).body).toEqual({ status: 200 })
    const second = await codeTo('ada@example.org')
    expect(second).not.toBe(first)
    world.clock.advance(10_001)
    expect((await api.post(RESEND)).status).toBe(200)
    world.clock.advance(10_001)
    expect((await api.post(RESEND)).body).toEqual({ status: 409 })
    expect(statusAndErrors(await api.post(VERIFY, { key: second }))).toEqual([400, 'incorrect_code key'])
    expect((await api.post(VERIFY, { key: await codeTo('ada@example.org') })).status).toBe(200)
    expect((await api.get(RESEND)).status).toBe(405)
  })

  it("doesn't send another if that's off or no code is pending", async () => {
    const api = await signedUp()
    expect((await api.post(RESEND)).body).toEqual({ status: 409 })
    expect((await world.api(client).post(RESEND)).status).toBe(409)
    for (const given of [{}, { key: 'x' }]) expect((await world.api(client).post(VERIFY, given)).status).toBe(409)
    expect((await world.api(client).get(VERIFY)).status).toBe(409)
  })
})

describe.each(everywhere)('auth/email/verify of another address, %s', (_name, client, open) => {
  it('accepts the code of a signed-in user, and keeps them signed in after the last wrong one', async () => {
    const account: Account = { ...BASE, emailVerificationByCodeEnabled: true }
    world = await authWorld({ settings: { headless: { enabled: true }, account } }, open)
    await world.addUser({ username: 'ada', email: 'ada@example.org', password: PASSWORD })
    const api = world.api(client)
    await api.post('auth/login', { email: 'ada@example.org', password: PASSWORD })

    await api.post('account/email', { email: 'second@example.org' })
    for (let tries = 0; tries < 3; tries++)
      expect(statusAndErrors(await api.post(VERIFY, { key: 'BBBB-BBBB' }))).toEqual([400, 'incorrect_code key'])
    expect((await api.post(VERIFY, { key: await codeTo('second@example.org') })).body).toEqual({ status: 409 })
    expect((await api.get('auth/session')).status).toBe(200)

    world.clock.advance(20_000)
    await api.post('account/email', { email: 'second@example.org' })
    const key = await codeTo('second@example.org')
    expect((await world.api(client).post(VERIFY, { key })).status).toBe(409)
    const { body } = await api.get(VERIFY, { [KEY]: key })
    const data = { email: 'second@example.org', user: { id: 1 } }
    expect(body).toMatchObject({ status: 200, data, meta: { is_authenticating: false } })
    expect((await api.post(VERIFY, { key })).status).toBe(200)
    expect(await isVerified('second@example.org')).toBe(true)
  })
})

describe.each(everywhere)('auth/email/verify by link, %s', (_name, client, open) => {
  async function opened(account: Account = {}): Promise<ApiVisitor> {
    const settings = { headless: { enabled: true }, account: { ...BASE, ...account } }
    world = await authWorld({ settings }, open)
    await world.addUser({ username: 'ada', email: 'ada@example.org', password: PASSWORD, verified: false })
    return world.api(client)
  }
  const signIn = (api: ApiVisitor): ReturnType<ApiVisitor['post']> =>
    api.post('auth/login', { email: 'ada@example.org', password: PASSWORD })

  it.each([
    [true, 200],
    [false, 401],
  ])(
    'with login on confirmation %s returns %s to the visitor whose login is waiting',
    async (loginOnEmailConfirmation, status) => {
      const api = await opened({ loginOnEmailConfirmation })
      expect(statusAndPendingFlows(await signIn(api))).toEqual([401, 'verify_email'])
      const key = await keyTo('ada@example.org')
      const { body } = await api.get(VERIFY, { [KEY]: key })
      const data = { email: 'ada@example.org', user: { id: 1 } }
      expect(body).toMatchObject({ status: 200, data, meta: { is_authenticating: true } })
      expect(statusAndPendingFlows(await api.post(VERIFY, { key }))).toEqual([status])
      expect(await isVerified('ada@example.org')).toBe(true)
      for (const again of [await api.post(VERIFY, { key }), await api.get(VERIFY, { [KEY]: key })])
        expect(statusAndErrors(again)).toEqual([400, 'invalid_or_expired_key key'])
    },
  )

  it('never signs in another user', async () => {
    const api = await opened({ loginOnEmailConfirmation: true })
    await signIn(api)
    const key = await keyTo('ada@example.org')
    const other = world.api(client)
    expect((await other.get(VERIFY, { [KEY]: key })).body).toMatchObject({ meta: { is_authenticating: false } })
    expect(statusAndPendingFlows(await other.post(VERIFY, { key }))).toEqual([401])
    expect(await isVerified('ada@example.org')).toBe(true)
  })

  it('keeps another user signed in', async () => {
    await signIn(await opened({ loginOnEmailConfirmation: true }))
    const key = await keyTo('ada@example.org')
    await world.addUser({ username: 'eve', email: 'eve@example.org', password: PASSWORD })
    const eve = world.api(client)
    await eve.post('auth/login', { email: 'eve@example.org', password: PASSWORD })
    expect((await eve.post(VERIFY, { key })).body).toMatchObject({ status: 200, data: { user: { id: 2 } } })
    expect(await isVerified('ada@example.org')).toBe(true)
  })

  it("rejects invalid keys, and keys of an address that's taken", async () => {
    const api = await opened()
    await signIn(api)
    const key = await keyTo('ada@example.org')
    for (const bad of ['x', `${key}x`, '1:2:3', '%00', 'ä'])
      expect(statusAndErrors(await api.post(VERIFY, { key: bad }))).toEqual([400, 'invalid_or_expired_key key'])
    expect(statusAndErrors(await api.post(VERIFY, { key: [key] }))).toEqual([400, 'invalid_or_expired_key key'])
    expect(statusAndErrors(await api.post(VERIFY))).toEqual([400, 'required key'])
    expect(statusAndErrors(await api.get(VERIFY))).toEqual([400, 'required key'])
    await world.addUser({ username: 'eve', email: 'eve@example.org' })
    const { auth } = world
    await auth.account.emails.insert(auth.kernel.database.db, {
      userId: 2,
      email: 'ada@example.org',
      verified: true,
      primary: false,
    })
    expect(statusAndErrors(await api.get(VERIFY, { [KEY]: key }))).toEqual([400, 'email_taken key'])
    expect(statusAndErrors(await api.post(VERIFY, { key }))).toEqual([400, 'email_taken key'])
    expect((await api.post(RESEND)).body).toEqual({ status: 409 })
  })

  it('responds the same to a visitor whose login has no user', async () => {
    await opened()
    const tell = async (email: string): Promise<readonly unknown[]> => {
      const api = world.api(client)
      const signedUp = await api.post('auth/signup', { email, password: PASSWORD })
      return [signedUp, await api.post(VERIFY, { key: 'x' }), await api.post(RESEND)].map(observableResponse)
    }
    expect(await tell('ada@example.org')).toEqual(await tell('new@example.org'))
  })
})
