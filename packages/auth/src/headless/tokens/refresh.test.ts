import { testDatabases } from '@gatepost/sql/testing'
import { decodeJwt, type JWTPayload, SignJWT } from 'jose'
import { afterEach, describe, expect, it } from 'vitest'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import type { ApiAnswered, ApiVisitor } from '../../testing/api-visitor.ts'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'

const PASSWORD = 'a made-up pass phrase'
const SECRET = 'a made-up secret of 32 bytes or more'
const ADA = { username: 'ada', email: 'ada@example.org', password: PASSWORD }
const REFUSED = [400, { status: 400 }] as const
const JWT = { enabled: true, tokenStrategy: 'jwt', jwtAlgorithm: 'HS256', jwtPrivateKey: SECRET } as const

interface Pair {
  readonly access: string
  readonly refresh: string
}

/** Reads the token pair from a response: in `meta` after a login, in `data` after a refresh. */
function readTokenPair({ body }: ApiAnswered): Pair {
  const { meta, data } = body as { meta?: Record<string, string>; data?: Record<string, string> } // as every answer
  const told = meta?.['access_token'] === undefined ? data : meta
  return { access: told?.['access_token'] ?? '', refresh: told?.['refresh_token'] ?? '' }
}
const statusAndBody = ({ status, body }: ApiAnswered): readonly unknown[] => [status, body]

