import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ApiBench, apiBench, readPath, readPublicKeyOptions } from '../../testing/api-bench.ts'
import { everywhere } from '../../testing/api-cases.ts'
import type { ApiVisitor } from '../../testing/api-visitor.ts'
import { ORIGIN } from '../../testing/auth-world.ts'
import { type RegistrationJson, softwareAuthenticator } from '../../testing/authenticator.ts'

const PATH = 'account/authenticators/webauthn'
/** Without `param`. */
const INCORRECT = { status: 400, errors: [{ message: 'Incorrect code.', code: 'incorrect_code' }] }
const UNVERIFIED = {
  status: 409,
  errors: [
    {
      message: 'Verify all your email addresses before you set up two-factor authentication.',
      code: 'unverified_email',
    },
  ],
}
const REAUTHENTICATE = {
  status: 401,
  data: { flows: [{ id: 'reauthenticate' }, { id: 'mfa_reauthenticate' }] },
  meta: { is_authenticated: true },
}

describe.each(everywhere)('security keys, %s', (_name, client, open) => {
  let bench: ApiBench
  /** Whether the host allows removing keys. */
  let isRemovable = true
  beforeAll(async () => {
    const mfa = { canDeleteAuthenticator: () => isRemovable }
    bench = await apiBench(client, open, {}, { adapters: { mfa } })
  })
  afterAll(() => bench.world.close())

  const created = async (visitor: ApiVisitor): Promise<RegistrationJson> =>
    softwareAuthenticator({ origin: ORIGIN }).create(readPublicKeyOptions(await visitor.get(PATH)))

  it.each(['GET', 'POST', 'PUT', 'DELETE'])('require sign-in: %s', async (method) => {
    const visitor = (await bench.person()).visitor()
    const answer = await visitor.send(method, PATH, method === 'GET' ? undefined : '{')
    expect(answer.body).toMatchObject({ status: 401, meta: { is_authenticated: false } })
  })

  it.each([
    ['a key', PATH, 'discouraged', false],
    ['a passkey', `${PATH}?passwordless`, 'required', true],
    ['a passkey, whatever it is set to', `${PATH}?passwordless=false`, 'required', true],
  ])('are made by options: %s', async (_why, path, asked, requireResidentKey) => {
    const person = await bench.person()
    const visitor = await person.login()
    const answer = await visitor.get(path)
    expect(answer.body).toMatchObject({
      status: 200,
      data: {
        creation_options: {
          publicKey: {
            rp: { id: 'auth.test', name: 'Example' },
            user: { id: expect.any(String), name: person.email, displayName: expect.any(String) },
            challenge: expect.stringMatching(/^[\w-]{43}$/),
            pubKeyCredParams: expect.arrayContaining([{ type: 'public-key', alg: -7 }]),
            excludeCredentials: [],
            authenticatorSelection: { residentKey: asked, userVerification: asked, requireResidentKey },
            extensions: { credProps: true },
          },
        },
      },
    })
  })

  it('are added, with recovery codes the first time', async () => {
    const person = await bench.person()
    const visitor = await person.login()
    const first = await bench.addKey(visitor, { name: ' On my desk ' })
    expect(first.answer.body).toEqual({
      status: 200,
      data: {
        type: 'webauthn',
        id: first.id,
        name: 'On my desk',
        is_passwordless: false,
        created_at: bench.world.clock.now() / 1_000,
        last_used_at: null,
      },
      meta: { recovery_codes_generated: true },
    })
    const second = await bench.addKey(visitor, { name: '', passwordless: true })
    expect(second.answer.body).toMatchObject({
      data: { name: expect.stringMatching(/./), is_passwordless: true },
      meta: { recovery_codes_generated: false },
    })
    expect((await person.authenticators()).map(({ type }) => type)).toEqual(['webauthn', 'recovery_codes', 'webauthn'])
  })

  it("don't require a name", async () => {
    const visitor = await (await bench.person()).login()
    const answer = await visitor.post(PATH, { credential: await created(visitor) })
    expect(answer.body).toMatchObject({ status: 200, data: { name: expect.stringMatching(/./) } })
  })

  it.each<[why: string, body: (credential: RegistrationJson) => unknown, errors: readonly object[]]>([
    ['nothing', () => ({}), [{ code: 'required', param: 'credential' }]],
    ['null', () => ({ credential: null }), [{ code: 'required', param: 'credential' }]],
    ['an empty one', () => ({ credential: {} }), [{ code: 'required', param: 'credential' }]],
    ['text', () => ({ credential: '{' }), [{ code: 'invalid', param: 'credential' }]],
    ['a list', () => ({ credential: [] }), [{ code: 'required', param: 'credential' }]],
    ['a number', () => ({ name: 5, credential: 5 }), [{ code: 'incorrect_code' }]],
  ])('cannot be read from %s', async (_why, body, errors) => {
    const person = await bench.person()
    const visitor = await person.login()
    const answer = await visitor.post(PATH, body(await created(visitor)))
    expect(answer.body).toMatchObject({ status: 400, errors })
    expect(readPath(answer, 'errors')).toHaveLength(errors.length)
    expect(await person.authenticators()).toEqual([])
  })

  it.each<[why: string, credential: (made: RegistrationJson) => unknown]>([
    ['an unrelated object', () => ({ x: 1 })],
    ['no response', (made) => ({ ...made, response: undefined })],
    ['a response of the wrong type', (made) => ({ ...made, response: 'x' })],
    ['no attestation', (made) => ({ ...made, response: { clientDataJSON: made.response.clientDataJSON } })],
    ['broken CBOR', (made) => ({ ...made, response: { ...made.response, attestationObject: 'AAAA' } })],
    ['another id', (made) => ({ ...made, id: 'AAAA', rawId: 'AAAA' })],
  ])('that are broken are refused: %s', async (_why, credential) => {
    const person = await bench.person()
    const visitor = await person.login()
    expect((await visitor.post(PATH, { credential: credential(await created(visitor)) })).body).toEqual(INCORRECT)
    expect(await person.authenticators()).toEqual([])
  })

  it('sign a challenge once', async () => {
    const person = await bench.person()
    const visitor = await person.login()
    const credential = await created(visitor)
    const answers = await Promise.all([1, 2].map(() => visitor.post(PATH, { credential })))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400])
    expect((await visitor.post(PATH, { credential })).body).toEqual(INCORRECT)
    expect((await person.authenticators()).filter(({ type }) => type === 'webauthn')).toHaveLength(1)
  })

  it('for another page or another challenge are rejected', async () => {
    const visitor = await (await bench.person()).login()
    const key = softwareAuthenticator({ origin: 'https://elsewhere.test' })
    const foreign = key.create(readPublicKeyOptions(await visitor.get(PATH)))
    expect((await visitor.post(PATH, { credential: foreign })).body).toEqual(INCORRECT)
    const late = await created(visitor)
    await visitor.get(PATH)
    expect((await visitor.post(PATH, { credential: late })).body).toEqual(INCORRECT)
  })

  it('require verified addresses, checked before anything else', async () => {
    const person = await bench.person()
    const visitor = await person.login()
    const { auth } = bench.world
    const email = `other-${person.email}`
    await auth.account.emails.insert(auth.kernel.database.db, {
      userId: person.user.id,
      email,
      verified: false,
      primary: false,
    })
    bench.expireReauthentication()
    expect((await visitor.get(PATH)).body).toEqual(UNVERIFIED)
    expect((await visitor.post(PATH, '{')).body).toEqual(UNVERIFIED)
    expect((await visitor.put(PATH, {})).status).toBe(400)
  })

  it('require recent authentication', async () => {
    const person = await bench.person()
    const visitor = await person.login()
    const { id } = await bench.addKey(visitor)
    const credential = await created(visitor)
    bench.expireReauthentication()
    const refused = [
      await visitor.get(PATH),
      await visitor.post(PATH, { credential }),
      await visitor.put(PATH, { id, name: 'Other' }),
      await visitor.delete(PATH, { authenticators: [id] }),
    ]
    for (const { body } of refused) expect(body).toMatchObject(REAUTHENTICATE)
    expect((await visitor.get('account/authenticators')).body).toMatchObject({ data: [{ name: 'Key' }, {}] })
    await visitor.post('auth/reauthenticate', { password: person.credentials.password })
    // The same request again.
    expect((await visitor.post(PATH, { credential })).status).toBe(200)
  })

  it('are renamed', async () => {
    const visitor = await (await bench.person()).login()
    const { id } = await bench.addKey(visitor)
    const answer = await visitor.put(PATH, { id, name: ' Ключ ' })
    expect(answer.body).toMatchObject({ status: 200, data: { type: 'webauthn', id, name: 'Ключ' } })
    expect((await visitor.get('account/authenticators')).body).toMatchObject({ data: [{ id, name: 'Ключ' }, {}] })
  })

  it.each<[why: string, body: (id: number) => unknown, errors: readonly object[]]>([
    [
      'nothing',
      () => ({}),
      [
        { code: 'required', param: 'id' },
        { code: 'required', param: 'name' },
      ],
    ],
    ['no name', (id) => ({ id, name: ' ' }), [{ code: 'required', param: 'name' }]],
    ['a long name', (id) => ({ id, name: 'x'.repeat(101) }), [{ code: 'max_length', param: 'name' }]],
    ['no such key', () => ({ id: 999_999, name: 'x' }), [{ code: 'invalid_choice', param: 'id' }]],
    ['text as id', () => ({ id: 'x', name: 'x' }), [{ code: 'invalid_choice', param: 'id' }]],
    ['a fraction', () => ({ id: 1.5, name: 'x' }), [{ code: 'invalid_choice', param: 'id' }]],
    ['a huge number', () => ({ id: 1e300, name: 'x' }), [{ code: 'invalid_choice', param: 'id' }]],
  ])('are not renamed by %s, however long ago somebody signed in', async (_why, body, errors) => {
    const visitor = await (await bench.person()).login()
    const { id } = await bench.addKey(visitor)
    bench.expireReauthentication()
    const answer = await visitor.put(PATH, body(id))
    expect(answer.body).toMatchObject({ status: 400, errors })
    expect(readPath(answer, 'errors')).toHaveLength(errors.length)
  })

  it('are removed, and with the last factor the recovery codes', async () => {
    const person = await bench.person()
    const visitor = await person.login()
    const ids = [(await bench.addKey(visitor)).id, (await bench.addKey(visitor)).id, (await bench.addKey(visitor)).id]
    expect((await visitor.delete(PATH, { authenticators: ids.slice(0, 1) })).body).toEqual({ status: 200 })
    expect(await person.authenticators()).toHaveLength(3)
    expect((await visitor.delete(PATH, { authenticators: [...ids.slice(1), ids[1]] })).body).toEqual({ status: 200 })
    expect(await person.authenticators()).toEqual([])
  })

  it.each<[why: string, authenticators: (id: number) => unknown, code: string]>([
    ['nothing', () => undefined, 'required'],
    ['none', () => [], 'required'],
    ['a number', (id) => id, 'invalid_list'],
    ['text', () => '1', 'invalid_list'],
    ['a list of text', () => ['x'], 'invalid_pk_value'],
    ['an unknown one', (id) => [id, 999_999], 'invalid_choice'],
  ])('are not removed by %s, which is checked after who asks', async (_why, authenticators, code) => {
    const person = await bench.person()
    const visitor = await person.login()
    const { id } = await bench.addKey(visitor)
    const answer = await visitor.delete(PATH, { authenticators: authenticators(id) })
    expect(answer.body).toMatchObject({ status: 400, errors: [{ code, param: 'authenticators' }] })
    bench.expireReauthentication()
    expect((await visitor.delete(PATH, { authenticators: authenticators(id) })).body).toMatchObject({
      status: 401,
      meta: { is_authenticated: true },
    })
    expect(await person.authenticators()).toHaveLength(2)
  })

  it("of another user, or of another type, can't be changed", async () => {
    const owner = await bench.person()
    const { id } = await bench.addKey(await owner.login())
    const other = await bench.person()
    const visitor = await other.login()
    const own = await bench.addKey(visitor)
    const codes = (await other.authenticators()).find(({ type }) => type === 'recovery_codes')?.id
    for (const foreign of [id, codes]) {
      expect((await visitor.put(PATH, { id: foreign, name: 'Mine' })).body).toMatchObject({
        status: 400,
        errors: [{ code: 'invalid_choice', param: 'id' }],
      })
      expect((await visitor.delete(PATH, { authenticators: [own.id, foreign] })).body).toMatchObject({
        status: 400,
        errors: [{ code: 'invalid_choice', param: 'authenticators' }],
      })
    }
    expect(await owner.authenticators()).toHaveLength(2)
    expect(await other.authenticators()).toHaveLength(2)
  })

  it('stay if the host says so', async () => {
    const person = await bench.person()
    const visitor = await person.login()
    const { id } = await bench.addKey(visitor)
    isRemovable = false
    const answer = await visitor.delete(PATH, { authenticators: [id] })
    isRemovable = true
    expect(answer.body).toEqual({
      status: 400,
      errors: [{ message: "This sign-in method can't be removed.", code: 'cannot_delete_authenticator' }],
    })
    expect(await person.authenticators()).toHaveLength(2)
  })
})
