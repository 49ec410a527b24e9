import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ApiBench, apiBench, readPath } from '../../testing/api-bench.ts'
import { everywhere } from '../../testing/api-cases.ts'
import type { ApiVisitor } from '../../testing/api-visitor.ts'

const PATH = 'account/authenticators/totp'
const INCORRECT = {
  status: 400,
  errors: [{ message: 'Incorrect code.', code: 'incorrect_code', param: 'code' }],
}
const UNVERIFIED_MESSAGE = 'Verify all your email addresses before you set up two-factor authentication.'

describe.each(everywhere)('an authenticator app, %s', (_name, client, open) => {
  let bench: ApiBench
  /** Whether the host allows removing apps. */
  let isRemovable = true
  beforeAll(async () => {
    const mfa = { canDeleteAuthenticator: () => isRemovable }
    bench = await apiBench(client, open, {}, { adapters: { mfa } })
  })
  afterAll(() => bench.world.close())

  const offerTo = async (visitor: ApiVisitor): Promise<string> =>
    String(readPath(await visitor.get(PATH), 'meta.secret'))

  it.each(['GET', 'POST', 'PUT', 'DELETE'])('requires sign-in: %s', async (method) => {
    const visitor = (await bench.person()).visitor()
    const answer = await visitor.send(method, PATH, method === 'GET' ? undefined : '{')
    expect(answer.body).toMatchObject({ status: 401, meta: { is_authenticated: false } })
  })

  it("is offered with a new secret each time if there's none", async () => {
    const person = await bench.person()
    const visitor = await person.login()
    const offered = await visitor.get(PATH)
    expect(offered.status).toBe(404)
    expect(offered.body).toMatchObject({
      status: 404,
      meta: {
        secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
        totp_url: expect.stringMatching(/^otpauth:\/\/totp\//),
      },
    })
    expect(offered.body).not.toHaveProperty('data')
    expect(String(readPath(offered, 'meta.totp_url'))).toContain(String(readPath(offered, 'meta.secret')))
    expect(readPath(await visitor.get(PATH), 'meta.secret')).not.toBe(readPath(offered, 'meta.secret'))
    expect(await person.authenticators()).toEqual([])
  })

  it('is added with a code of the latest secret', async () => {
    const person = await bench.person()
    const visitor = await person.login()
    const before = bench.totpApp(await offerTo(visitor))
    const app = bench.totpApp(await offerTo(visitor))
    expect((await visitor.post(PATH, { code: before.code() })).body).toEqual(INCORRECT)
    expect(await person.authenticators()).toEqual([])
    const answer = await visitor.post(PATH, { code: app.code() })
    const now = bench.world.clock.now() / 1_000
    expect(answer.body).toMatchObject({
      status: 200,
      data: { type: 'totp', created_at: now, last_used_at: null },
      meta: { recovery_codes_generated: true },
    })
    expect(readPath(answer, 'data')).toEqual({ type: 'totp', created_at: now, last_used_at: null })
    expect((await visitor.get(PATH)).body).toEqual({ status: 200, data: readPath(answer, 'data') })
    expect((await person.authenticators()).map(({ type }) => type)).toEqual(['totp', 'recovery_codes'])
  })

  it('generates recovery codes only if there are none', async () => {
    const visitor = await (await bench.person()).login()
    expect(readPath((await bench.addKey(visitor)).answer, 'meta.recovery_codes_generated')).toBe(true)
    const app = bench.totpApp(await offerTo(visitor))
    const answer = await visitor.post(PATH, { code: app.code() })
    expect(answer.body).toMatchObject({ status: 200, meta: { recovery_codes_generated: false } })
  })

  it('is added once by two parallel requests', async () => {
    const person = await bench.person()
    const visitor = await person.login()
    const app = bench.totpApp(await offerTo(visitor))
    const code = app.code()
    const answers = await Promise.all([1, 2, 3].map(() => visitor.post(PATH, { code })))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 200 || status === 400 || status === 409)).toHaveLength(3)
    expect((await person.authenticators()).map(({ type }) => type)).toEqual(['totp', 'recovery_codes'])
  })

  it("can't be added twice", async () => {
    const person = await bench.person()
    const visitor = await person.login()
    const other = await person.login()
    const second = bench.totpApp(await offerTo(other))
    const first = await bench.addTotp(visitor)
    expect((await visitor.post(PATH, { code: first.nextCode() })).status).toBe(400)
    expect([400, 409]).toContain((await other.post(PATH, { code: second.code() })).status)
    const added = await person.authenticators()
    expect(added.filter(({ type }) => type === 'totp')).toHaveLength(1)
  })

  it('requires an offered secret', async () => {
    const visitor = await (await bench.person()).login()
    expect((await visitor.post(PATH, { code: '123456' })).body).toEqual(INCORRECT)
  })

  it('requires verified addresses', async () => {
    const person = await bench.person()
    const visitor = await person.login()
    const app = bench.totpApp(await offerTo(visitor))
    const { auth } = bench.world
    await auth.account.emails.insert(auth.kernel.database.db, {
      userId: person.user.id,
      email: `other-${person.email}`,
      verified: false,
      primary: false,
    })
    const errors = [{ message: UNVERIFIED_MESSAGE, code: 'unverified_email' }]
    expect((await visitor.get(PATH)).body).toEqual({ status: 409, errors })
    expect((await visitor.post(PATH, { code: app.code() })).body).toEqual({
      status: 400,
      errors: [{ ...errors[0], param: 'code' }],
    })
    expect(await person.authenticators()).toEqual([])
  })

  it.each<[why: string, body: unknown, code: string]>([
    ['nothing', undefined, 'required'],
    ['an empty code', { code: '' }, 'required'],
    ['a number', { code: 123456 }, 'incorrect_code'],
    ['an object', { code: {} }, 'required'],
  ])('is not added by %s, however long ago somebody signed in', async (_why, body, code) => {
    const visitor = await (await bench.person()).login()
    bench.expireReauthentication()
    const answer = await visitor.post(PATH, body)
    expect(answer.body).toMatchObject({ status: 400, errors: [{ code, param: 'code' }] })
  })

  it('requires recent authentication, checked after the code', async () => {
    const person = await bench.person()
    const visitor = await person.login()
    bench.expireReauthentication()
    const app = bench.totpApp(await offerTo(visitor))
    expect((await visitor.post(PATH, { code: '000000' })).body).toEqual(INCORRECT)
    const refused = await visitor.post(PATH, { code: app.code() })
    expect(refused.body).toMatchObject({
      status: 401,
      data: { user: { id: person.user.id }, flows: [{ id: 'reauthenticate' }] },
      meta: { is_authenticated: true },
    })
    expect(await person.authenticators()).toEqual([])
    expect((await visitor.post('auth/reauthenticate', { password: person.credentials.password })).status).toBe(200)
    expect((await visitor.post(PATH, { code: app.code() })).status).toBe(200)
  })

  it('is removed, and with the last factor the recovery codes', async () => {
    const person = await bench.person()
    const visitor = await person.login()
    await bench.addTotp(visitor)
    bench.expireReauthentication()
    expect((await visitor.delete(PATH)).body).toMatchObject({
      status: 401,
      data: { flows: [{ id: 'reauthenticate' }, { id: 'mfa_reauthenticate' }] },
    })
    await visitor.post('auth/reauthenticate', { password: person.credentials.password })
    expect((await visitor.delete(PATH)).body).toEqual({ status: 200 })
    expect(await person.authenticators()).toEqual([])
    expect((await visitor.get(PATH)).status).toBe(404)
  })

  it('can be removed if missing, however old the sign-in', async () => {
    const visitor = await (await bench.person()).login()
    bench.expireReauthentication()
    expect((await visitor.delete(PATH)).body).toEqual({ status: 200 })
  })

  it('stays if the host says so', async () => {
    const person = await bench.person()
    const visitor = await person.login()
    await bench.addTotp(visitor)
    isRemovable = false
    const answer = await visitor.delete(PATH)
    isRemovable = true
    expect(answer.body).toEqual({
      status: 400,
      errors: [{ message: "This sign-in method can't be removed.", code: 'cannot_delete_authenticator' }],
    })
    expect(await person.authenticators()).toHaveLength(2)
  })

  it('has no other method', async () => {
    const visitor = await (await bench.person()).login()
    expect((await visitor.patch(PATH, { code: '123456' })).status).toBe(405)
  })
})
