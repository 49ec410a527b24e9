import { afterEach, describe, expect, it } from 'vitest'
import { type AuthWorld, authWorld } from '../testing/auth-world.ts'

let world: AuthWorld
afterEach(() => world.close())

describe('the default hooks of our OpenID Connect provider', () => {
  it('return the claims that the scopes allow, and no empty ones', async () => {
    world = await authWorld({ settings: { idpOidc: { enabled: true } } })
    const { auth } = world
    const { db } = auth.kernel.database
    const { client } = await auth.module('oidc').clients.create(db, { name: 'Notes' })
    const names = { firstName: 'Ada', lastName: 'Lovelace' }
    const ada = await world.addUser({ username: 'ada', email: 'ada@example.org', ...names })
    const bare = await world.addUser({ username: '', firstName: 'Grace' })
    await auth.account.emails.insert(db, { userId: ada.id, email: 'lace@example.org', verified: false, primary: false })
    const { getClaims } = auth.module('oidc').adapter
    const all = ['openid', 'email', 'profile']
    expect(await getClaims('id_token', ada, client, ['openid'])).toEqual({ sub: '1' })
    expect(await getClaims('userinfo', ada, client, all)).toEqual({
      sub: '1',
      email: 'ada@example.org',
      email_verified: true,
      name: 'Ada Lovelace',
      given_name: 'Ada',
      family_name: 'Lovelace',
      preferred_username: 'ada',
    })
    const email = ['openid', 'email']
    expect(await getClaims('userinfo', ada, client, email, 'lace@example.org')).toEqual({
      sub: '1',
      email: 'lace@example.org',
      email_verified: false,
    })
    expect(await getClaims('userinfo', ada, client, email, 'gone@example.org')).toEqual({ sub: '1' })
    expect(await getClaims('userinfo', bare, client, all)).toEqual({ sub: '2', name: 'Grace', given_name: 'Grace' })
  })

  it('find active users by subject', async () => {
    world = await authWorld({ settings: { idpOidc: { enabled: true } } })
    const { auth } = world
    const { client } = await auth.module('oidc').clients.create(auth.kernel.database.db, { name: 'Notes' })
    const ada = await world.addUser({ username: 'ada' })
    const { getUserBySub, getUserSub } = auth.module('oidc').adapter
    expect(await getUserBySub(client, getUserSub(client, ada))).toEqual(ada)
    expect(getUserSub(client, { ...ada, id: 36 })).toBe('10')
    for (const sub of ['', '2', '-', 'x'.repeat(1_000), "1'"]) expect(await getUserBySub(client, sub)).toBeNull()
    await auth.kernel.users.update(auth.kernel.database.db, ada.id, { isActive: false })
    expect(await getUserBySub(client, '1')).toBeNull()
  })

  it('make ids, codes and hashes in their forms, and the issuer without a slash', async () => {
    world = await authWorld({ settings: { idpOidc: { enabled: true, userCodeFormat: { numeric: true } } } })
    const { adapter } = world.auth.module('oidc')
    expect(adapter.generateClientId()).toMatch(/^[0-9a-f]{32}$/)
    expect(adapter.generateUserCode()).toMatch(/^\d{3}-\d{3}-\d{3}$/)
    expect(adapter.hashToken('made-up')).toBe('da53422a4618735f8ae72abdb21c16d340849b1a510ef20768b131171f8f7122')
    expect(adapter.getIssuer('https://id.example.org/')).toBe('https://id.example.org')
  })
})
