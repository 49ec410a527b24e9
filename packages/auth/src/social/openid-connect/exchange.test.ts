import { createHmac, createPublicKey, type webcrypto } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { parseForeignJson } from '../wire/provider-reply.ts'
import { type GivenToken, ProviderError } from '../exchange.ts'
import { CALLBACK, expectFailure, handshake, IDA, STATE } from '../oauth2/testing-handshake.ts'
import { isRecord } from '../../kernel/settings/kind.ts'

const OIDC = 'openid_connect'
const ISSUER = 'https://login.idp.example'

/** The token flow of an app of ours. */
const verify = async (
  { exchange, call }: Pick<Awaited<ReturnType<typeof handshake>>, 'exchange' | 'call'>,
  given: GivenToken,
) => {
  if (exchange.verifyToken === undefined) throw new Error('no token flow')
  return exchange.verifyToken(call, given)
}

const kinds = (requests: readonly { readonly kind: string }[]): string[] => requests.map(({ kind }) => kind)

describe('a sign-in', () => {
  it("doesn't merge users whose numeric ids exceed the safe integers", async () => {
    const { emulator, exchange, call } = await handshake(OIDC, { settings: { uid_field: 'number' } })
    const idToken = emulator.idToken(OIDC, 'our-client', { claims: { number: 7 } })
    expect((await verify({ exchange, call }, { idToken })).uid).toBe('7')
    const large = emulator.idToken(OIDC, 'our-client', { claims: { number: 2 ** 53 } })
    await expectFailure(verify({ exchange, call }, { idToken: large }))
  })

  it('returns the identity, from claims of user info and of the verified id token', async () => {
    const { emulator, begin, visit, finish, clock } = await handshake(OIDC)
    const begun = await begin()
    const identity = await finish(begun, await visit(begun.url))
    expect(identity).toMatchObject({
      uid: IDA.id,
      username: IDA.username,
      firstName: IDA.firstName,
      lastName: IDA.lastName,
      emails: [{ email: IDA.email, verified: true, primary: true }],
      extraData: { userinfo: { sub: IDA.id }, id_token: { sub: IDA.id, iss: ISSUER, aud: 'our-client' } },
      tokens: { token: expect.stringMatching(/./) },
    })
    expect(identity.tokens?.expiresAtMs).toBeGreaterThan(clock.now())
    expect(kinds(emulator.requests)).toEqual(['discovery', 'authorize', 'token', 'jwks', 'profile'])
    await begin()
    expect(kinds(emulator.requests)).toHaveLength(5)
    clock.advance(11 * 60_000)
    await begin()
    expect(kinds(emulator.requests)).toHaveLength(6)
  })

  it("sends state, nonce and PKCE, which can't be overridden", async () => {
    const { begin } = await handshake(OIDC, {
      settings: { scope: ['groups'], auth_params: { prompt: 'select_account', hd: 'ours' } },
    })
    const authParams = { redirect_uri: 'https://evil.example/', state: 'x', response_type: 'token', hd: 'theirs' }
    const asked = async (action: 'authenticate' | 'reauthenticate') => {
      const { url } = await begin({ action, scope: ['email'], authParams })
      return Object.fromEntries(new URL(url).searchParams)
    }
    const first = await asked('authenticate')
    expect(first).toEqual({
      client_id: 'our-client',
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'openid groups email',
      state: STATE,
      nonce: expect.stringMatching(/^\w{32}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      prompt: 'select_account',
      hd: 'theirs',
    })
    const second = await asked('reauthenticate')
    expect(second['nonce']).not.toBe(first['nonce'])
    const { begin: plain } = await handshake(OIDC, { settings: { oauth_pkce_enabled: false } })
    const { url, kept } = await plain({ action: 'reauthenticate' })
    expect(new URL(url).searchParams.get('prompt')).toBe('login')
    expect([new URL(url).searchParams.has('code_challenge'), kept['verifier']]).toEqual([false, null])
  })

  it('requests a new login if required, whatever settings and request contain', async () => {
    const { begin } = await handshake(OIDC, {
      settings: { oauth_pkce_enabled: false, auth_params: { prompt: 'none', response_mode: 'fragment' } },
    })
    const authParams = {
      prompt: 'none',
      request: 'x',
      request_uri: 'https://evil.example/',
      code_challenge: 'x',
      code_challenge_method: 'plain',
    }
    const { url } = await begin({ action: 'reauthenticate', authParams })
    const asked = Object.fromEntries(new URL(url).searchParams)
    expect(asked['prompt']).toBe('login')
    for (const name of [...Object.keys(authParams).slice(1), 'response_mode']) expect(asked).not.toHaveProperty(name)
  })

  it('works in all ways that settings know', async () => {
    const basic = await handshake(OIDC, { settings: { token_auth_method: 'client_secret_basic' } })
    expect((await basic.signIn()).uid).toBe(IDA.id)
    const token = basic.emulator.requests.find(({ kind }) => kind === 'token')
    expect(token?.headers['authorization']).toMatch(/^Basic /)
    expect(token?.body).not.toContain('a-made-up-secret')
    const bare = await handshake(OIDC, { settings: { fetch_userinfo: false, oauth_pkce_enabled: false } })
    const { extraData, emails } = await bare.signIn()
    expect(Object.keys(extraData)).toEqual(['id_token'])
    expect(emails).toEqual([{ email: IDA.email, verified: true, primary: true }])
    expect(kinds(bare.emulator.requests)).not.toContain('profile')
    const other = await handshake(OIDC, { settings: { uid_field: 'preferred_username' } })
    expect((await other.signIn()).uid).toBe(IDA.username)
    const document = await handshake(OIDC, {
      settings: { server_url: `${ISSUER}/.well-known/openid-configuration` },
    })
    expect((await document.signIn()).uid).toBe(IDA.id)
  })
})

describe('a provider that cannot be trusted', () => {
  it.each([
    'bad_signature',
    'unsigned',
    'unknown_key',
    'wrong_issuer',
    'wrong_audience',
    'expired',
    'wrong_nonce',
    'no_id_token',
    'no_token',
    'error',
    'status_500',
    'malformed',
    'reset',
  ] as const)('rejects a token reply with: %s', async (fault) => {
    const { emulator, begin, visit, finish } = await handshake(OIDC)
    const begun = await begin()
    const params = await visit(begun.url)
    emulator.fail(OIDC, 'token', fault)
    await expectFailure(finish(begun, params))
  })

  it.each(['error', 'status_500', 'malformed', 'reset', 'no_uid', 'other_subject'] as const)(
    'rejects user info with: %s',
    async (fault) => {
      const { emulator, signIn } = await handshake(OIDC)
      emulator.fail(OIDC, 'profile', fault)
      await expectFailure(signIn())
    },
  )

  it('fails when the provider hangs, or without keys and configuration', async () => {
    const { emulator, signIn, hang, mend, begin } = await handshake(OIDC)
    for (const kind of ['discovery', 'jwks'] as const) {
      for (const fault of ['status_500', 'malformed', 'reset'] as const) {
        emulator.fail(OIDC, kind, fault)
        await expectFailure(signIn())
        emulator.clearFaults()
      }
    }
    hang('jwks')
    await expectFailure(signIn())
    mend()
    expect((await signIn()).uid).toBe(IDA.id)
    const far = await handshake(OIDC, { settings: { server_url: 'http://login.idp.example' } })
    await expectFailure(far.begin())
    expect((await begin()).url).toMatch(/^https:/)
    const document = {
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/authorize`,
      token_endpoint: `${ISSUER}/token`,
      jwks_uri: `${ISSUER}/keys`,
    }
    const wrong = [
      { jwks_uri: 'http://127.0.0.1:8500/v1/kv/' },
      { userinfo_endpoint: 'http://127.0.0.1:8500/v1/kv/' },
      { token_endpoint: undefined },
      { issuer: `${ISSUER}.evil.example` },
    ]
    for (const members of wrong) {
      const leading = await handshake(OIDC, { fetch: async () => Response.json({ ...document, ...members }) })
      await expectFailure(leading.begin())
    }
    const right = await handshake(OIDC, { fetch: async () => Response.json(document) })
    expect((await right.begin()).kept['issuer']).toBe(ISSUER)
  })

  it('may not sign with its public key as a shared secret, or with another key of the same name', async () => {
    const world = await handshake(OIDC)
    const { emulator } = world
    const good = emulator.idToken(OIDC, 'our-client')
    const [head = '', claims = ''] = good.split('.')
    const jwks = parseForeignJson(
      await (await emulator.fetch(new Request(emulator.endpoints(OIDC)['jwks_url'] ?? ''))).text(),
    )
    const keys = isRecord(jwks) && Array.isArray(jwks['keys']) ? jwks['keys'] : []
    // A JWK, as the emulator publishes it.
    const pem = createPublicKey({ key: keys[0] as webcrypto.JsonWebKey, format: 'jwk' }).export({
      type: 'spki',
      format: 'pem',
    })
    const kid = JSON.stringify({ ...JSON.parse(Buffer.from(head, 'base64url').toString()), alg: 'HS256' })
    const signed = `${Buffer.from(kid).toString('base64url')}.${claims}`
    const forged = `${signed}.${createHmac('sha256', pem).update(signed).digest('base64url')}`
    expect((await verify(world, { idToken: good })).uid).toBe(IDA.id)
    for (const idToken of [forged, `${good.slice(0, -6)}AAAAAA`, `${signed}.`, 'x', '', 'a.b.c', good.repeat(2)]) {
      await expectFailure(verify(world, { idToken }))
    }
  })
})

describe('a callback', () => {
  it('is of the provider that was asked, and was not refused', async () => {
    const { begin, visit, finish, exchange, call } = await handshake(OIDC)
    const begun = await begin()
    const params = await visit(begun.url)
    const changed = (name: string, value: string): URLSearchParams => {
      const copy = new URLSearchParams(params)
      copy.set(name, value)
      return copy
    }
    await expectFailure(finish(begun, changed('iss', 'https://another-idp.example')))
    await expectFailure(finish({ ...begun, kept: { ...begun.kept, issuer: 'https://another-idp.example' } }, params))
    await expectFailure(finish({ ...begun, kept: { ...begun.kept, nonce: 'another' } }, params))
    await expectFailure(finish({ ...begun, kept: {} }, params))
    await expectFailure(finish(begun, changed('code', 'guessed')))
    await expectFailure(finish(begun, new URLSearchParams({ state: STATE })))
    await expectFailure(finish(begun, new URLSearchParams({ error: 'server_error' })))
    const refused = exchange.finish(call, {
      params: new URLSearchParams({ error: 'access_denied', error_description: 'secret' }),
      kept: begun.kept,
    })
    await expect(refused).rejects.toMatchObject({ code: 'cancelled', message: 'the provider refused: access_denied' })
  })

  it('cannot bring the code of another browser, which has another challenge', async () => {
    const { begin, visit, finish } = await handshake(OIDC)
    const [ours, others] = [await begin(), await begin()]
    await expectFailure(finish(ours, await visit(others.url)))
  })

  it('keeps replies and claims out of error messages', async () => {
    const { emulator, begin, visit, finish } = await handshake(OIDC)
    for (const fault of ['wrong_audience', 'error', 'malformed', 'no_token'] as const) {
      const begun = await begin()
      const params = await visit(begun.url)
      emulator.fail(OIDC, 'token', fault)
      const error: unknown = await finish(begun, params).catch((thrown: unknown) => thrown)
      emulator.clearFaults()
      expect(error).toBeInstanceOf(ProviderError)
      expect(error).toMatchObject({ message: expect.stringMatching(/^[\w ,.:]+$/) })
      expect(error).not.toHaveProperty('cause')
    }
  })
})

describe('a token that an app brings', () => {
  it('is verified, and counts once by its id', async () => {
    const world = await handshake(OIDC)
    const { emulator, clock } = world
    const { uid, replay, extraData, tokens } = await verify(world, {
      idToken: emulator.idToken(OIDC, 'our-client', { claims: { jti: 'one' } }),
    })
    expect([uid, tokens, Object.keys(extraData)]).toEqual([IDA.id, null, ['id_token']])
    expect(replay).toMatchObject({ issuer: ISSUER, jti: 'one' })
    expect(replay?.expiresAtMs).toBeGreaterThan(clock.now())
    const wrong = [
      emulator.idToken(OIDC, 'another-client'),
      emulator.idToken(OIDC, 'our-client', { claims: { aud: ['our-client', 'another'], azp: 'another' } }),
      emulator.idToken(OIDC, 'our-client', { claims: { sub: '' } }),
      ...(['unsigned', 'wrong_issuer', 'expired', 'bad_signature', 'unknown_key'] as const).map((fault) =>
        emulator.idToken(OIDC, 'our-client', { fault }),
      ),
    ]
    for (const idToken of wrong) await expectFailure(verify(world, { idToken }))
    await expectFailure(verify(world, { accessToken: emulator.accessToken(OIDC, 'our-client') }))
  })

  it('does not make us fetch keys over and over', async () => {
    const world = await handshake(OIDC)
    const { emulator, clock } = world
    const unknown = emulator.idToken(OIDC, 'our-client', { fault: 'unknown_key' })
    const fetched = (): number => kinds(emulator.requests).filter((kind) => kind === 'jwks').length
    for (let times = 0; times < 3; times++) await expectFailure(verify(world, { idToken: unknown }))
    expect(fetched()).toBe(1)
    clock.advance(31_000)
    for (let times = 0; times < 3; times++) await expectFailure(verify(world, { idToken: unknown }))
    expect(fetched()).toBe(2)
  })
})
