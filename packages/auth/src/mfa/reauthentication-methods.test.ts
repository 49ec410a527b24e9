import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { ADA, PASSWORD } from '../testing/effects/effect.ts'
import type { Visitor } from '../testing/visitor.ts'
import { type MfaWorld, mfaWorld, SECRET, SEED, SEED_CODES } from './testing-bench.ts'

const CODES = '/accounts/2fa/recovery-codes/generate/'
const BY_PASSWORD = '/accounts/reauthenticate/'
const BY_CODE = '/accounts/2fa/reauthenticate/'

describe.each(testDatabases)('recent authentication of a user with a second factor, on %s', (_name, open) => {
  let world: MfaWorld
  afterEach(() => world.close())

  const begin = async (reauthenticationRequired: boolean): Promise<Visitor> => {
    world = await mfaWorld(open, { mfa: { reauthenticationRequired } })
    const user = await world.addUser(ADA)
    await world.imported(user, 'totp', { secret: SECRET })
    await world.imported(user, 'recovery_codes', { seed: SEED, used_mask: 0 })
    const ada = world.visitor()
    await ada.login('ada', PASSWORD)
    await ada.post('/accounts/2fa/authenticate/', { code: SEED_CODES[0] ?? '' })
    expect((await ada.get(CODES)).status).toBe(200)
    world.clock.advance(301_000)
    return ada
  }

  it('is by password by default', async () => {
    const ada = await begin(false)
    await ada.post(BY_PASSWORD, { password: PASSWORD })
    expect((await ada.get(CODES)).status).toBe(200)
  })

  it('is by second factor if the settings require one', async () => {
    const ada = await begin(true)
    expect((await ada.get(BY_PASSWORD)).location).toContain(BY_CODE)
    await ada.post(BY_PASSWORD, { password: PASSWORD })
    expect((await ada.get(CODES)).location).toContain(BY_CODE)
    expect((await ada.get(BY_CODE)).text).not.toContain('Use your password')
    await ada.post(BY_CODE, { code: SEED_CODES[1] ?? '' })
    expect((await ada.get(CODES)).status).toBe(200)
  })

  it('is not required again right after adding the first one', async () => {
    world = await mfaWorld(open, { mfa: { reauthenticationRequired: true } })
    const user = await world.addUser(ADA)
    const ada = world.visitor()
    await ada.login('ada', PASSWORD)
    world.clock.advance(1_000)
    await world.imported(user, 'totp', { secret: SECRET })
    expect((await ada.get(CODES)).status).toBe(200)
    world.clock.advance(300_000)
    await ada.post(BY_PASSWORD, { password: PASSWORD })
    expect((await ada.get(CODES)).location).toContain(BY_CODE)
  })
})
