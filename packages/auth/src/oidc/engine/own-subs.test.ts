import { decodeJwt } from 'jose'
import { expect, it } from 'vitest'
import type { OidcAdapter } from '../oidc.ts'
import { readAnswer, oidcBench, authorizationRequest } from './testing-bench.ts'

const SCOPES = { 'things:read': 'Read things' }

it('sends each client a different sub if the host wants it', async () => {
  const hooks = (defaults: OidcAdapter): Partial<OidcAdapter> => ({
    scopeDisplay: SCOPES,
    getUserSub: (client, user) => `${client.id.slice(0, 8)}-${user.id}`,
    getUserBySub: (client, sub) =>
      sub.startsWith(client.id.slice(0, 8)) ? defaults.getUserBySub(client, sub.slice(9)) : Promise.resolve(null),
  })
  const bench = await oidcBench({ rest: { adapters: { oidc: hooks } } })
  try {
    for (const own of [await bench.client(), await bench.client()]) {
      const { json } = await bench.tokens(own)
      const sub = `${own.client.id.slice(0, 8)}-1`
      expect(decodeJwt(String(json['id_token'])).sub).toBe(sub)
      const headers = { authorization: `Bearer ${String(json['access_token'])}` }
      expect((await readAnswer(await bench.call('/identity/o/api/userinfo', { headers }))).json['sub']).toBe(sub)
      const again = { grant_type: 'refresh_token', refresh_token: String(json['refresh_token']) }
      const proof = { client_id: own.client.id, client_secret: own.secret }
      expect((await bench.post('/identity/o/api/token', { ...again, ...proof })).status).toBe(200)
    }
  } finally {
    await bench.close()
  }
})

it('refuses users whom the hooks exclude for the client', async () => {
  const hooks = { scopeDisplay: SCOPES, getUserBySub: () => Promise.resolve(null) }
  const bench = await oidcBench({ rest: { adapters: { oidc: hooks } } })
  try {
    const to = await bench.authorize(authorizationRequest((await bench.client()).client))
    expect(to.searchParams.get('error')).toBe('access_denied')
    expect(bench.world.logged).toEqual([])
  } finally {
    await bench.close()
  }
})
