import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ApiBench, apiBench, readPath, readPublicKeyOptions } from '../../testing/api-bench.ts'
import { everywhere } from '../../testing/api-cases.ts'
import type { ApiVisitor } from '../../testing/api-visitor.ts'
import { ORIGIN } from '../../testing/auth-world.ts'
import { softwareAuthenticator } from '../../testing/authenticator.ts'

const PATH = 'auth/webauthn/signup'
const CODE = /[B-Z]{4}-[B-Z]{4}/
const INCORRECT = { status: 400, errors: [{ message: 'Incorrect code.', code: 'incorrect_code' }] }
const SETTINGS = {
  account: {
    signupFields: ['email*', 'username', 'password1*'],
    emailVerification: 'mandatory',
    emailVerificationByCodeEnabled: true,
    rateLimits: { signup: '50/m/ip' },
  },
  mfa: { passkeyLoginEnabled: true, passkeySignupEnabled: true },
} as const

describe.each(everywhere)('signing up with a passkey, %s', (_name, client, open) => {
  let bench: ApiBench
  let isOpen = true
  let people = 0
  beforeAll(async () => {
    bench = await apiBench(client, open, SETTINGS, { adapters: { account: { isOpenForSignup: () => isOpen } } })
  })
  afterAll(() => bench.world.close())

  const newEmail = (): string => `new${++people}@example.org`
  const visitor = (): ApiVisitor => bench.world.api(client, { ip: `203.0.113.${people}` })
  const pending = (id: string): object => ({ id, is_pending: true })

  async function verify(newcomer: ApiVisitor, email: string): Promise<void> {
    const [key] = CODE.exec((await bench.world.mailTo(email)).text) ?? []
    const answer = await newcomer.post('auth/email/verify', { key })
    expect(answer.status).toBe(401)
    expect(readPath(answer, 'data.flows')).toContainEqual(pending('mfa_signup_webauthn'))
  }

  /** Returns a newcomer whose address is verified and who has to create the passkey. */
  async function verified(): Promise<{ newcomer: ApiVisitor; email: string }> {
    const email = newEmail()
    const newcomer = visitor()
    expect((await newcomer.post(PATH, { email })).status).toBe(401)
    await verify(newcomer, email)
    return { newcomer, email }
  }

  it('verifies the address, then creates the passkey, which signs in from then on', async () => {
    const email = newEmail()
    const newcomer = visitor()
    const begun = await newcomer.post(PATH, { email, username: `Newcomer${people}` })
    expect(begun.body).toMatchObject({ status: 401, meta: { is_authenticated: false } })
    expect(readPath(begun, 'data.flows')).toContainEqual(pending('verify_email'))
    await verify(newcomer, email)
    const options = await newcomer.get(PATH)
    expect(options.body).toMatchObject({
      status: 200,
      data: {
        creation_options: {
          publicKey: {
            user: { name: email },
            authenticatorSelection: { residentKey: 'required', userVerification: 'required', requireResidentKey: true },
          },
        },
      },
    })
    const key = softwareAuthenticator({ origin: ORIGIN })
    const answer = await newcomer.put(PATH, { name: 'Phone', credential: key.create(readPublicKeyOptions(options)) })
    expect(answer.body).toMatchObject({
      status: 200,
      data: { user: { email, has_usable_password: false }, methods: [] },
      meta: { is_authenticated: true },
    })
    expect((await newcomer.get('account/authenticators')).body).toMatchObject({
      data: [{ type: 'webauthn', name: 'Phone', is_passwordless: true }],
    })
    await newcomer.delete('auth/session')
    const again = visitor()
    const credential = key.get(readPublicKeyOptions(await again.get('auth/webauthn/login')))
    expect((await again.post('auth/webauthn/login', { credential })).body).toMatchObject({
      status: 200,
      data: { user: { email } },
    })
  })

  it('looks the same for an address in use', async () => {
    const person = await bench.person()
    const taken = await visitor().post(PATH, { email: person.email })
    const free = await visitor().post(PATH, { email: newEmail() })
    expect(taken.status).toBe(401)
    const shown = (body: unknown): string => JSON.stringify(body).replace(/"session_token":"[^"]*"/, '')
    expect(shown(taken.body)).toBe(shown(free.body))
    expect((await bench.world.mailTo(person.email)).text).not.toMatch(CODE)
  })

  it.each<[why: string, body: unknown, errors: readonly object[]]>([
    ['nothing', {}, [{ code: 'required', param: 'email' }]],
    ['an invalid address', { email: 'x' }, [{ code: 'invalid', param: 'email' }]],
    ['numbers', { email: 1, username: 2 }, [{ code: 'invalid', param: 'email' }]],
    ['no JSON', '{', [{ code: 'invalid' }]],
  ])('cannot begin with %s', async (_why, body, errors) => {
    const answer = await visitor().post(PATH, body)
    expect(answer.body).toMatchObject({ status: 400, errors })
  })

  it('is a conflict for a signed-in user, after input validation', async () => {
    const { newcomer } = await verified()
    const key = softwareAuthenticator({ origin: ORIGIN })
    await newcomer.put(PATH, { credential: key.create(readPublicKeyOptions(await newcomer.get(PATH))) })
    expect((await newcomer.post(PATH, {})).status).toBe(400)
    expect((await newcomer.post(PATH, { email: newEmail() })).body).toEqual({ status: 409 })
    expect((await newcomer.get(PATH)).body).toEqual({ status: 409 })
    expect((await newcomer.put(PATH, { credential: { x: 1 } })).body).toEqual({ status: 409 })
  })

  it('is rejected if sign-up is closed, after input validation', async () => {
    isOpen = false
    const answers = [await visitor().post(PATH, {}), await visitor().post(PATH, { email: newEmail() })]
    isOpen = true
    expect(answers.map(({ status }) => status)).toEqual([400, 403])
    expect(answers[1]?.body).toEqual({ status: 403 })
  })

  it("doesn't accept a passkey before its step", async () => {
    const email = newEmail()
    const newcomer = visitor()
    expect((await newcomer.get(PATH)).body).toEqual({ status: 409 })
    await newcomer.post(PATH, { email })
    expect((await newcomer.get(PATH)).body).toEqual({ status: 409 })
    expect((await newcomer.put(PATH, { credential: { x: 1 } })).body).toEqual({ status: 409 })
  })

  it.each<[why: string, body: unknown, errors: readonly object[]]>([
    ['nothing', undefined, [{ code: 'required', param: 'credential' }]],
    ['an empty object', { credential: {} }, [{ code: 'required', param: 'credential' }]],
    ['text', { credential: 'x' }, [{ code: 'invalid', param: 'credential' }]],
    ['something else', { credential: { id: 'x' } }, INCORRECT.errors],
  ])('takes no passkey made of %s', async (_why, body, errors) => {
    const { newcomer } = await verified()
    await newcomer.get(PATH)
    const answer = await newcomer.put(PATH, body)
    expect(answer.body).toMatchObject({ status: 400, errors })
    expect(readPath(answer, 'errors.0.param')).toBe(Reflect.get(errors[0] ?? {}, 'param'))
    expect((await newcomer.get('auth/session')).status).toBe(401)
  })

  it('accepts one passkey, once', async () => {
    const { newcomer, email } = await verified()
    const key = softwareAuthenticator({ origin: ORIGIN })
    const credential = key.create(readPublicKeyOptions(await newcomer.get(PATH)))
    const answers = await Promise.all([1, 2].map(() => newcomer.put(PATH, { credential })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const { auth } = bench.world
    const rows = await auth.kernel.database.db.selectFrom('mfa_authenticator').selectAll().execute()
    const [owner] = await auth.kernel.users.byEmail(auth.kernel.database.db, email, {
      preferVerified: true,
      activeOnly: true,
    })
    expect(rows.filter((row) => String(row.user_id) === String(owner?.id))).toHaveLength(1)
  })

  it('has no other method', async () => {
    expect((await visitor().delete(PATH, {})).status).toBe(405)
  })
})

describe.each(everywhere)('the rate limit of signing up with a passkey, %s', (_name, client, open) => {
  it('counts every method', async () => {
    const account = { ...SETTINGS.account, rateLimits: { signup: '3/m/ip' } }
    const bench = await apiBench(client, open, { ...SETTINGS, account })
    const visitor = bench.world.api(client)
    const statuses = [await visitor.get(PATH), await visitor.post(PATH, {}), await visitor.put(PATH, {})]
    expect(statuses.map(({ status }) => status)).toEqual([409, 400, 409])
    const refused = await visitor.get(PATH)
    expect([refused.status, refused.body]).toEqual([429, { status: 429 }])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    await bench.world.close()
  })

  it("doesn't apply if that sign-up is turned off", async () => {
    const bench = await apiBench(client, open, { ...SETTINGS, mfa: { passkeySignupEnabled: false } })
    expect((await bench.world.api(client).get(PATH)).status).toBe(404)
    await bench.world.close()
  })
})
