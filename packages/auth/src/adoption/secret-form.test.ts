import { testDatabases } from '@gatepost/sql/testing'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSealer } from '../kernel/crypto/crypto.ts'
import { sqlSocialTokenStore } from '../social/links/social-stores.sql.ts'
import { insertApp } from '../social/apps/app-rows.sql.ts'
import { type MfaWorld, mfaWorld, readErrorCodes, SECRET, SECRET_URL } from '../mfa/testing-bench.ts'
import { convertSecrets, type ConvertedSecrets, type SecretForm } from './secret-form.sql.ts'

const KEY = 'a made-up key that only tests use'
const CODES = ['aaaaaaaa', 'bbbbbbbb']
const OLD_APP = { secret: 'app secret', key: 'app key', settings: { client: { private_key: 'pk' } } }

describe.each(testDatabases)('secrets of an old site on %s', (_name, open) => {
  let world: MfaWorld
  beforeEach(async () => {
    world = await mfaWorld(open)
    await sql`create table django_migrations (id integer primary key)`.execute(world.auth.kernel.database.db)
    await world.auth.kernel.oldSite.load()
  })
  afterEach(() => world.close())

  const convert = async (form: SecretForm): Promise<ConvertedSecrets> => {
    const converted = await convertSecrets({ database: world.auth.kernel.database, secretKey: KEY }, form)
    await world.auth.kernel.oldSite.load()
    return converted
  }
  /** Stores an app and a provider token, and returns what the tables hold of all secrets. */
  const prepare = async (): Promise<() => Promise<unknown>> => {
    const { kernel } = world.auth
    const { db } = kernel.database
    const ada = await world.person('ada')
    await world.imported(ada.user, 'totp', { secret: SECRET })
    await world.imported(ada.user, 'recovery_codes', { migrated_codes: CODES })
    await kernel.database.transaction(async (tx) => {
      const app = { provider: 'x', providerId: '', name: 'X', clientId: 'c', ...OLD_APP }
      await insertApp(kernel, tx, app)
      await sql`insert into socialaccount_socialaccount (id, provider, uid, last_login, date_joined, extra_data, user_id)
        values (1, 'x', 'u', '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00', '{}', ${ada.user.id})`.execute(tx)
      const token = { token: 'provider token', tokenSecret: 'token secret', expiresAtMs: null }
      await sqlSocialTokenStore(kernel).save(tx, 1, null, token)
    })
    return async () => {
      const factors = (await world.rows(ada.user)).map(({ data }) => data['secret'] ?? data['migrated_codes'])
      const apps = await db.selectFrom('socialaccount_socialapp').select(['secret', 'key', 'settings']).execute()
      const tokens = await db.selectFrom('socialaccount_socialtoken').select(['token', 'token_secret']).execute()
      const settings: unknown = typeof apps[0]?.settings === 'string' ? JSON.parse(apps[0].settings) : apps[0]?.settings
      return [...factors, { ...apps[0], settings }, ...tokens]
    }
  }
  const PLAIN = [SECRET, CODES, OLD_APP, { token: 'provider token', token_secret: 'token secret' }]

  it('are stored in its form, and stay in it when they are used', async () => {
    const stored = await prepare()
    expect(await stored()).toEqual(PLAIN)
    const ada = await world.person('grace')
    await world.imported(ada.user, 'totp', { secret: SECRET })
    const use = (code: string): Promise<unknown> =>
      readErrorCodes(
        ada.browser((visit, mfa) => mfa.authenticateByCode(visit, ada.user, code, { reauthentication: true })),
      )
    expect(await use(world.appCode(SECRET_URL))).toBe('nothing')
    expect((await world.rows(ada.user))[0]?.data).toMatchObject({ secret: SECRET })
    await world.imported(ada.user, 'recovery_codes', { migrated_codes: CODES })
    expect(await use('aaaaaaaa')).toBe('nothing')
    expect((await world.rows(ada.user))[1]?.data).toEqual({ migrated_codes: ['bbbbbbbb'] })
  })

  it('are sealed on request, and come back unchanged', async () => {
    const stored = await prepare()
    expect(await convert('sealed')).toEqual({ authenticators: 2, apps: 1, tokens: 1, unreadable: 0 })
    const sealed = JSON.stringify(await stored())
    for (const text of [SECRET, 'aaaaaaaa', 'app secret', 'app key', '"pk"', 'provider token', 'token secret']) {
      expect(sealed).not.toContain(text)
    }
    expect(await convert('sealed')).toEqual({ authenticators: 0, apps: 0, tokens: 0, unreadable: 0 })
    expect(JSON.stringify(await stored())).toBe(sealed)
    expect(await convert('plain')).toEqual({ authenticators: 2, apps: 1, tokens: 1, unreadable: 0 })
    expect(await stored()).toEqual(PLAIN)
    expect(await convert('plain')).toMatchObject({ authenticators: 0, apps: 0, tokens: 0 })
  })

  it('sealed with an unknown key are counted and left unchanged', async () => {
    const ada = await world.person('ada')
    const other = createSealer(['another key that only these tests use'])
    const secret = `sealed:${other.seal(SECRET, 'gatepost second factor')}`
    await world.imported(ada.user, 'totp', { secret })
    expect(await convert('plain')).toMatchObject({ authenticators: 0, unreadable: 1 })
    expect((await world.rows(ada.user))[0]?.data).toEqual({ secret })
  })

  it('need the tables of accounts', async () => {
    const test = await open<object>()
    const conversion = convertSecrets({ database: test.database, secretKey: KEY }, 'sealed')
    await expect(conversion).rejects.toMatchObject({ code: 'database_foreign' })
    await test.close()
  })
})
