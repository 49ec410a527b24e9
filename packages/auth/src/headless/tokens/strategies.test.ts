import { decodeJwt } from 'jose'
import { afterEach, describe, expect, it } from 'vitest'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'
import type { ApiVisitor } from '../../testing/api-visitor.ts'
import { SESSION_STRATEGY } from './strategy.ts'

const PASSWORD = 'a made-up pass phrase'
const LOGIN = { username: 'ada', password: PASSWORD }
const JWT = { tokenStrategy: 'jwt', jwtAlgorithm: 'HS256' } as const

let world: AuthWorld
afterEach(() => world.close())

type Options = NonNullable<Parameters<typeof authWorld>[0]>
async function open(headless: NonNullable<AuthSettingsInput['headless']> = JWT, options: Options = {}): Promise<void> {
  world = await authWorld({ ...options, settings: { ...options.settings, headless: { enabled: true, ...headless } } })
  await world.addUser({ username: 'ada', email: 'ada@example.org', password: PASSWORD })
}
type Meta = Readonly<Record<string, string>>
async function login(
  client: 'app' | 'browser' = 'app',
): Promise<{ readonly visitor: ApiVisitor; readonly meta: Meta }> {
  const visitor = world.api(client)
  const { status, body } = await visitor.post('auth/login', LOGIN)
  expect(status).toBe(200)
  return { visitor, meta: (body as { meta: Meta }).meta } // as every answer of a login
}
const session = async (headers: Readonly<Record<string, string>>): Promise<number> =>
  (await world.api('app').get('auth/session', headers)).status

describe('the session strategy', () => {
  it('knows the session token alone', async () => {
    await open({})
    const { meta } = await login()
    expect(Object.keys(meta)).toEqual(['is_authenticated', 'session_token'])
    const token = meta['session_token'] ?? ''
    expect(await session({ 'x-session-token': token })).toBe(200)
    expect(await session({ authorization: `Bearer ${token}` })).toBe(401)
    const refreshed = await world.api('app').post('tokens/refresh', { refresh_token: token })
    expect([refreshed.status, refreshed.body]).toEqual([400, { status: 400 }])
    expect(await world.auth.module('headless').tokens.checkAccessToken(token)).toBeNull()
  })
})

