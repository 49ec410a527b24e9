import { testDatabases } from '@gatepost/sql/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readPath } from '../testing/api-bench.ts'
import type { ApiAnswered } from '../testing/api-visitor.ts'
import { GRACE, type SocialWorld, socialWorld } from '../testing/social-world.ts'

const CLIENT = 'client of google'

describe.each(testDatabases)('logins at emulated providers on %s', (_name, open) => {
  let world: SocialWorld
  beforeAll(async () => {
    const settings = { socialaccount: { storeTokens: true }, headless: { enabled: true } }
    world = await socialWorld({ settings }, open)
  })
  afterAll(() => world.close())

  const bring = (id_token: string, client_id = CLIENT): Promise<ApiAnswered> =>
    world
      .api('app')
      .post('auth/provider/token', { provider: 'google', process: 'login', token: { client_id, id_token } })
  const kept = async (provider: string, uid: string): Promise<unknown> => {
    const social = world.auth.module('social')
    const { database } = world.auth.kernel
    const account = await social.accounts.find(database.db, provider, uid)
    return account === null ? null : [account.userId, await social.tokens.ofAccount(database.db, account.id ?? 0)]
  }

  it('store the identity and the tokens sealed', async () => {
    for (const [slug, provider] of [
      ['google', 'google'],
      ['twitter', 'twitter'],
      ['oidc/acme', 'acme'],
    ] as const) {
      world.emulator.signIn({ ...GRACE, id: '77', username: `grace_${provider}`, email: `${provider}@example.org` })
      const visitor = world.visitor()
      await world.through(visitor, slug)
      expect(await visitor.whoami()).not.toBeNull()
      expect(await kept(provider, '77')).toEqual([
        expect.any(Number),
        [
          {
            token: expect.stringMatching(/./),
            tokenSecret: expect.any(String),
            expiresAtMs: provider === 'twitter' ? null : expect.any(Number),
            appId: null,
          },
        ],
      ])
    }
    const { db } = world.auth.kernel.database
    const rows = await db.selectFrom('socialaccount_socialtoken').selectAll().execute()
    expect(rows.map(({ token }) => token.startsWith('sealed:'))).toEqual([true, true, true])
    const accounts = JSON.stringify(await db.selectFrom('socialaccount_socialaccount').selectAll().execute())
    expect(accounts).not.toMatch(/access_token|refresh_token/)
  })

  it('accept an id token once, for the app that it was issued to', async () => {
    world.emulator.signIn({ ...GRACE, id: '78', username: 'token', email: 'token@example.org' })
    const token = world.emulator.idToken('google', CLIENT)
    const first = await bring(token)
    expect([first.status, readPath(first, 'data.methods.0.uid')]).toEqual([200, '78'])
    const refusals = [
      await bring(token),
      await bring(world.emulator.idToken('google', 'another client')),
      await bring(`${world.emulator.idToken('google', CLIENT).slice(0, -4)}AAAA`),
      await bring(world.emulator.idToken('google', CLIENT, { fault: 'expired' })),
    ]
    expect(refusals.map((answer) => [answer.status, readPath(answer, 'errors.0.code')])).toEqual(
      refusals.map(() => [400, 'invalid_token']),
    )
  })
})
