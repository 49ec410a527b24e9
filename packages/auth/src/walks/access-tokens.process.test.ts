import { testDatabases } from '@gatepost/sql/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readPath } from '../testing/api-bench.ts'
import type { ApiAnswered, ApiVisitor } from '../testing/api-visitor.ts'
import { codeTo } from '../testing/effects/effect.ts'
import {
  createWalkTotpApp,
  CREDENTIALS,
  EMAIL,
  PASSWORD,
  findPendingFlows,
  startWalk,
  type Walk,
} from './testing/walk.ts'

const TOTP = 'account/authenticators/totp'
const ACCESS_MS = 300_000

/** An app that keeps signed tokens and lets the session token go. Each step begins where the one before has ended. */
describe.each(testDatabases)('a person with an app of signed tokens, on %s', (_name, open) => {
  let walk: Walk
  let app: ApiVisitor
  let access: string
  let refresh: string
  let shown: () => string
  beforeAll(async () => {
    walk = await startWalk(
      {
        account: { emailVerificationByCodeEnabled: true },
        headless: { tokenStrategy: 'jwt', jwtAlgorithm: 'HS256', jwtPrivateKey: 'made-up '.repeat(4) },
      },
      open,
    )
    app = walk.api('app')
  })
  afterAll(() => walk.close())

  const bearer = (method: string, path: string, body?: unknown): Promise<ApiAnswered> => {
    app.sessionToken = null
    return app.send(method, path, body, { authorization: `Bearer ${access}` })
  }
  const refreshed = (token: string): Promise<ApiAnswered> =>
    walk.api('app').post('tokens/refresh', { refresh_token: token })
  const keep = (answer: ApiAnswered, at: 'meta' | 'data'): void => {
    access = String(readPath(answer, `${at}.access_token`))
    refresh = String(readPath(answer, `${at}.refresh_token`))
  }

  it('signs up, and has tokens once the address is verified', async () => {
    const signup = await app.post('auth/signup', CREDENTIALS)
    expect([findPendingFlows(signup), readPath(signup, 'meta.access_token')]).toEqual([['verify_email'], undefined])
    const verified = await app.post('auth/email/verify', { key: await codeTo(walk.world, EMAIL) })
    expect(verified.status).toBe(200)
    keep(verified, 'meta')
    expect(readPath(await bearer('GET', 'auth/session'), 'data.user.email')).toBe(EMAIL)
    const user = await walk.world.auth.kernel.database.db.selectFrom('auth_user').select('id').executeTakeFirstOrThrow()
    const checked = await walk.world.auth.module('headless').tokens.checkAccessToken(access)
    expect(String(checked?.userId)).toBe(String(user.id))
  })

  it('adds an authenticator app with the access token alone', async () => {
    expect((await bearer('POST', 'auth/reauthenticate', { password: PASSWORD })).status).toBe(200)
    shown = createWalkTotpApp(walk.world, String(readPath(await bearer('GET', TOTP), 'meta.secret')))
    expect((await bearer('POST', TOTP, { code: shown() })).status).toBe(200)
    expect((await walk.rows()).factors.map(([type]) => type)).toEqual(['totp', 'recovery_codes'])
    expect((await bearer('DELETE', 'auth/session')).status).toBe(401)
    expect((await walk.rows()).sessions).toEqual([])
    expect((await refreshed(refresh)).body).toEqual({ status: 400 })
  })

  it('signs in in two steps, and has tokens after the second', async () => {
    walk.world.clock.advance(30_000)
    app.sessionToken = null
    const login = await app.post('auth/login', CREDENTIALS)
    expect([findPendingFlows(login), readPath(login, 'meta.access_token')]).toEqual([['mfa_authenticate'], undefined])
    keep(await app.post('auth/2fa/authenticate', { code: shown() }), 'meta')
    expect((await bearer('GET', 'auth/session')).status).toBe(200)
    expect((await walk.rows()).sessions).toEqual(['App/1.0'])
  })

  it('gets new tokens when the access token is over', async () => {
    walk.world.clock.advance(ACCESS_MS)
    expect((await bearer('GET', 'auth/session')).status).toBe(401)
    const answer = await refreshed(refresh)
    expect(answer.status).toBe(200)
    const before = refresh
    keep(answer, 'data')
    expect(refresh).not.toBe(before)
    expect((await bearer('GET', 'auth/session')).status).toBe(200)
  })

  it('is signed out where a refresh token comes a second time', async () => {
    const stolen = refresh
    keep(await refreshed(refresh), 'data')
    walk.world.clock.advance(10_001) // after HEADLESS_JWT_REFRESH_TOKEN_GRACE_PERIOD
    expect((await refreshed(stolen)).body).toEqual({ status: 400 })
    expect((await walk.rows()).sessions).toEqual([])
    expect((await bearer('GET', 'auth/session')).status).toBe(410)
    expect((await refreshed(refresh)).body).toEqual({ status: 400 })
    expect(walk.world.logged.map(({ message }) => message)).toEqual([
      'A refresh token was reused, so its session was ended',
    ])
  })
})