describe.each(testDatabases)('refresh tokens on %s', (_name, openDatabase) => {
  let world: AuthWorld
  afterEach(() => world.close())

  async function open(headless: NonNullable<AuthSettingsInput['headless']> = {}, settings: AuthSettingsInput = {}) {
    // Time passes between the arrival of a request and its handling.
    const getClientIp = (_request: Request, remoteAddress: string | null): string | null => {
      world.clock.advance(1)
      return remoteAddress
    }
    const options = {
      settings: { ...settings, headless: { ...JWT, ...headless } },
      adapters: { account: { getClientIp } },
    }
    world = await authWorld(options, openDatabase)
    await world.addUser(ADA)
  }
  async function login(): Promise<Pair & { readonly app: ApiVisitor }> {
    const app = world.api('app')
    const answer = await app.post('auth/login', { username: 'ada', password: PASSWORD })
    expect(answer.status).toBe(200)
    return { app, ...readTokenPair(answer) }
  }
  const refresh = (refreshToken: unknown): Promise<ApiAnswered> => {
    world.clock.advance(1)
    return sent(refreshToken)
  }
  const sent = (refreshToken: unknown): Promise<ApiAnswered> =>
    world.api('app').post('tokens/refresh', { refresh_token: refreshToken })
  const bearer = async (access: string): Promise<number> =>
    (await world.api('app').get('auth/session', { authorization: `Bearer ${access}` })).status
  /** A token like this one, signed with our secret, with other claims. */
  const forged = (token: string, claims: JWTPayload): Promise<string> =>
    new SignJWT({ ...decodeJwt(token), ...claims }).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(SECRET))

  it('give new tokens, without any other credential', async () => {
    await open()
    const first = await login()
    world.clock.advance(600_000)
    expect(await bearer(first.access)).toBe(401)
    const answer = await refresh(first.refresh)
    const second = readTokenPair(answer)
    expect(answer.body).toEqual({ status: 200, data: { access_token: second.access, refresh_token: second.refresh } })
    expect(await bearer(second.access)).toBe(200)
    expect(readTokenPair(await refresh(second.refresh)).access).not.toBe('')
  })

  it('count once: one that comes again ends its session, and no other', async () => {
    await open()
    const [first, other] = [await login(), await login()]
    const second = readTokenPair(await refresh(first.refresh))
    world.clock.advance(10_001)
    expect(statusAndBody(await refresh(first.refresh))).toEqual(REFUSED)
    expect(statusAndBody(await refresh(second.refresh))).toEqual(REFUSED)
    expect([await bearer(second.access), (await first.app.get('auth/session')).status]).toEqual([410, 410])
    expect([await bearer(other.access), (await refresh(other.refresh)).status]).toEqual([200, 200])
    expect(world.logged.map(({ message }) => message)).toEqual(['A refresh token was reused, so its session was ended'])
  })

  it('give the same successor again for ten seconds, until it was used', async () => {
    await open()
    const first = await login()
    const second = readTokenPair(await refresh(first.refresh))
    world.clock.advance(9_000)
    const again = readTokenPair(await refresh(first.refresh))
    expect(decodeJwt(again.refresh)).toMatchObject({
      jti: decodeJwt(second.refresh).jti,
      exp: decodeJwt(second.refresh).exp,
    })
    expect([await bearer(second.access), await bearer(again.access)]).toEqual([200, 200])
    expect((await refresh(again.refresh)).status).toBe(200)
    expect(statusAndBody(await refresh(first.refresh))).toEqual(REFUSED)
    expect(await bearer(again.access)).toBe(410)
  })

  it('end their session at once if used again, without a grace period', async () => {
    await open({ jwtRefreshTokenGracePeriod: 0 })
    const first = await login()
    await refresh(first.refresh)
    world.clock.advance(1)
    expect(statusAndBody(await refresh(first.refresh))).toEqual(REFUSED)
    expect(await bearer(first.access)).toBe(410)
  })

  it('sent twice at once are used up once: both have the one successor, of which a copy is found out', async () => {
    await open()
    const first = await login()
    const both = await Promise.all([refresh(first.refresh), refresh(first.refresh)])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    const [left, right] = [readTokenPair(both[0]), readTokenPair(both[1])]
    expect(decodeJwt(left.refresh).jti).toBe(decodeJwt(right.refresh).jti)
    expect([await bearer(left.access), await bearer(right.access)]).toEqual([200, 200])
    const third = readTokenPair(await refresh(left.refresh))
    world.clock.advance(10_001)
    expect(statusAndBody(await refresh(right.refresh))).toEqual(REFUSED)
    expect(statusAndBody(await refresh(third.refresh))).toEqual(REFUSED)
  })

  it('sent many times in one millisecond are used up once, and end nothing', async () => {
    world = await authWorld({ settings: { headless: JWT } }, openDatabase)
    await world.addUser(ADA)
    const { refresh: token } = await login()
    const all = await Promise.all(Array.from({ length: 10 }, () => sent(token)))
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(all.map((answer) => decodeJwt(readTokenPair(answer).refresh).jti)).size).toBe(1)
  })

  it('pass by whatever else changes their session at once', async () => {
    await open()
    const first = await login()
    const { auth } = world
    const [row] = await auth.kernel.database.db.selectFrom('gatepost_session').select('id').execute()
    const seen = { nowMs: world.clock.now(), ip: null, userAgent: '' }
    const busy = await auth.kernel.sessions.open({ kind: 'id', id: row?.id ?? '' }, seen)
    busy.set('something', 'else')
    const [answer] = await Promise.all([refresh(first.refresh), busy.save()])
    expect((await refresh(readTokenPair(answer).refresh)).status).toBe(200)
    const after = await auth.kernel.sessions.open({ kind: 'id', id: row?.id ?? '' }, seen)
    expect(after.get('something')).toBe('else')
    const live = after.get('headless_refresh_tokens')
    expect(typeof live === 'object' && live !== null ? Object.keys(live) : []).toHaveLength(1)
  })

  it('without rotation are good until they end', async () => {
    await open({ jwtRotateRefreshToken: false })
    const { refresh: token } = await login()
    for (const _ of [1, 2, 3]) {
      const { body } = await refresh(token)
      expect(body).toEqual({ status: 200, data: { access_token: expect.any(String) } })
    }
    world.clock.advance(86_400_000)
    expect(statusAndBody(await refresh(token))).toEqual(REFUSED)
  })

  it('that are expired, foreign, or of another type are rejected, and their session stays', async () => {
    await open({ jwtRefreshTokenExpiresIn: 3_600 })
    const { app, access, refresh: token } = await login()
    const stranger = await new SignJWT(decodeJwt(token))
      .setProtectedHeader({ alg: 'HS256' })
      .sign(Buffer.from(SECRET.repeat(2)))
    const used = readTokenPair(await refresh(token))
    world.clock.advance(3_600_000)
    for (const given of [token, used.refresh, stranger, access, 'noise', 'a.b.c']) {
      expect(statusAndBody(await refresh(given))).toEqual(REFUSED)
    }
    expect((await app.get('auth/session')).status).toBe(200)
  })

  it.each<[why: string, claims: JWTPayload]>([
    ['another user', { sub: '2' }],
    ['a session that cannot be opened', { sid: 'AAAA.BBBB' }],
  ])('of %s are refused, whoever signed them', async (_why, claims) => {
    await open()
    const { app, refresh: token } = await login()
    expect(statusAndBody(await refresh(await forged(token, claims)))).toEqual(REFUSED)
    expect((await app.get('auth/session')).status).toBe(200)
  })

  it('end with their session', async () => {
    await open()
    const { app, access, refresh: token } = await login()
    expect((await app.delete('auth/session')).status).toBe(401)
    expect(statusAndBody(await refresh(token))).toEqual(REFUSED)
    expect(await bearer(access)).toBe(410)
  })

  it('end when their user is disabled', async () => {
    await open()
    const { access, refresh: token } = await login()
    await world.auth.kernel.users.update(world.auth.kernel.database.db, 1, { isActive: false })
    expect(statusAndBody(await refresh(token))).toEqual(REFUSED)
    expect(await bearer(access)).toBe(401)
  })

  it('end with a new password, in this session too, which gets new ones', async () => {
    await open()
    const [first, other] = [await login(), await login()]
    world.clock.advance(1_000)
    const change = { current_password: PASSWORD, new_password: 'another made-up pass phrase' }
    const changed = await world
      .api('app')
      .post('account/password/change', change, { authorization: `Bearer ${first.access}` })
    expect(changed.status).toBe(200)
    for (const token of [first, other]) {
      expect(statusAndBody(await refresh(token.refresh))).toEqual(REFUSED)
      expect(await bearer(token.access)).toBe(410)
    }
    const news = readTokenPair(changed)
    expect([await bearer(news.access), (await refresh(news.refresh)).status]).toEqual([200, 200])
  })

  it('are requested by name, are for apps alone, and are rate limited', async () => {
    await open({}, { account: { rateLimits: { refresh_token: '3/m/ip' } } })
    const { refresh: token } = await login()
    expect(await refresh(undefined)).toMatchObject({
      status: 400,
      body: { errors: [{ code: 'required', param: 'refresh_token' }] },
    })
    expect(statusAndBody(await refresh(7))).toEqual(REFUSED)
    expect((await world.api('browser').post('tokens/refresh', { refresh_token: token })).status).toBe(404)
    expect((await refresh(token)).status).toBe(200)
    expect(statusAndBody(await refresh(token))).toEqual([429, { status: 429 }])
  })
})
