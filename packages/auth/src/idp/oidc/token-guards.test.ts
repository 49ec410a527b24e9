import { afterEach, expect, it } from 'vitest'
import { type AuthWorld, authWorld, ORIGIN } from '../../testing/auth-world.ts'

let world: AuthWorld
afterEach(() => world.close())

it('tokens are asked for by the host that the site has, and their metadata names its issuer', async () => {
  world = await authWorld({
    settings: { idpOidc: { enabled: true } },
    adapters: { oidc: { getIssuer: (origin) => `${origin}/own` } },
  })
  const { tokenGuards } = world.auth
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