describe('the strategy jwt', () => {
  it('are sent to an app once: after sign-in', async () => {
    await open()
    const { visitor, meta } = await login()
    expect(Object.keys(meta)).toEqual(['is_authenticated', 'session_token', 'access_token', 'refresh_token'])
    const again = await visitor.get('auth/session')
    expect(again.body).toMatchObject({ status: 200, meta: { is_authenticated: true } })
    expect(again.body).not.toHaveProperty('meta.access_token')
  })

  it('are never sent to a browser', async () => {
    await open()
    expect(Object.keys((await login('browser')).meta)).toEqual(['is_authenticated'])
  })

  it('are not sent before the last step of a login', async () => {
    world = await authWorld({
      settings: {
        headless: { enabled: true, ...JWT },
        account: {
          emailVerification: 'mandatory',
          loginMethods: ['username'],
          signupFields: ['username*', 'email*', 'password1*'],
        },
      },
    })
    await world.addUser({ username: 'ada', email: 'ada@example.org', password: PASSWORD, verified: false })
    const { status, body } = await world.api('app').post('auth/login', LOGIN)
    expect(status).toBe(401)
    expect(Object.keys((body as { meta: Meta }).meta)).toEqual(['is_authenticated', 'session_token']) // as every answer of a login
  })

  it('finds the session by access token, but prefers a session token', async () => {
    await open()
    const { meta } = await login()
    const authorization = `Bearer ${meta['access_token']}`
    expect(await session({ authorization })).toBe(200)
    expect(await session({ authorization, 'x-session-token': 'a'.repeat(43) })).toBe(410)
    expect(await session({ authorization, 'x-session-token': '' })).toBe(200)
    expect(await session({ authorization: 'Bearer noise', 'x-session-token': meta['session_token'] ?? '' })).toBe(200)
  })

  it.each([
    ['Bearer', 'bearer', 200],
    ['Bearer', 'BEARER', 200],
    ['Token', 'token', 200],
    ['Token', 'Bearer', 401],
    ['Bearer', 'Token', 401],
    ['Bearer', '', 401],
  ] as const)('with the scheme %s set and %j sent answers %i', async (scheme, sent, status) => {
    await open({ ...JWT, jwtAuthorizationHeaderScheme: scheme })
    const { meta } = await login()
    expect(await session({ authorization: `${sent} ${meta['access_token']}` })).toBe(status)
  })

  it.each(['noise', 'a.b.c', 'a b', '\u00e9', 'a'.repeat(10_000)])(
    'rejects a malformed access token: %j',
    async (token) => {
      await open()
      expect(await session({ authorization: `Bearer ${token}` })).toBe(401)
    },
  )

  it('has nothing in a token that opens the session', async () => {
    await open()
    const { meta } = await login()
    const [row] = await world.auth.kernel.database.db.selectFrom('gatepost_session').select('id').execute()
    const tokens = [meta['access_token'] ?? '', meta['refresh_token'] ?? '']
    const [access, refresh] = tokens.map((token) => decodeJwt(token))
    expect(access?.['sid']).not.toBe(refresh?.['sid'])
    const texts = [...tokens, access?.['sid'], refresh?.['sid'], access?.jti, refresh?.jti, row?.id]
    for (const text of texts) expect(await session({ 'x-session-token': String(text) })).toBe(410)
    for (const text of [meta['session_token'], meta['refresh_token'], access?.['sid'], row?.id]) {
      expect(await session({ authorization: `Bearer ${String(text)}` })).toBe(401)
    }
  })

  it('does not store the session of a visitor without tokens', async () => {
    await open()
    await login()
    await session({ authorization: 'Bearer noise' })
    expect(await world.auth.kernel.database.db.selectFrom('gatepost_session').select('id').execute()).toHaveLength(1)
  })

  it.each<[why: string, headless: NonNullable<AuthSettingsInput['headless']>, named: Readonly<Record<string, string>>]>(
    [
      ['nobody', {}, {}],
      ['both', { jwtIssuer: 'us', jwtAudience: 'them' }, { iss: 'us', aud: 'them' }],
      ['an issuer alone', { jwtIssuer: 'us' }, { iss: 'us' }],
    ],
  )('names issuer and audience as set: %s', async (_why, headless, named) => {
    await open({ ...JWT, ...headless })
    const { meta } = await login()
    const claims = decodeJwt(meta['access_token'] ?? '')
    const always = ['exp', 'iat', 'jti', 'sid', 'sub', 'token_use']
    expect(Object.keys(claims).toSorted()).toEqual([...Object.keys(named), ...always].toSorted())
    expect(claims).toMatchObject(named)
    expect(await world.auth.module('headless').tokens.checkAccessToken(meta['access_token'] ?? '')).toMatchObject({
      userId: 1,
      claims: named,
    })
  })

  it('adds the claims of the host', async () => {
    await open(JWT, { adapters: { headless: { getClaims: ({ email }) => ({ email, sub: 'somebody else' }) } } })
    const { meta } = await login()
    const access = await world.auth.module('headless').tokens.checkAccessToken(meta['access_token'] ?? '')
    expect(access).toMatchObject({ userId: 1, claims: { email: 'ada@example.org', sub: '1' } })
    expect(decodeJwt(meta['refresh_token'] ?? '')).not.toHaveProperty('email')
  })

  it.each([
    [false, 410, true],
    [true, 401, false],
  ])('after a logout, with stateful validation %s', async (jwtStatefulValidationEnabled, status, isValid) => {
    await open({ ...JWT, jwtStatefulValidationEnabled })
    const { visitor, meta } = await login()
    const token = meta['access_token'] ?? ''
    expect(await world.auth.module('headless').tokens.checkAccessToken(token)).toMatchObject({ userId: 1 })
    await visitor.delete('auth/session')
    expect(await session({ authorization: `Bearer ${token}` })).toBe(status)
    expect((await world.auth.module('headless').tokens.checkAccessToken(token)) !== null).toBe(isValid)
  })

  it('does not take a refresh token for an access token', async () => {
    await open()
    const { meta } = await login()
    expect(await world.auth.module('headless').tokens.checkAccessToken(meta['refresh_token'] ?? '')).toBeNull()
    expect(await session({ authorization: `Bearer ${meta['refresh_token']}` })).toBe(401)
  })

  it.each(['bigint', 'uuid'] as const)('knows users by keys that are %s', async (idType) => {
    await open(JWT, { settings: { userTable: { idType } } })
    const { meta } = await login()
    const stored = await world.auth.kernel.users.byUsername(world.auth.kernel.database.db, 'ada')
    const access = await world.auth.module('headless').tokens.checkAccessToken(meta['access_token'] ?? '')
    expect(access?.userId).toBe(stored?.id)
    const answer = await world.api('app').post('tokens/refresh', { refresh_token: meta['refresh_token'] })
    expect(answer.status).toBe(200)
  })
})

describe("a host's own strategy", () => {
  it('replaces the built-in one, and can use all its parts', async () => {
    const used: string[] = []
    await open(JWT, {
      adapters: {
        headless: {
          tokenStrategy: (kernel) => ({
            ...SESSION_STRATEGY,
            createSessionToken: (_request, token) => `mine.${token}`,
            findSession: async ({ headers }) => {
              used.push(kernel.settings.headless.tokenStrategy)
              const [, token] = /^mine\.(.+)$/.exec(headers.get('x-session-token') ?? '') ?? []
              return token === undefined ? null : { kind: 'token', token }
            },
          }),
        },
      },
    })
    const { visitor, meta } = await login()
    expect(meta['session_token']).toMatch(/^mine\./)
    expect((await visitor.get('auth/session')).status).toBe(200)
    expect(used).toEqual(['jwt', 'jwt'])
    expect(await world.auth.module('headless').tokens.checkAccessToken('anything')).toBeNull()
  })
})
