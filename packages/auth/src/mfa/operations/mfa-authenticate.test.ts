import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ApiBench, apiBench, readPath, type Person, type TotpApp } from '../../testing/api-bench.ts'
import { everywhere } from '../../testing/api-cases.ts'
import type { ApiVisitor } from '../../testing/api-visitor.ts'

const STAGE = { id: 'mfa_authenticate', is_pending: true, types: ['recovery_codes', 'totp'] }
const INCORRECT = {
  status: 400,
  errors: [{ message: 'Incorrect code.', code: 'incorrect_code', param: 'code' }],
}
const TOO_MANY = {
  status: 400,
  errors: [{ message: 'Too many attempts. Try again later.', code: 'too_many_login_attempts', param: 'code' }],
}
const FLOWS = [{ id: 'login' }, { id: 'signup' }]

interface WithTotp {
  readonly person: Person
  readonly app: TotpApp
  readonly codes: readonly string[]
  /** A client whose login waits for the second factor. */
  readonly waiting: ApiVisitor
}

describe.each(everywhere)('a code as second factor, %s', (_name, client, open) => {
  let bench: ApiBench
  beforeAll(async () => {
    bench = await apiBench(client, open)
  })
  afterAll(() => bench.world.close())

  async function withTotp(): Promise<WithTotp> {
    const person = await bench.person()
    const owner = await person.login()
    const app = await bench.addTotp(owner)
    const codes = await bench.recoveryCodes(owner)
    return { person, app, codes, waiting: await person.login() }
  }

  it('is required after the password, and completes the login', async () => {
    const { person, app } = await withTotp()
    const visitor = person.visitor()
    const asked = await visitor.post('auth/login', person.credentials)
    expect(asked.status).toBe(401)
    expect(asked.body).toMatchObject({ data: { flows: [...FLOWS, STAGE] }, meta: { is_authenticated: false } })
    const answer = await visitor.post('auth/2fa/authenticate', { code: ` ${app.nextCode()} ` })
    const [totp] = await person.authenticators()
    expect(answer.body).toMatchObject({
      status: 200,
      data: {
        user: { id: person.user.id, email: person.email },
        methods: [
          { method: 'password', email: person.email },
          { method: 'mfa', type: 'totp', id: totp?.id },
        ],
      },
      meta: { is_authenticated: true },
    })
    expect(readPath(answer, 'data.methods.1')).not.toHaveProperty('reauthenticated')
    expect(totp?.used).toBe(true)
    expect((await visitor.get('auth/session')).status).toBe(200)
  })

  it('can be a recovery code, which works once', async () => {
    const { person, codes, waiting } = await withTotp()
    const answer = await waiting.post('auth/2fa/authenticate', { code: codes[3] })
    expect(answer.body).toMatchObject({
      status: 200,
      data: { methods: [{}, { method: 'mfa', type: 'recovery_codes' }] },
    })
    const again = await person.login()
    expect((await again.post('auth/2fa/authenticate', { code: codes[3] })).body).toEqual(INCORRECT)
    expect((await again.post('auth/2fa/authenticate', { code: codes[4] })).status).toBe(200)
  })

  it.each(['totp', 'recovery_codes'])('accepts one of two parallel requests with the same code: %s', async (type) => {
    const { person, app, codes } = await withTotp()
    const visitors = [await person.login(), await person.login(), await person.login()]
    const code = type === 'totp' ? app.nextCode() : codes[0]
    const answers = await Promise.all(visitors.map((visitor) => visitor.post('auth/2fa/authenticate', { code })))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400])
  })

  it('completes a login once', async () => {
    const { app, waiting } = await withTotp()
    const code = app.nextCode()
    const answers = await Promise.all([1, 2].map(() => waiting.post('auth/2fa/authenticate', { code })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.every(({ status }) => [200, 400, 401, 409, 410].includes(status))).toBe(true)
  })

  it('accepts the code that set up the app once: that was no sign-in', async () => {
    const { app, waiting, person } = await withTotp()
    expect((await person.authenticators()).every(({ used }) => !used)).toBe(true)
    expect((await waiting.post('auth/2fa/authenticate', { code: app.code() })).status).toBe(200)
    const again = await person.login()
    expect((await again.post('auth/2fa/authenticate', { code: app.code() })).body).toEqual(INCORRECT)
  })

  it.each<[why: string, code: (given: WithTotp) => unknown]>([
    ['a wrong one', () => '000000'],
    ["another user's", () => '12345678'],
    ['text', () => 'ä'.repeat(500)],
  ])('refuses %s', async (_why, code) => {
    const given = await withTotp()
    const { waiting } = given
    expect((await waiting.post('auth/2fa/authenticate', { code: code(given) })).body).toEqual(INCORRECT)
    expect(readPath(await waiting.get('auth/session'), 'data.flows')).toContainEqual(STAGE)
  })

  it.each<[why: string, body: unknown, code: string, param: string | undefined]>([
    ['nothing', undefined, 'required', 'code'],
    ['no code', {}, 'required', 'code'],
    ['an empty one', { code: ' ' }, 'required', 'code'],
    ['null', { code: null }, 'required', 'code'],
    ['a number', { code: 123456 }, 'incorrect_code', 'code'],
    ['a list', { code: ['123456'] }, 'incorrect_code', 'code'],
    ['too much', { code: '1'.repeat(1_001) }, 'max_length', 'code'],
    ['no JSON', '{"code"', 'invalid', undefined],
    ['no object', '"123456"', 'invalid', undefined],
  ])('cannot read %s', async (_why, body, code, param) => {
    const { waiting } = await withTotp()
    const answer = await waiting.post('auth/2fa/authenticate', body)
    expect(answer.status).toBe(400)
    expect(readPath(answer, 'errors')).toEqual([
      { code, message: expect.any(String), ...(param === undefined ? {} : { param }) },
    ])
  })

  it('rejects even the right code for a while after five wrong attempts', async () => {
    const { app, waiting, person } = await withTotp()
    for (let tries = 0; tries < 5; tries++) {
      expect((await waiting.post('auth/2fa/authenticate', { code: '000000' })).body).toEqual(INCORRECT)
    }
    const other = await person.login()
    expect((await other.post('auth/2fa/authenticate', { code: app.nextCode() })).body).toEqual(TOO_MANY)
    bench.world.clock.advance(300_000)
    expect((await other.post('auth/2fa/authenticate', { code: app.code() })).status).toBe(200)
  })

  it('returns 401 without a pending login, whatever the input', async () => {
    const visitor = (await bench.person()).visitor()
    for (const body of [undefined, {}, { code: '123456' }, '{']) {
      const answer = await visitor.post('auth/2fa/authenticate', body)
      expect(answer.body).toMatchObject({ status: 401, data: { flows: FLOWS }, meta: { is_authenticated: false } })
    }
    expect((await visitor.get('auth/2fa/authenticate')).status).toBe(401)
  })

  it('returns 401 whether signed in or not', async () => {
    const visitor = await (await bench.person()).login()
    const answer = await visitor.post('auth/2fa/authenticate', { code: '123456' })
    expect(answer.body).toMatchObject({ status: 401, meta: { is_authenticated: false } })
    expect(readPath(answer, 'data')).not.toHaveProperty('user')
    expect((await visitor.get('auth/session')).status).toBe(200)
  })

  it('has no other method', async () => {
    const { waiting } = await withTotp()
    expect((await waiting.get('auth/2fa/authenticate')).status).toBe(405)
    expect((await waiting.put('auth/2fa/authenticate', {})).status).toBe(400)
    expect((await waiting.put('auth/2fa/authenticate', { code: '1' })).status).toBe(405)
  })
})

