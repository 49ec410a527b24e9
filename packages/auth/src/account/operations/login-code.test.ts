import { afterEach, describe, expect, it } from 'vitest'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import { everywhere, statusAndErrors, observableResponse, statusAndPendingFlows } from '../../testing/api-cases.ts'
import type { ApiVisitor } from '../../testing/api-visitor.ts'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'

type Account = NonNullable<AuthSettingsInput['account']>

const PASSWORD = 'tangerine-orbit-42'
const PHONE = '+493012345678'
const REQUEST = 'auth/code/request'
const CONFIRM = 'auth/code/confirm'
const RESEND = 'auth/code/resend'
const ADA = { email: 'ada@example.org' }

let world: AuthWorld
let texts: string[]
afterEach(() => world.close())

async function codeTo(email: string): Promise<string> {
  return /^\s*([B-Z]{4}-[B-Z]{4})\s*$/m.exec((await world.mailTo(email)).text)?.[1] ?? ''
}

describe.each(everywhere)('auth/code, %s', (_name, client, open) => {
  async function opened(account: Account = {}): Promise<ApiVisitor> {
    texts = []
    const all: Account = {
      loginMethods: ['email'],
      signupFields: ['email*', 'password1*'],
      emailVerification: 'none',
      loginByCodeEnabled: true,
      ...account,
    }
    const hooks = {
      sendVerificationCodeSms: async (_request: unknown, _user: unknown, _phone: string, code: string) =>
        void texts.push(code),
    }
    world = await authWorld(
      { settings: { headless: { enabled: true }, account: all }, adapters: { account: hooks } },
      open,
    )
    await world.addUser({ username: 'ada', ...ADA, password: PASSWORD, verified: false })
    return world.api(client)
  }
  async function asked(account: Account = {}): Promise<ApiVisitor> {
    const api = await opened(account)
    expect(statusAndPendingFlows(await api.post(REQUEST, { email: 'ADA@example.org' }))).toEqual([401, 'login_by_code'])
    return api
  }

  it('signs in, and verifies the address', async () => {
    const api = await asked()
    const answer = await api.post(CONFIRM, { code: (await codeTo(ADA.email)).toLowerCase() })
    const at = world.clock.now() / 1000
    expect(answer.body).toMatchObject({ status: 200, data: { methods: [{ method: 'code', at, ...ADA }] } })
    const { auth } = world
    expect(await auth.account.emails.find(auth.kernel.database.db, 1, ADA.email)).toMatchObject({ verified: true })
    expect((await api.post(CONFIRM, { code: 'x' })).body).toEqual({ status: 409 })
  })

  it.each([
    ['BBBB-BBBB', 'incorrect_code code'],
    ['', 'required code'],
    [['x'], 'incorrect_code code'],
  ])('counts a wrong code of %j', async (code, error) => {
    const api = await asked()
    const rejected: boolean[] = []
    world.auth.signals.on('login_code_rejected', ({ last_attempt }) => void rejected.push(last_attempt))
    for (let tries = 0; tries < 3; tries++)
      expect(statusAndErrors(await api.post(CONFIRM, { code }))).toEqual([400, error])
    expect(rejected).toEqual([false, false, true])
    expect((await api.post(CONFIRM, { code: await codeTo(ADA.email) })).body).toEqual({ status: 409 })
    expect(statusAndPendingFlows(await api.get('auth/session'))).toEqual([401])
  })

  it('counts every one of many parallel guesses', async () => {
    const api = await asked()
    const guesses = await Promise.all([1, 2, 3].map(() => api.post(CONFIRM, { code: 'BBBB-BBBB' })))
    expect(guesses.map(({ status }) => status)).toEqual([400, 400, 400])
    expect((await api.post(CONFIRM, { code: await codeTo(ADA.email) })).status).toBe(409)
  })

  it('expires', async () => {
    const api = await asked()
    world.clock.advance(180_001)
    expect((await api.post(CONFIRM, { code: await codeTo(ADA.email) })).body).toEqual({ status: 409 })
  })

  it('is rejected without a pending login, whatever the input', async () => {
    await opened()
    for (const given of [{}, { code: 'x' }]) expect((await world.api(client).post(CONFIRM, given)).status).toBe(409)
    expect((await world.api(client).get(CONFIRM)).status).toBe(409)
    expect((await world.api(client).post(RESEND)).status).toBe(409)
  })

  it('rejects invalid input', async () => {
    const byMail = await opened()
    expect(statusAndErrors(await byMail.post(REQUEST, {}))).toEqual([400, 'required email'])
    expect(statusAndErrors(await byMail.post(REQUEST, { email: 'ada' }))).toEqual([400, 'invalid email'])
    expect(statusAndErrors(await byMail.post(REQUEST, { email: { a: 1 } }))).toEqual([400, 'invalid email'])
    await world.close()
    const both = await opened({ loginMethods: ['email', 'phone'] })
    expect(statusAndErrors(await both.post(REQUEST, { ...ADA, phone: PHONE }))).toEqual([400, 'select_only_one'])
    expect(statusAndErrors(await both.post(REQUEST, { phone: '030' }))).toEqual([400, 'invalid_phone phone'])
    expect(statusAndErrors(await both.post(REQUEST, {}))).toEqual([400, 'required email'])
  })

  it('reports an unknown address if that may be revealed', async () => {
    const api = await opened({ preventEnumeration: false, loginMethods: ['email', 'phone'] })
    expect(statusAndErrors(await api.post(REQUEST, { email: 'eve@example.org' }))).toEqual([400, 'unknown_email email'])
    expect(statusAndErrors(await api.post(REQUEST, { phone: PHONE }))).toEqual([400, 'unknown_phone phone'])
  })

  it.each([
    ['mailbox', ADA, { email: 'eve@example.org' }],
    ['phone', { phone: PHONE }, { phone: '+493099999' }],
  ])('looks the same for an unknown %s', async (_what, known, unknown) => {
    await opened({ loginMethods: ['email', 'phone'], loginByCodeSupportsResend: 1 })
    const { auth } = world
    await auth.account.phones.set(auth.kernel.database.db, 1, PHONE, true)
    const tell = async (given: object): Promise<readonly unknown[]> => {
      const api = world.api(client)
      const answers = [await api.post(REQUEST, given), await api.post(RESEND), await api.post(RESEND)]
      for (let tries = 0; tries < 4; tries++) answers.push(await api.post(CONFIRM, { code: 'BBBB-BBBB' }))
      return [...answers, await api.get('auth/session')].map(observableResponse)
    }
    expect(await tell(known)).toEqual(await tell(unknown))
    expect(world.logged).toEqual([])
  })

  it('is rate limited by IP address and by recipient', async () => {
    const api = await opened({ rateLimits: { request_login_code: '1/m/key' } })
    for (const email of ['ada@example.org', 'eve@example.org']) {
      expect((await api.post(REQUEST, { email })).status).toBe(401)
      expect(statusAndErrors(await api.post(REQUEST, { email }))).toEqual([400, 'too_many_login_attempts email'])
    }
  })

  it('resends a code as often as the settings allow', async () => {
    const api = await asked({ loginByCodeSupportsResend: 2, rateLimits: { request_login_code: '2/m/key' } })
    const first = await codeTo(ADA.email)
    expect((await api.post(RESEND, '{')).body).toEqual({ status: 200 })
    const limited = await api.post(RESEND)
    expect([limited.status, limited.body, limited.headers.get('retry-after')]).toEqual([429, { status: 429 }, '60'])
    world.clock.advance(61_000)
    expect((await api.post(RESEND)).status).toBe(200)
    expect((await api.post(RESEND)).body).toEqual({ status: 409 })
    expect(statusAndErrors(await api.post(CONFIRM, { code: first }))).toEqual([400, 'incorrect_code code'])
    expect((await api.post(CONFIRM, { code: await codeTo(ADA.email) })).status).toBe(200)
  })

  it('sends one more code for many parallel requests, and counts it once', async () => {
    const rateLimits = { request_login_code: '3/m/key' }
    const api = await asked({ loginByCodeSupportsResend: 1, rateLimits })
    const answers = await Promise.all([api.post(RESEND), api.post(RESEND)])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    expect((await world.mails()).filter(({ to }) => to === ADA.email)).toHaveLength(2)
    expect((await world.api(client).post(REQUEST, ADA)).status).toBe(401)
    expect((await world.api(client).post(REQUEST, ADA)).status).toBe(400)
  })

  it('sends a text message to a phone', async () => {
    const api = await opened({ loginMethods: ['phone'] })
    const { auth } = world
    await auth.account.phones.set(auth.kernel.database.db, 1, PHONE, true)
    expect(statusAndPendingFlows(await api.post(REQUEST, { phone: '+49 30 1234-5678' }))).toEqual([
      401,
      'login_by_code',
    ])
    expect((await api.post(CONFIRM, { code: texts[0] })).body).toMatchObject({
      status: 200,
      data: { methods: [{ method: 'code', phone: PHONE }] },
    })
  })

  it('can be required after a password, even if no one can request one', async () => {
    const api = await opened({ loginByCodeEnabled: false, loginByCodeRequired: true })
    expect(statusAndPendingFlows(await api.post('auth/login', { ...ADA, password: PASSWORD }))).toEqual([
      401,
      'login_by_code',
    ])
    for (const path of [REQUEST, RESEND]) expect((await api.post(path, ADA)).status).toBe(404)
    expect((await api.post(CONFIRM, { code: await codeTo(ADA.email) })).status).toBe(200)
  })
})
