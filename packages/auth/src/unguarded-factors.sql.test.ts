import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Auth, createAuth } from './auth.ts'
import type { AuthSettingsInput } from './kernel/settings/settings.ts'
import { settingsFromNames } from './kernel/settings/names.ts'
import { ada, addApp, addKey, secondStepWorld } from './mfa/pages/testing-visits.ts'
import type { AuthWorld } from './testing/auth-world.ts'

describe.each(testDatabases)('users with second factors on %s', (_name, open) => {
  let world: AuthWorld
  beforeEach(async () => {
    world = await secondStepWorld({}, {}, open)
  })
  afterEach(() => world.close())

  const restart = (settings: AuthSettingsInput): Promise<Auth> =>
    createAuth({
      database: world.auth.kernel.database,
      secretKey: 'a made-up key that only tests use, long enough',
      settings: { development: true, ...settings },
      log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    })
  /** Returns the error of a start with these settings, or `started`. */
  const tryStart = async (settings: AuthSettingsInput): Promise<string> => {
    try {
      await (await restart(settings)).close()
      return 'started'
    } catch (error) {
      return error instanceof Error && 'code' in error ? `${String(error.code)}: ${error.message}` : String(error)
    }
  }

  it.each<[factor: string, add: (world: AuthWorld) => Promise<unknown>]>([
    ['an app', async (to) => addApp(to, await ada(to))],
    ['a key', async (to) => addKey(await ada(to))],
  ])('are not left with a password alone: %s', async (_factor, add) => {
    expect(await tryStart({})).toBe('started')
    await add(world)
    const sentence =
      'settings_invalid: A user of this database has a second factor, but MFA_ENABLED is off, so a password alone would ' +
      'sign them in. Set MFA_ENABLED to true, or delete the rows of mfa_authenticator to give up these second factors.'
    expect(await tryStart({})).toBe(sentence)
    expect(await tryStart({ mfa: { enabled: false } })).toBe(sentence)
    expect(await tryStart(settingsFromNames({ INSTALLED_APPS: ['authpkg', 'authpkg.account'] }))).toBe(sentence)
    expect(await tryStart(settingsFromNames({ INSTALLED_APPS: ['authpkg', 'authpkg.account', 'authpkg.mfa'] }))).toBe(
      'started',
    )
    expect(await tryStart({ mfa: { enabled: true, supportedTypes: [] } })).toBe('started')
  })

  it('can be left to their providers, where no password signs in', async () => {
    await addApp(world, await ada(world))
    const socialaccount = { enabled: true, only: true }
    expect(await tryStart({ socialaccount, account: { emailVerification: 'none' } })).toBe('started')
  })

  it('who gave them up are not a reason', async () => {
    await addApp(world, await ada(world))
    await world.auth.kernel.database.db.deleteFrom('mfa_authenticator').where('type', '=', 'totp').execute()
    expect(await world.auth.kernel.database.db.selectFrom('mfa_authenticator').select('type').execute()).toEqual([
      { type: 'recovery_codes' },
    ])
    expect(await tryStart({})).toBe('started')
  })
})
