import { afterEach, describe, expect, it } from 'vitest'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import { everywhere, statusAndErrors, observableResponse, statusAndPendingFlows } from '../../testing/api-cases.ts'
import type { ApiVisitor } from '../../testing/api-visitor.ts'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'

type Account = NonNullable<AuthSettingsInput['account']>

const PASSWORD = 'tangerine-orbit-42'
const ADA = { username: 'ada', email: 'ada@example.org', password: PASSWORD }
const sms = { sendVerificationCodeSms: async () => {} }

let world: AuthWorld
afterEach(() => world.close())

describe.each(everywhere)('auth/login, %s', (_name, client, open) => {
  async function opened(account: Account = {}, settings: AuthSettingsInput = {}): Promise<ApiVisitor> {
    const all: Account = { loginMethods: ['username', 'email'], emailVerification: 'none', ...account }
    world = await authWorld(
      { settings: { headless: { enabled: true }, account: all, ...settings }, adapters: { account: sms } },
      open,
    )
    await world.addUser(ADA)
    return world.api(client)
  }

  it('signs in, and returns the user and the methods', async () => {
    const api = await opened()
    const answer = await api.post('auth/login', { email: 'ADA@example.org', password: PASSWORD })
    const at = world.clock.now() / 1000
    const user = { id: 1, display: 'ada', email: 'ada@example.org', username: 'ada', has_usable_password: true }
    const token = client === 'app' ? { session_token: api.sessionToken } : {}
    expect(answer.body).toEqual({
      status: 200,
      data: { user, methods: [{ method: 'password', at, email: 'ada@example.org' }] },
      meta: { is_authenticated: true, ...token },
    })
    expect((await api.get('auth/session')).body).toMatchObject({ status: 200, data: { user } })
  })

  it('rejects invalid input', async () => {
    const api = await opened({ loginMethods: ['username', 'email', 'phone'] })
    const table: readonly (readonly [given: unknown, ...errors: string[]])[] = [
      [{}, 'required password'],
      [{ password: PASSWORD }, 'invalid_login'],
      [{ password: PASSWORD, email: '', username: '' }, 'invalid_login'],
      [{ username: 'ada', email: 'ada@example.org', password: PASSWORD }, 'invalid_login'],
      [{ email: 'ada', password: '' }, 'invalid email', 'required password'],
      [{ email: ['ada@example.org'], password: 7 }, 'invalid email'],
      [{ username: 'a\0da', password: PASSWORD }, 'null_characters_not_allowed username'],
      [{ username: 'a'.repeat(321), password: PASSWORD }, 'max_length username'],
      [{ phone: '0301234', password: PASSWORD }, 'invalid_phone phone'],
      [{ phone: '+49 30 123456', password: PASSWORD }, 'phone_password_mismatch password'],
      [{ username: 'ada@example.org', password: 'x' }, 'username_password_mismatch password'],
      [{ email: 'ada@example.org', password: 'x' }, 'email_password_mismatch password'],
    ]
    for (const [given, ...errors] of table) {
      expect([given, ...statusAndErrors(await api.post('auth/login', given))]).toEqual([given, 400, ...errors])
    }
    expect(statusAndErrors(await api.post('auth/login', '{"username"'))).toEqual([400, 'invalid'])
  })

  it('requires the only identifier of the settings', async () => {
    const api = await opened({ loginMethods: ['email'] })
    expect(statusAndErrors(await api.post('auth/login', {}))).toEqual([400, 'required email', 'required password'])
    expect(statusAndErrors(await api.post('auth/login', { username: 'ada', password: PASSWORD }))).toEqual([
      400,
      'required email',
    ])
    expect(statusAndErrors(await api.put('auth/login', {}))).toEqual([400, 'required email', 'required password'])
    expect((await api.put('auth/login', { email: 'ada@example.org', password: 'x' })).status).toBe(405)
    expect((await api.get('auth/login')).status).toBe(405)
  })

  it('accepts an email address as a username', async () => {
    const api = await opened()
    expect((await api.post('auth/login', { username: 'ada@example.org', password: PASSWORD })).status).toBe(200)
  })

  it('accepts a phone number with spaces, and counts wrong passwords per number', async () => {
    const api = await opened({ loginMethods: ['phone'], rateLimits: { login_failed: '1/m/key' } })
    const { auth } = world
    await auth.account.phones.set(auth.kernel.database.db, 1, '+493012345678', true)
    const tried = async (phone: string, password: string): Promise<unknown> =>
      statusAndErrors(await api.post('auth/login', { phone, password }))
    expect(await tried('+4930999999', 'x')).toEqual([400, 'phone_password_mismatch password'])
    expect(await tried('+4930999999', 'x')).toEqual([400, 'too_many_login_attempts'])
    expect(await tried('+49 (30) 1234-5678', PASSWORD)).toEqual([200])
  })

  it('accepts a password with blanks around it, and requires one that is more than blanks', async () => {
    const api = await opened()
    await world.addUser({ username: 'bob', email: 'bob@example.org', password: '  blank-orbit-42 ' })
    expect(statusAndErrors(await api.post('auth/login', { username: 'bob', password: ' \t' }))).toEqual([
      400,
      'required password',
    ])
    for (const password of ['blank-orbit-42', '  blank-orbit-42 ', '\tblank-orbit-42']) {
      expect((await world.api(client).post('auth/login', { username: 'bob', password })).status).toBe(200)
    }
  })

  it('responds the same to an unknown user, a wrong password and an account without one', async () => {
    await opened()
    await world.addUser({ username: 'eve', email: 'eve@example.org' })
    const answers = []
    for (const email of ['ada@example.org', 'nobody@example.org', 'eve@example.org']) {
      answers.push(
        observableResponse(await world.api(client).post('auth/login', { email, password: 'wrong-orbit-42' })),
      )
    }
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
  })

  it('waits for the next step, and rejects disabled accounts', async () => {
    const api = await opened({
      emailVerification: 'mandatory',
      signupFields: ['username*', 'email*', 'password1*'],
      emailVerificationByCodeEnabled: true,
    })
    await world.addUser({ username: 'bob', email: 'bob@example.org', password: PASSWORD, verified: false })
    const bob = { username: 'bob', password: PASSWORD }
    expect(statusAndPendingFlows(await api.post('auth/login', bob))).toEqual([401, 'verify_email'])
    expect(statusAndPendingFlows(await api.get('auth/session'))).toEqual([401, 'verify_email'])
    // No code can be sent, so the login must not wait for one.
    expect(statusAndErrors(await world.api(client).post('auth/login', bob))).toEqual([400, 'too_many_login_attempts'])
    const { auth } = world
    await auth.kernel.users.update(auth.kernel.database.db, 1, { isActive: false })
    const answer = await world.api(client).post('auth/login', { username: 'ada', password: PASSWORD })
    expect(statusAndPendingFlows(answer)).toEqual([401])
    expect(answer.body).toMatchObject({ meta: { is_authenticated: false } })
  })

  it('rejects a signed-in user', async () => {
    const api = await opened()
    const ada = { username: 'ada', password: PASSWORD }
    await api.post('auth/login', ada)
    expect((await api.post('auth/login', ada)).body).toEqual({ status: 409 })
    expect(statusAndErrors(await api.post('auth/login', { ...ada, password: 'x' }))).toEqual([
      400,
      'username_password_mismatch password',
    ])
  })

  it('is rate limited, for invalid input too', async () => {
    const api = await opened({ rateLimits: { login: '1/m/ip' } })
    expect((await api.post('auth/login', {})).status).toBe(400)
    const answer = await api.post('auth/login', { username: 'ada', password: PASSWORD })
    expect([answer.status, answer.body, answer.headers.get('retry-after')]).toEqual([429, { status: 429 }, '60'])
  })

  it("doesn't exist if only providers sign in", async () => {
    const api = await opened({}, { socialaccount: { enabled: true, only: true } })
    for (const path of ['auth/login', 'auth/signup', 'auth/password/request', 'auth/password/reset']) {
      expect((await api.post(path, {})).status).toBe(404)
    }
    for (const path of ['auth/email/verify', 'auth/phone/verify', 'auth/email/verify/resend', 'auth/code/request']) {
      expect((await api.post(path, {})).status).toBe(404)
    }
    expect((await api.post('auth/code/confirm', { code: 'x' })).status).toBe(409)
    expect((await api.post('auth/reauthenticate', { password: 'x' })).status).toBe(401)
  })
})
