import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ApiBench, apiBench, readPath, readPublicKeyOptions } from '../../testing/api-bench.ts'
import { everywhere } from '../../testing/api-cases.ts'

const PATH = 'auth/webauthn/login'
const INCORRECT = {
  status: 400,
  errors: [{ message: 'Incorrect code.', code: 'incorrect_code', param: 'credential' }],
}

describe.each(everywhere)('signing in with a passkey, %s', (_name, client, open) => {
  let bench: ApiBench
  beforeAll(async () => {
    bench = await apiBench(client, open, { mfa: { passkeyLoginEnabled: true } })
  })
  afterAll(() => bench.world.close())

  it('requires nothing else', async () => {
    const person = await bench.person()
    const { key, id } = await bench.addKey(await person.login(), { passwordless: true })
    const visitor = person.visitor()
    expect(readPath(await visitor.get('auth/session'), 'data.flows')).toContainEqual({ id: 'mfa_login_webauthn' })
    const options = await visitor.get(PATH)
    expect(options.body).toMatchObject({
      status: 200,
      data: {
        request_options: { publicKey: { challenge: expect.any(String), rpId: 'auth.test', allowCredentials: [] } },
      },
    })
    const answer = await visitor.post(PATH, { credential: key.get(readPublicKeyOptions(options)) })
    expect(answer.body).toMatchObject({
      status: 200,
      data: {
        user: { id: person.user.id },
        methods: [{ method: 'mfa', type: 'webauthn', id, passwordless: true }],
      },
      meta: { is_authenticated: true },
    })
    expect((await visitor.get('auth/session')).status).toBe(200)
  })

  it('is rate limited by IP address', async () => {
    const visitor = (await bench.person()).visitor()
    for (let asked = 0; asked < 60; asked++) expect((await visitor.get(PATH)).status).toBe(200)
    const refused = await visitor.get(PATH)
    expect([refused.status, refused.body, refused.headers.has('retry-after')]).toEqual([429, { status: 429 }, true])
  })

  it("of a disabled account doesn't sign in", async () => {
    const person = await bench.person()
    const { key } = await bench.addKey(await person.login(), { passwordless: true })
    const { auth } = bench.world
    await auth.kernel.users.update(auth.kernel.database.db, person.user.id, { isActive: false })
    const visitor = person.visitor()
    const answer = await visitor.post(PATH, { credential: key.get(readPublicKeyOptions(await visitor.get(PATH))) })
    expect(answer.body).toMatchObject({ status: 401, meta: { is_authenticated: false } })
    expect(JSON.stringify(answer.body)).not.toContain('is_pending')
  })

  it.each<[why: string, unusual: object]>([
    ['without a user handle', { userHandle: null }],
    ['with an unknown user handle', { userHandle: 'zzzzz' }],
    ["with another user's handle", { userHandle: '1' }],
    ['without user verification', { userVerified: false }],
    ['of another page', { origin: 'https://elsewhere.test' }],
    ['that signs something else', { forged: true }],
  ])('refuses one %s', async (_why, unusual) => {
    await bench.person()
    const person = await bench.person()
    const { key } = await bench.addKey(await person.login(), { passwordless: true })
    const visitor = person.visitor()
    const credential = key.get(readPublicKeyOptions(await visitor.get(PATH)), unusual)
    expect((await visitor.post(PATH, { credential })).body).toEqual(INCORRECT)
    expect((await visitor.get('auth/session')).status).toBe(401)
  })

  it('signs a challenge once, and only its own', async () => {
    const person = await bench.person()
    const { key } = await bench.addKey(await person.login(), { passwordless: true })
    const visitor = person.visitor()
    const credential = key.get(readPublicKeyOptions(await visitor.get(PATH)))
    const other = person.visitor()
    await other.get(PATH)
    expect((await other.post(PATH, { credential })).body).toEqual(INCORRECT)
    expect((await person.visitor().post(PATH, { credential })).body).toEqual(INCORRECT)
    expect((await visitor.post(PATH, { credential })).status).toBe(200)
    expect((await visitor.post(PATH, { credential })).body).toEqual(INCORRECT)
  })

  it.each<[why: string, body: unknown, code: string]>([
    ['nothing', undefined, 'required'],
    ['text', { credential: 'x' }, 'invalid'],
    ['a list', { credential: [] }, 'required'],
  ])('cannot read %s', async (_why, body, code) => {
    const visitor = (await bench.person()).visitor()
    expect((await visitor.post(PATH, body)).body).toMatchObject({
      status: 400,
      errors: [{ code, param: 'credential' }],
    })
  })

  it('has no other method', async () => {
    const visitor = (await bench.person()).visitor()
    expect((await visitor.delete(PATH, { credential: { x: 1 } })).status).toBe(405)
  })
})

describe.each(everywhere)('signing in with a passkey and an unverified address, %s', (_name, client, open) => {
  it('continues with the verification', async () => {
    const bench = await apiBench(client, open, {
      account: {
        signupFields: ['email*', 'password1*'],
        emailVerification: 'mandatory',
        emailVerificationByCodeEnabled: true,
      },
      mfa: { passkeyLoginEnabled: true },
    })
    const person = await bench.person()
    const { key } = await bench.addKey(await person.login(), { passwordless: true })
    const { auth } = bench.world
    for (const row of await auth.account.emails.ofUser(auth.kernel.database.db, person.user.id)) {
      await auth.account.emails.remove(auth.kernel.database.db, row.id)
      await auth.account.emails.insert(auth.kernel.database.db, { ...row, verified: false })
    }
    const visitor = person.visitor()
    const answer = await visitor.post(PATH, { credential: key.get(readPublicKeyOptions(await visitor.get(PATH))) })
    expect(answer.body).toMatchObject({ status: 401, meta: { is_authenticated: false } })
    expect(readPath(answer, 'data.flows')).toContainEqual({ id: 'verify_email', is_pending: true })
    await bench.world.close()
  })

  it("doesn't exist if it's turned off", async () => {
    const bench = await apiBench(client, open)
    expect((await (await bench.person()).visitor().get(PATH)).status).toBe(404)
    await bench.world.close()
  })
})
