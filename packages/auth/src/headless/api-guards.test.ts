import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import type { GuardedAccess } from './api-guards.ts'
import type { Guarded } from '../account/guards.ts'
import { type AuthWorld, authWorld } from '../testing/auth-world.ts'

const PASSWORD = 'a made-up pass phrase'

describe.each(testDatabases)('guards of an API on %s', (_name, openDatabase) => {
  let world: AuthWorld
  afterEach(() => world.close())

  /** Signs Ada in and returns her tokens. */
  async function signedIn(
    jwtStatefulValidationEnabled = false,
  ): Promise<{ session: string; access: string; end(): Promise<unknown> }> {
    const headless = {
      enabled: true,
      tokenStrategy: 'jwt',
      jwtAlgorithm: 'HS256',
      jwtStatefulValidationEnabled,
    } as const
    world = await authWorld({ settings: { headless } }, openDatabase)
    await world.addUser({ username: 'ada', email: 'ada@example.org', password: PASSWORD })
    const app = world.api('app')
    const { body } = await app.post('auth/login', { username: 'ada', password: PASSWORD })
    const { meta } = body as { meta: Readonly<Record<string, string>> } // as every answer of a login
    return {
      session: meta['session_token'] ?? '',
      access: meta['access_token'] ?? '',
      end: () => app.delete('auth/session'),
    }
  }
  const bySession = (headers: Readonly<Record<string, string>>): Promise<Guarded> =>
    world.auth.module('headless').guards.requireSessionToken({ headers: new Headers(headers) })
  const byAccess = (headers: Readonly<Record<string, string>>): Promise<GuardedAccess> =>
    world.auth.module('headless').guards.requireAccessToken({ headers: new Headers(headers) })
  /** Status, challenge and body of the refusal. */
  async function refusal(guarded: Guarded | GuardedAccess): Promise<unknown> {
    if (guarded.ok) return 'let through'
    const { status, headers } = guarded.response
    return [status, headers.get('www-authenticate'), headers.get('cache-control'), await guarded.response.text()]
  }
  const disable = (): Promise<unknown> =>
    world.auth.kernel.users.update(world.auth.kernel.database.db, 1, { isActive: false })
  const REFUSED = [401, 'X-Session-Token', 'no-store', '{"status":401}']
  const NO_TOKEN = [401, 'Bearer', 'no-store', '{"status":401}']
  const BAD_TOKEN = [401, 'Bearer error="invalid_token"', 'no-store', '{"status":401}']

  it('let an app through by the token of its session, until that ends', async () => {
    const { session, end } = await signedIn()
    expect(await bySession({ 'x-session-token': session })).toMatchObject({
      ok: true,
      identity: { user: { username: 'ada' } },
    })
    await end()
    expect(await refusal(await bySession({ 'x-session-token': session }))).toEqual(REFUSED)
  })

  it.each([{}, { 'x-session-token': '' }, { 'x-session-token': 'noise' }])('refuse %j', async (headers) => {
    await signedIn()
    expect(await refusal(await bySession(headers))).toEqual(REFUSED)
  })

  it('do not accept an access token as a session token, or the other way round', async () => {
    const { session, access } = await signedIn()
    expect(await refusal(await bySession({ authorization: `Bearer ${access}` }))).toEqual(REFUSED)
    expect(await refusal(await bySession({ 'x-session-token': access }))).toEqual(REFUSED)
    expect(await refusal(await byAccess({ authorization: `Bearer ${session}` }))).toEqual(BAD_TOKEN)
    expect(await refusal(await byAccess({ 'x-session-token': session }))).toEqual(NO_TOKEN)
  })

  it('accept an access token until it expires', async () => {
    const { access, end } = await signedIn()
    const authorization = `bearer ${access}`
    expect(await byAccess({ authorization })).toMatchObject({
      ok: true,
      user: { username: 'ada' },
      claims: { sub: '1' },
    })
    await end()
    expect(await byAccess({ authorization })).toMatchObject({ ok: true })
    world.clock.advance(300_000)
    expect(await refusal(await byAccess({ authorization }))).toEqual(BAD_TOKEN)
  })

  it('check the session too if configured', async () => {
    const { access, end } = await signedIn(true)
    expect(await byAccess({ authorization: `Bearer ${access}` })).toMatchObject({ ok: true })
    await end()
    expect(await refusal(await byAccess({ authorization: `Bearer ${access}` }))).toEqual(BAD_TOKEN)
  })

  it('refuse disabled users', async () => {
    const { session, access } = await signedIn()
    await disable()
    expect(await refusal(await byAccess({ authorization: `Bearer ${access}` }))).toEqual(BAD_TOKEN)
    expect(await refusal(await bySession({ 'x-session-token': session }))).toEqual(REFUSED)
  })

  it('refuse deleted users', async () => {
    const { access } = await signedIn()
    const { auth } = world
    await auth.kernel.users.remove(auth.kernel.database.db, 1)
    expect(await refusal(await byAccess({ authorization: `Bearer ${access}` }))).toEqual(BAD_TOKEN)
  })

  it('refuse tokens that are none', async () => {
    await signedIn()
    expect(await refusal(await byAccess({}))).toEqual(NO_TOKEN)
    expect(await refusal(await byAccess({ authorization: 'Basic YTpi' }))).toEqual(NO_TOKEN)
    expect(await refusal(await byAccess({ authorization: 'Bearer a.b.c' }))).toEqual(BAD_TOKEN)
  })
})
