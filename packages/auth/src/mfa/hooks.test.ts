import { createMfa } from './module.ts'
import { afterEach, describe, expect, it } from 'vitest'
import type { MfaAdapter } from './second-factors.ts'
import { type MfaWorld, mfaWorld, SECRET } from './testing-bench.ts'

let world: MfaWorld
afterEach(() => world.close())

describe('the default hooks of second factors', () => {
  it('name the account by its address, its user name, or whatever else there is', async () => {
    world = await mfaWorld()
    const browser = world.browser()
    const named = [
      await world.addUser({ username: 'ada', email: 'ada@example.org' }),
      await world.addUser({ username: 'grace' }),
    ]
    const label = (user: (typeof named)[number]): Promise<string> =>
      browser((visit, { adapter }) => Promise.resolve(adapter.getTotpLabel(visit, user)))
    expect(await Promise.all(named.map(label))).toEqual(['ada@example.org', 'grace'])
  })

  it('number keys, in the language of the visitor', async () => {
    world = await mfaWorld()
    const ada = await world.addUser({ username: 'ada' })
    const names: string[] = []
    for (let number = 0; number < 3; number++) {
      const { result } = await world.auth.visit(
        new Request('http://auth.test/mine', { headers: { 'accept-language': 'de' } }),
        { remoteAddress: '192.0.2.7' },
        (visit) => world.auth.module('mfa').adapter.generateAuthenticatorName(visit, ada, 'webauthn'),
      )
      names.push(result)
      await world.imported(ada, 'webauthn', { name: result, credential: {} })
    }
    expect(names).toEqual(['Hauptschlüssel', 'Ersatzschlüssel', 'Schlüssel 3'])
  })

  it('describe site and user to a security key', async () => {
    world = await mfaWorld()
    const ada = await world.person('ada')
    const entities = await ada.browser((visit, { adapter }) =>
      Promise.resolve([
        adapter.getPublicKeyCredentialRpEntity(visit),
        adapter.getPublicKeyCredentialUserEntity(visit, { ...ada.user, id: 36 }),
      ]),
    )
    expect(entities).toEqual([
      { id: 'auth.test', name: 'Example' },
      { id: new TextEncoder().encode('10'), name: 'ada@example.org', displayName: 'ada' },
    ])
  })

  it('report whether a user has a factor, by type, and never while the module is off', async () => {
    for (const enabled of [true, false]) {
      world = await mfaWorld(undefined, { mfa: { enabled } })
      const ada = await world.addUser({ username: 'ada' })
      await world.imported(ada, 'totp', { secret: SECRET })
      // An instance that has it off does not load it.
      expect(world.auth.moduleIfOn('mfa') === null).toBe(!enabled)
      const mfa = createMfa(world.auth.account, undefined)
      const has = (types?: Parameters<MfaAdapter['isMfaEnabled']>[2]): Promise<boolean> =>
        world.browser()((visit) => mfa.adapter.isMfaEnabled(visit, ada, types))
      expect([await has(), await has(['totp']), await has(['webauthn', 'recovery_codes'])]).toEqual([
        enabled,
        enabled,
        false,
      ])
      const types = await world.browser()((visit) => mfa.loadAuthenticatorTypes(visit, ada))
      expect(types).toEqual(enabled ? ['totp'] : [])
      if (enabled) await world.close()
    }
  })
})
