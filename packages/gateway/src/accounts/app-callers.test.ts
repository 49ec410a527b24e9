import { afterEach, describe, expect, it } from 'vitest'
import { type AccountsWorld, accountsWorld, PASSWORD } from '../testing/accounts-world.ts'
import { type AppClient, appClient } from '../testing/app-client.ts'

let world: AccountsWorld
afterEach(() => world[Symbol.asyncDispose]())

describe('an app', () => {
  const signedIn = async (): Promise<AppClient> => {
    const app = appClient(world.gateway().url)
    await app.call('POST', 'auth/login', { email: 'ann@example.org', password: PASSWORD })
    return app
  }
  const ask = async (headers: Readonly<Record<string, string>>, method = 'GET'): Promise<number> => {
    const path = method === 'GET' ? '/api/me' : '/api/tokens/x'
    return (await fetch(`${world.gateway().url}${path}`, { method, headers })).status
  }

  it('calls with the token of its session, until that is over, and without a CSRF token', async () => {
    world = await accountsWorld()
    const ann = await world.first()
    const app = await signedIn()
    const headers = { 'x-session-token': app.token() ?? '' }
    expect([await ask(headers), await ask(headers, 'DELETE')]).toEqual([200, 404])
    const cookie = [...ann.cookies].map((pair) => pair.join('=')).join('; ')
    expect([await ask({ cookie }), await ask({ cookie, 'x-session-token': 'x' })]).toEqual([200, 401])
    expect(await ask({ ...headers, authorization: 'Bearer x' })).toBe(401)
    await app.call('DELETE', 'auth/session')
    expect(await ask(headers)).toBe(401)
  })

  it('calls with its access token where there are such', async () => {
    world = await accountsWorld({ HEADLESS_TOKEN_STRATEGY: 'jwt', HEADLESS_JWT_ALGORITHM: 'HS256' })
    await world.first()
    const app = appClient(world.gateway().url)
    const { body } = await app.call('POST', 'auth/login', { email: 'ann@example.org', password: PASSWORD })
    const access = String(body.meta?.['access_token'])
    const headers = { authorization: `Bearer ${access}` }
    expect([await ask(headers), await ask(headers, 'DELETE')]).toEqual([200, 404])
    const middle = access.length - 20
    const forged = `${access.slice(0, middle)}${access[middle] === 'A' ? 'B' : 'A'}${access.slice(middle + 1)}`
    const refused = [forged, String(body.meta?.['refresh_token']), 'x'].map((text) => ({
      authorization: `Bearer ${text}`,
    }))
    expect(await Promise.all(refused.map((wrong) => ask(wrong)))).toEqual([401, 401, 401])
    expect(await ask({ authorization: `Bearer ${world.gateway().ownerToken.reveal()}` })).toBe(200)
    world.advance(3_600_000)
    expect(await ask(headers)).toBe(401)
    const fresh = await app.call('POST', 'tokens/refresh', { refresh_token: body.meta?.['refresh_token'] })
    const again = { authorization: `Bearer ${String(Reflect.get(Object(fresh.body.data), 'access_token'))}` }
    expect(await ask(again)).toBe(200)
    await world.ask('PATCH', '/api/accounts/owner', { body: { active: false } })
    expect(await ask(again)).toBe(401)
    const told = JSON.stringify([world.lines, (await world.ask('GET', '/api/audit')).body])
    for (const secret of [access, app.token() ?? '', PASSWORD]) expect(told).not.toContain(secret)
  })

  it('calls with its access token no longer than its session lasts', async () => {
    world = await accountsWorld({ HEADLESS_TOKEN_STRATEGY: 'jwt', HEADLESS_JWT_ALGORITHM: 'HS256' })
    await world.first()
    const app = appClient(world.gateway().url)
    const { body } = await app.call('POST', 'auth/login', { email: 'ann@example.org', password: PASSWORD })
    const headers = { authorization: `Bearer ${String(body.meta?.['access_token'])}` }
    expect(await ask(headers)).toBe(200)
    const { auth } = world.gateway().accounts
    await auth.kernel.sessions.endAll(auth.kernel.database.db, 1)
    expect(await ask(headers)).toBe(401)
  })

  it('is nobody where there is no JSON API', async () => {
    world = await accountsWorld()
    await world.first()
    const app = await signedIn()
    await world.restart({ HEADLESS_ENABLED: 'false' })
    expect(await ask({ 'x-session-token': app.token() ?? '' })).toBe(401)
    expect((await fetch(`${world.gateway().url}/_allauth/app/v1/config`)).status).toBe(404)
  })
})
