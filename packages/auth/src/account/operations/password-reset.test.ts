import { afterEach, describe, expect, it } from 'vitest'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import { everywhere, statusAndErrors, observableResponse, statusAndPendingFlows } from '../../testing/api-cases.ts'
import type { ApiVisitor } from '../../testing/api-visitor.ts'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'

type Account = NonNullable<AuthSettingsInput['account']>

const OLD = 'tangerine-orbit-42'
const NEW = 'velvet-plinth-77'
const ADA = { email: 'ada@example.org' }
const REQUEST = 'auth/password/request'
const RESET = 'auth/password/reset'
const KEY = 'x-password-reset-key'

let world: AuthWorld
afterEach(() => world.close())

async function codeTo(email: string): Promise<string> {
  return /^\s*([B-Z]{4}-[B-Z]{4})\s*$/m.exec((await world.mailTo(email)).text)?.[1] ?? ''
}
async function keyTo(email: string): Promise<string> {
  return /reset\/key\/([^/\s]+)\//.exec((await world.mailTo(email)).text)?.[1] ?? ''
}

describe.each(everywhere)('auth/password, %s', (_name, client, open) => {
  async function opened(account: Account = {}): Promise<ApiVisitor> {
    const all: Account = { emailVerification: 'none', ...account }
    world = await authWorld({ settings: { headless: { enabled: true }, account: all } }, open)
    await world.addUser({ username: 'ada', ...ADA, password: OLD, verified: false })
    return world.api(client)
  }
  async function asked(account: Account = {}): Promise<readonly [ApiVisitor, string]> {
    const api = await opened({ passwordResetByCodeEnabled: true, ...account })
    expect(statusAndPendingFlows(await api.post(REQUEST, ADA))).toEqual([401, 'password_reset_by_code'])
    return [api, await codeTo(ADA.email)]
  }
  async function mailed(account: Account = {}): Promise<readonly [ApiVisitor, string]> {
    const api = await opened(account)
    expect((await api.post(REQUEST, ADA)).body).toEqual({ status: 200 })
    return [api, await keyTo(ADA.email)]
  }
  const signsIn = async (password: string): Promise<boolean> =>
    (await world.api(client, { ip: '192.0.2.9' }).post('auth/login', { username: 'ada', password })).status === 200

  it('requires an address', async () => {
    const api = await opened()
    expect(statusAndErrors(await api.post(REQUEST))).toEqual([400, 'required email'])
    expect(statusAndErrors(await api.post(REQUEST, { email: 'ada' }))).toEqual([400, 'invalid email'])
    expect(statusAndErrors(await api.post(REQUEST, { email: 1 }))).toEqual([400, 'invalid email'])
  })

  it('is rate limited, for known and unknown addresses', async () => {
    const api = await opened({ rateLimits: { reset_password: '1/m/key' } })
    for (const email of ['ada@example.org', 'eve@example.org']) {
      expect((await api.post(REQUEST, { email })).status).toBe(200)
      const answer = await api.post(REQUEST, { email })
      expect([answer.status, answer.body, answer.headers.get('retry-after')]).toEqual([429, { status: 429 }, '60'])
    }
  })

  it('by code works while signed in, without revealing the user', async () => {
    const api = await opened({ passwordResetByCodeEnabled: true })
    expect((await api.post('auth/login', { username: 'ada', password: OLD })).status).toBe(200)
    expect((await api.post(REQUEST, ADA)).body).toEqual({ status: 200 })
    expect((await api.get(RESET, { [KEY]: await codeTo(ADA.email) })).status).toBe(200)
  })

  it('reports an unknown address if that may be revealed', async () => {
    const api = await opened({ preventEnumeration: false })
    expect(statusAndErrors(await api.post(REQUEST, { email: 'eve@example.org' }))).toEqual([400, 'unknown_email email'])
  })

  it('by link shows the user, and sets a password once', async () => {
    const [api, key] = await mailed()
    const other = world.api(client) // the mail may be opened elsewhere
    expect((await other.get(RESET, { [KEY]: key })).body).toMatchObject({ status: 200, data: { user: { id: 1 } } })
    expect(statusAndErrors(await other.post(RESET, { key, password: 'x' }))).toEqual([
      400,
      'password_too_short password',
    ])
    expect(statusAndErrors(await other.post(RESET, { key, password: 'ada@example.org' }))).toEqual([
      400,
      'password_too_similar password',
    ])
    expect(statusAndPendingFlows(await other.post(RESET, { key, password: NEW }))).toEqual([401])
    expect([await signsIn(OLD), await signsIn(NEW)]).toEqual([false, true])
    expect(statusAndErrors(await api.post(RESET, { key, password: OLD }))).toEqual([400, 'invalid_password_reset key'])
    expect(statusAndErrors(await api.get(RESET, { [KEY]: key }))).toEqual([400, 'invalid_password_reset key'])
  })

  it('by link rejects an invalid key before it checks the password', async () => {
    const [api, key] = await mailed()
    for (const bad of ['x', '1-x-y', `${key}x`, `2${key}`, '\u0001', '-']) {
      expect(statusAndErrors(await api.post(RESET, { key: bad, password: 'x' }))).toEqual([
        400,
        'invalid_password_reset key',
      ])
    }
    expect(statusAndErrors(await api.get(RESET, { [KEY]: 'x' }))).toEqual([400, 'invalid_password_reset key'])
    expect(statusAndErrors(await api.get(RESET))).toEqual([400, 'required key'])
    expect(statusAndErrors(await api.post(RESET, {}))).toEqual([400, 'required key', 'required password'])
    expect(statusAndErrors(await api.post(RESET, { key: 1, password: false }))).toEqual([
      400,
      'invalid_password_reset key',
    ])
  })

  it('by link accepts one of many parallel requests', async () => {
    const [, key] = await mailed()
    const answers = await Promise.all(
      [NEW, 'plinth-velvet-78'].map((password) => world.api(client).post(RESET, { key, password })),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([400, 401])
  })

  it.each([
    ['link', mailed],
    ['code', asked],
  ] as const)('by %s signs in if the settings say so', async (how, begin) => {
    const [api, key] = await begin({ loginOnPasswordReset: true })
    const answer = await api.post(RESET, { key, password: NEW })
    const at = world.clock.now() / 1000
    const used = how === 'code' ? ADA : {}
    expect(answer.body).toMatchObject({ status: 200, data: { methods: [{ method: 'password_reset', at, ...used }] } })
  })

  it('by link keeps the same user signed in, and signs out another one', async () => {
    const [api, key] = await mailed()
    await api.post('auth/login', { username: 'ada', password: OLD })
    expect((await api.post(REQUEST, ADA)).status).toBe(200)
    const second = await keyTo(ADA.email)
    expect(statusAndPendingFlows(await api.post(RESET, { key: second, password: NEW }))).toEqual([200])
    expect((await api.get('auth/session')).status).toBe(200)
    expect((await api.post(RESET, { key, password: OLD })).status).toBe(400)

    await world.addUser({ username: 'eve', email: 'eve@example.org', password: OLD })
    const eve = world.api(client)
    await eve.post('auth/login', { username: 'eve', password: OLD })
    await eve.post(REQUEST, ADA)
    expect(statusAndPendingFlows(await eve.post(RESET, { key: await keyTo(ADA.email), password: OLD }))).toEqual([401])
    expect((await eve.get('auth/session')).status).not.toBe(200)
  })

  it('by code shows the user, verifies the address, and sets a password once', async () => {
    const [api, code] = await asked()
    const text = code.toLowerCase()
    expect((await api.get(RESET, { [KEY]: text })).body).toMatchObject({ status: 200, data: { user: { id: 1 } } })
    const { auth } = world
    expect(await auth.account.emails.find(auth.kernel.database.db, 1, ADA.email)).toMatchObject({ verified: true })
    expect(statusAndErrors(await api.post(RESET, { key: code, password: 'x' }))).toEqual([
      400,
      'password_too_short password',
    ])
    expect(statusAndErrors(await api.post(RESET, { key: 'BBBB-BBBB', password: 'x' }))).toEqual([
      400,
      'incorrect_code key',
    ])
    expect(statusAndPendingFlows(await api.post(RESET, { key: code, password: NEW }))).toEqual([401])
    expect([await signsIn(OLD), await signsIn(NEW)]).toEqual([false, true])
    expect((await api.post(RESET, { key: code, password: OLD })).body).toEqual({ status: 409 })
  })

  it('by code accepts code and password in one request', async () => {
    const [api, key] = await asked()
    expect(statusAndPendingFlows(await api.post(RESET, { key, password: NEW }))).toEqual([401])
    expect(await signsIn(NEW)).toBe(true)
  })

  it.each([
    ['POST', 'BBBB-BBBB', 'incorrect_code key'],
    ['POST', '', 'required key'],
    ['GET', 'BBBB-BBBB', 'incorrect_code key'],
    ['GET', undefined, 'required key'],
  ] as const)('by code counts a wrong %s of %j', async (method, key, error) => {
    const [api, code] = await asked()
    for (let tries = 0; tries < 3; tries++) {
      const answer =
        method === 'POST'
          ? await api.post(RESET, { key, password: NEW })
          : await api.get(RESET, key === undefined ? {} : { [KEY]: key })
      expect(statusAndErrors(answer)).toEqual([400, error])
    }
    expect((await api.get(RESET, { [KEY]: code })).status).toBe(409)
    expect((await api.post(RESET, { key: code, password: NEW })).body).toEqual({ status: 409 })
    expect(statusAndPendingFlows(await api.get('auth/session'))).toEqual([401])
    expect(await signsIn(OLD)).toBe(true)
  })

  it("by code doesn't count an invalid password", async () => {
    const [api, key] = await asked()
    for (let tries = 0; tries < 4; tries++) {
      expect(statusAndErrors(await api.post(RESET, { key: 'BBBB-BBBB' }))).toEqual([400, 'required password'])
    }
    expect((await api.post(RESET, { key, password: NEW })).status).toBe(401)
  })

  it('by code counts every one of many parallel guesses, and resets once', async () => {
    const [api, code] = await asked()
    const guesses = await Promise.all([1, 2, 3].map(() => api.get(RESET, { [KEY]: 'BBBB-BBBB' })))
    expect(guesses.map(({ status }) => status)).toEqual([400, 400, 400])
    expect((await api.post(RESET, { key: code, password: NEW })).status).toBe(409)
    await api.post(REQUEST, ADA)
    const key = await codeTo(ADA.email)
    const answers = await Promise.all([NEW, 'plinth-velvet-78'].map((password) => api.post(RESET, { key, password })))
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(1)
  })

  it.each([false, true])('looks the same for an unknown address, by code: %s', async (byCode) => {
    await opened({ passwordResetByCodeEnabled: byCode })
    const tell = async (email: string): Promise<readonly unknown[]> => {
      const api = world.api(client)
      const answers = [await api.post(REQUEST, { email })]
      for (const key of ['BBBB-BBBB', '-']) {
        answers.push(await api.get(RESET, { [KEY]: key }), await api.post(RESET, { key, password: NEW }))
      }
      return [...answers, await api.get('auth/session')].map(observableResponse)
    }
    expect(await tell('ada@example.org')).toEqual(await tell('eve@example.org'))
    expect(world.logged).toEqual([])
  })

  it('by code is rejected without a pending reset, whatever the input', async () => {
    const [, key] = await asked()
    for (const given of [{}, { key, password: NEW }]) {
      expect((await world.api(client).post(RESET, given)).body).toEqual({ status: 409 })
    }
    expect((await world.api(client).get(RESET, { [KEY]: key })).status).toBe(409)
  })

  it('rate limits new passwords, including invalid input', async () => {
    const [api, key] = await mailed({ rateLimits: { reset_password_from_key: '1/m/ip' } })
    expect((await api.get(RESET, { [KEY]: key })).status).toBe(200)
    expect((await api.post(RESET, {})).status).toBe(400)
    const answer = await api.post(RESET, { key, password: NEW })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '60'])
    expect((await api.get(RESET, { [KEY]: key })).status).toBe(200)
  })
})
