import { afterEach, expect, it } from 'vitest'
import { type AuthWorld, authWorld, ORIGIN } from '../testing/auth-world.ts'
import {
  addClient,
  readAuthorizationResponse,
  authorizePath,
  followRedirects,
  PASSWORD,
  SIGNING_KEY,
  tokensFor,
} from './pages/testing-relying-party.ts'
import type { TokenGuardOptions } from './token-guards.ts'

let world: AuthWorld
afterEach(() => world.close())

it("token requests use the site's host, and their metadata names its issuer", async () => {
  world = await authWorld({
    settings: { idpOidc: { enabled: true } },
    adapters: { oidc: { getIssuer: (origin) => `${origin}/own` } },
  })
  const { guards: tokenGuards } = world.auth.module('oidc')
  const foreign = new Request('http://evil.example/tools', { headers: { authorization: 'Bearer made-up' } })
  const guarded = await tokenGuards.requireToken(foreign, 'openid')
  const resource = { resource: `${ORIGIN}/tools` }
  for (const response of [
    guarded.ok ? null : guarded.response,
    tokenGuards.protectedResourceMetadata(foreign, resource),
  ]) {
    expect([response?.status, await response?.json()]).toEqual([400, expect.objectContaining({ code: 'host_unknown' })])
  }
  const metadata = tokenGuards.protectedResourceMetadata(new Request(`${ORIGIN}/x`), resource)
  expect(await metadata.json()).toMatchObject({ ...resource, authorization_servers: [`${ORIGIN}/own`] })
})

it('a token for one API opens no other', async () => {
  world = await authWorld({
    settings: { idpOidc: { enabled: true, privateKey: SIGNING_KEY } },
    oidc: { resources: [`${ORIGIN}/tools`] },
  })
  await world.addUser({ username: 'ada', email: 'ada@example.org', password: PASSWORD })
  const client = await addClient(world, { skipConsent: true, scopes: ['openid', 'email'] })
  const ada = world.visitor()
  await ada.login('ada', PASSWORD)
  const tokenFor = async (more: Readonly<Record<string, string>>): Promise<string> => {
    const { code = '' } = readAuthorizationResponse(
      await followRedirects(ada, await ada.get(authorizePath(client, more))),
    )
    return String((await tokensFor(world, client, code))['access_token'])
  }
  const [bound, free] = [await tokenFor({ resource: `${ORIGIN}/tools` }), await tokenFor({})]
  const isTaken = async (token: string, path: string, options?: TokenGuardOptions): Promise<boolean> => {
    const request = new Request(`${ORIGIN}${path}`, { headers: { authorization: `Bearer ${token}` } })
    return (await world.auth.module('oidc').guards.requireToken(request, 'email', options)).ok
  }
  const tools = { resource: `${ORIGIN}/tools`, audienceRequired: true }
  expect(await Promise.all([isTaken(bound, '/tools'), isTaken(bound, '/tools/7', tools)])).toEqual([true, true])
  expect(await Promise.all([isTaken(free, '/tools'), isTaken(free, '/notes')])).toEqual([true, true])
  expect(await isTaken(bound, '/notes')).toBe(false)
  expect(await isTaken(bound, '/tools', { resource: `${ORIGIN}/notes` })).toBe(false)
  expect(await isTaken(free, '/tools', tools)).toBe(false)
  const { auth } = world
  const several = JSON.stringify({ gatepost: { aud: [`${ORIGIN}/tools`, `${ORIGIN}/notes`] } })
  const hash = auth.module('oidc').adapter.hashToken(bound)
  await auth.kernel.database.db
    .updateTable('allauth_idp_oidc_token')
    .set({ data: several })
    .where('hash', '=', hash)
    .execute()
  expect(await Promise.all([isTaken(bound, '/tools'), isTaken(bound, '/elsewhere')])).toEqual([false, false])
})