describe.each(everywhere)('reauthenticating by code, %s', (_name, client, open) => {
  let bench: ApiBench
  beforeAll(async () => {
    bench = await apiBench(client, open)
  })
  afterAll(() => bench.world.close())

  it('allows operations that require recent authentication', async () => {
    const person = await bench.person()
    const visitor = await person.login()
    const app = await bench.addTotp(visitor)
    bench.expireReauthentication()
    const refused = await visitor.get('account/authenticators/recovery-codes')
    expect(refused.body).toMatchObject({
      status: 401,
      data: {
        user: { id: person.user.id },
        flows: [{ id: 'reauthenticate' }, { id: 'mfa_reauthenticate', types: ['recovery_codes', 'totp'] }],
      },
      meta: { is_authenticated: true },
    })
    const answer = await visitor.post('auth/2fa/reauthenticate', { code: app.nextCode() })
    expect(answer.body).toMatchObject({
      status: 200,
      data: { methods: [{ method: 'password' }, { method: 'mfa', type: 'totp', reauthenticated: true }] },
      meta: { is_authenticated: true },
    })
    expect((await visitor.get('account/authenticators/recovery-codes')).status).toBe(200)
  })

  it('rejects wrong codes, and too many attempts', async () => {
    const visitor = await (await bench.person()).login()
    const app = await bench.addTotp(visitor)
    expect((await visitor.post('auth/2fa/reauthenticate', {})).body).toMatchObject({
      status: 400,
      errors: [{ code: 'required', param: 'code' }],
    })
    for (let tries = 0; tries < 5; tries++) {
      expect((await visitor.post('auth/2fa/reauthenticate', { code: '000000' })).body).toEqual(INCORRECT)
    }
    expect((await visitor.post('auth/2fa/reauthenticate', { code: app.nextCode() })).body).toEqual(TOO_MANY)
    for (let tries = 7; tries < 10; tries++) await visitor.post('auth/2fa/reauthenticate', { code: '000000' })
    // The clock has moved by only half a minute, so the seven attempts before still count.
    const refused = await visitor.post('auth/2fa/reauthenticate', { code: app.code() })
    expect([refused.status, refused.body]).toEqual([429, { status: 429 }])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('requires sign-in and a second factor', async () => {
    const person = await bench.person()
    const answer = await person.visitor().post('auth/2fa/reauthenticate', {})
    expect(answer.body).toMatchObject({ status: 401, data: { flows: FLOWS }, meta: { is_authenticated: false } })
    const visitor = await person.login()
    expect((await visitor.post('auth/2fa/reauthenticate', { code: '123456' })).body).toEqual(INCORRECT)
  })
})

describe.each(everywhere)('without second factors, %s', (_name, client, open) => {
  it("the paths don't exist", async () => {
    const bench = await apiBench(client, open, { mfa: { enabled: false } })
    const visitor = (await bench.person()).visitor()
    const paths = ['auth/2fa/authenticate', 'auth/2fa/reauthenticate', 'auth/2fa/trust', 'account/authenticators']
    for (const path of paths) expect((await visitor.get(path)).status).toBe(404)
    await bench.world.close()
  })

  it("the paths of a disabled type don't exist", async () => {
    const bench = await apiBench(client, open, { mfa: { supportedTypes: [], passkeyLoginEnabled: true } })
    const visitor = (await bench.person()).visitor()
    const kinds = ['totp', 'recovery-codes', 'webauthn'].map((kind) => `account/authenticators/${kind}`)
    const byKey = ['authenticate', 'reauthenticate', 'login', 'signup'].map((use) => `auth/webauthn/${use}`)
    for (const path of [...kinds, ...byKey]) expect((await visitor.get(path)).status).toBe(404)
    expect((await visitor.get('account/authenticators')).status).toBe(401)
    await bench.world.close()
  })
})
