import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type AddedKey,
  type ApiBench,
  apiBench,
  readPath,
  type Person,
  readPublicKeyOptions,
} from '../../testing/api-bench.ts'
import { everywhere } from '../../testing/api-cases.ts'
import type { ApiVisitor } from '../../testing/api-visitor.ts'
import type { AuthenticationJson } from '../../testing/authenticator.ts'

const AUTHENTICATE = 'auth/webauthn/authenticate'
const REAUTHENTICATE = 'auth/webauthn/reauthenticate'
const INCORRECT = {
  status: 400,
  errors: [{ message: 'Incorrect code.', code: 'incorrect_code', param: 'credential' }],
}

const malformed: readonly [why: string, credential: (made: AuthenticationJson) => unknown][] = [
  ['an unrelated object', () => ({ x: 1 })],
  ['no response', (made) => ({ ...made, response: undefined })],
  ['a response of the wrong type', (made) => ({ ...made, response: [] })],
  ['another type', (made) => ({ ...made, type: 'password' })],
  ['no signature', (made) => ({ ...made, response: { ...made.response, signature: undefined } })],
  ['another signature', (made) => ({ ...made, response: { ...made.response, signature: 'AAAA' } })],
  ['client data that is no JSON', (made) => ({ ...made, response: { ...made.response, clientDataJSON: 'AAAA' } })],
  ['another key', (made) => ({ ...made, id: 'AAAA', rawId: 'AAAA' })],
]

const unreadable: readonly [why: string, body: unknown, code: string][] = [
  ['nothing', {}, 'required'],
  ['null', { credential: null }, 'required'],
  ['an empty one', { credential: {} }, 'required'],
  ['text', { credential: '{' }, 'invalid'],
  ['a list', { credential: [{}] }, 'incorrect_code'],
  ['a number', { credential: 1 }, 'incorrect_code'],
]

describe.each(everywhere)('a security key as second factor, %s', (_name, client, open) => {
  let bench: ApiBench
  beforeAll(async () => {
    bench = await apiBench(client, open)
  })
  afterAll(() => bench.world.close())

  async function withKey(): Promise<{ person: Person; added: AddedKey; waiting: ApiVisitor }> {
    const person = await bench.person()
    const added = await bench.addKey(await person.login())
    return { person, added, waiting: await person.login() }
  }

  it('is required after the password, and completes the login', async () => {
    const { person, added, waiting } = await withKey()
    expect(readPath(await waiting.get('auth/session'), 'data.flows')).toContainEqual({
      id: 'mfa_authenticate',
      is_pending: true,
      types: ['recovery_codes', 'webauthn'],
    })
    const options = await waiting.get(AUTHENTICATE)
    expect(options.body).toMatchObject({
      status: 200,
      data: {
        request_options: {
          publicKey: {
            challenge: expect.any(String),
            rpId: 'auth.test',
            allowCredentials: [{ type: 'public-key', id: added.key.ids()[0] }],
            userVerification: 'preferred',
          },
        },
      },
    })
    const answer = await waiting.post(AUTHENTICATE, { credential: added.key.get(readPublicKeyOptions(options)) })
    expect(answer.body).toMatchObject({
      status: 200,
      data: {
        user: { id: person.user.id },
        methods: [{ method: 'password' }, { method: 'mfa', type: 'webauthn', id: added.id }],
      },
      meta: { is_authenticated: true },
    })
    expect((await person.authenticators())[0]).toMatchObject({ id: added.id, used: true })
  })

  it('signs a challenge once', async () => {
    const { person, added, waiting } = await withKey()
    const credential = added.key.get(readPublicKeyOptions(await waiting.get(AUTHENTICATE)))
    const answers = await Promise.all([1, 2].map(() => waiting.post(AUTHENTICATE, { credential })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const again = await person.login()
    expect((await again.post(AUTHENTICATE, { credential })).body).toEqual(INCORRECT)
    await again.get(AUTHENTICATE)
    expect((await again.post(AUTHENTICATE, { credential })).body).toEqual(INCORRECT)
  })

  it.each(malformed)('is rejected: %s', async (_why, credential) => {
    const { added, waiting } = await withKey()
    const made = added.key.get(readPublicKeyOptions(await waiting.get(AUTHENTICATE)))
    expect((await waiting.post(AUTHENTICATE, { credential: credential(made) })).body).toEqual(INCORRECT)
    expect((await waiting.get(AUTHENTICATE)).status).toBe(200)
  })

  it('of another user is rejected', async () => {
    const { waiting } = await withKey()
    const other = await withKey()
    const options = readPublicKeyOptions(await waiting.get(AUTHENTICATE))
    const credential = other.added.key.get(
      { ...options, allowCredentials: [] },
      { use: other.added.key.ids()[0] ?? '' },
    )
    expect((await waiting.post(AUTHENTICATE, { credential })).body).toEqual(INCORRECT)
  })

  it.each(unreadable)('cannot be read from %s', async (_why, body, code) => {
    const { waiting } = await withKey()
    const answer = await waiting.post(AUTHENTICATE, body)
    expect(answer.body).toMatchObject({ status: 400, errors: [{ code, param: 'credential' }] })
  })

  it('allows five attempts, then none for a while', async () => {
    const { added, waiting } = await withKey()
    for (let tries = 0; tries < 5; tries++) {
      const wrong = added.key.get(readPublicKeyOptions(await waiting.get(AUTHENTICATE)), { forged: true })
      expect((await waiting.post(AUTHENTICATE, { credential: wrong })).body).toEqual(INCORRECT)
    }
    const right = added.key.get(readPublicKeyOptions(await waiting.get(AUTHENTICATE)))
    expect((await waiting.post(AUTHENTICATE, { credential: right })).body).toMatchObject({
      status: 400,
      errors: [{ code: 'too_many_login_attempts', param: 'credential' }],
    })
  })

  it('returns 401 without a pending login, whatever the input', async () => {
    const visitor = (await bench.person()).visitor()
    const answers = [
      await visitor.get(AUTHENTICATE),
      await visitor.post(AUTHENTICATE),
      await visitor.post(AUTHENTICATE, '{'),
      await visitor.put(AUTHENTICATE, {}),
    ]
    for (const { body } of answers) expect(body).toMatchObject({ status: 401, meta: { is_authenticated: false } })
  })
})

describe.each(everywhere)('reauthenticating by security key, %s', (_name, client, open) => {
  let bench: ApiBench
  beforeAll(async () => {
    bench = await apiBench(client, open)
  })
  afterAll(() => bench.world.close())

  it('allows operations that require recent authentication', async () => {
    const visitor = await (await bench.person()).login()
    const { key, id } = await bench.addKey(visitor)
    bench.expireReauthentication()
    expect((await visitor.get('account/authenticators/recovery-codes')).status).toBe(401)
    const options = await visitor.get(REAUTHENTICATE)
    expect(options.body).toMatchObject({ status: 200, data: { request_options: { publicKey: {} } } })
    const answer = await visitor.post(REAUTHENTICATE, { credential: key.get(readPublicKeyOptions(options)) })
    expect(answer.body).toMatchObject({
      status: 200,
      data: { methods: [{ method: 'password' }, { method: 'mfa', type: 'webauthn', id, reauthenticated: true }] },
    })
    expect((await visitor.get('account/authenticators/recovery-codes')).status).toBe(200)
  })

  it.each(malformed)('is rejected: %s', async (_why, credential) => {
    const visitor = await (await bench.person()).login()
    const { key } = await bench.addKey(visitor)
    const made = key.get(readPublicKeyOptions(await visitor.get(REAUTHENTICATE)))
    expect((await visitor.post(REAUTHENTICATE, { credential: credential(made) })).body).toEqual(INCORRECT)
  })

  it.each(unreadable)('cannot be read from %s', async (_why, body, code) => {
    const visitor = await (await bench.person()).login()
    const answer = await visitor.post(REAUTHENTICATE, body)
    expect(answer.body).toMatchObject({ status: 400, errors: [{ code, param: 'credential' }] })
  })

  it('has its own rate limit', async () => {
    const visitor = await (await bench.person()).login()
    for (let tries = 0; tries < 10; tries++) expect((await visitor.post(REAUTHENTICATE, {})).status).toBe(400)
    const refused = await visitor.post(REAUTHENTICATE, {})
    expect([refused.status, refused.body]).toEqual([429, { status: 429 }])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await visitor.get(REAUTHENTICATE)).status).toBe(200)
  })

  it('requires sign-in', async () => {
    const visitor = (await bench.person()).visitor()
    expect((await visitor.get(REAUTHENTICATE)).status).toBe(401)
    expect((await visitor.post(REAUTHENTICATE, '{')).status).toBe(401)
  })
})
