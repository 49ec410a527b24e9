import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import type { Authenticator, RecoveryCodes } from '../mfa.ts'
import {
  hear,
  type MfaWorld,
  mfaWorld,
  type Person,
  readErrorCodes,
  SECRET,
  SEED,
  SEED_CODES,
} from '../testing-bench.ts'

describe.each(testDatabases)('recovery codes on %s', (_name, open) => {
  let world: MfaWorld
  afterEach(() => world.close())

  const generate = ({ browser, user }: Person): Promise<RecoveryCodes> =>
    browser((visit, { recoveryCodes }) => recoveryCodes.generate(visit, user))
  const find = ({ browser, user }: Person): Promise<RecoveryCodes | null> =>
    browser((visit, { recoveryCodes }) => recoveryCodes.find(visit, user))
  const view = ({ browser, user }: Person): Promise<RecoveryCodes | null> =>
    browser((visit, { recoveryCodes }) => recoveryCodes.view(visit, user))
  const typed = ({ browser, user }: Person, code: string): Promise<unknown> =>
    readErrorCodes(browser((visit, mfa) => mfa.authenticateByCode(visit, user, code, { reauthentication: true })))
  /** Somebody with an app. */
  const person = async (name: string): Promise<Person> => {
    const one = await world.person(name)
    await world.imported(one.user, 'totp', { secret: SECRET })
    return one
  }
  const stored = async ({ user }: Person): Promise<Authenticator | undefined> =>
    (await world.rows(user)).find(({ type }) => type === 'recovery_codes')

  it('need another factor', async () => {
    world = await mfaWorld(open)
    const ada = await world.person('ada')
    expect(await readErrorCodes(generate(ada))).toEqual(['cannot_generate_recovery_codes -'])
    expect([await find(ada), await view(ada)]).toEqual([null, null])
    expect(await world.rows(ada.user)).toEqual([])
  })

  it('are replaced, all of them, and stored sealed', async () => {
    world = await mfaWorld(open, { mfa: { recoveryCodeCount: 3, recoveryCodeDigits: 10 } })
    const ada = await person('ada')
    const heard = hear(world)
    const first = await generate(ada)
    const second = await generate(ada)
    expect(second).toMatchObject({ total: 3, canView: true })
    expect(second.unused.join(' ')).toMatch(/^\d{10} \d{10} \d{10}$/)
    expect(second.unused).not.toEqual(first.unused)
    expect(await find(ada)).toEqual(second)
    expect(await typed(ada, first.unused[0] ?? '')).toEqual(['incorrect_code code'])
    expect(await typed(ada, second.unused[0] ?? '')).toBe('nothing')
    const row = await stored(ada)
    expect(Object.keys(row?.data ?? {}).toSorted()).toEqual(['seed', 'used_mask'])
    expect(row?.data['seed']).toMatch(/^sealed:/)
    expect((await world.rows(ada.user)).map(({ type }) => type)).toEqual(['totp', 'recovery_codes'])
    expect(heard.filter((line) => line.includes('reset'))).toEqual([
      'authenticator_reset Authenticator ada recovery_codes {}',
      'authenticator_reset Authenticator ada recovery_codes {}',
    ])
  })

  it('of an old site are taken, each once, and marked as the old site marks them', async () => {
    world = await mfaWorld(open, { account: { rateLimits: false } })
    const ada = await person('ada')
    await world.imported(ada.user, 'recovery_codes', { seed: SEED, used_mask: 0b10 })
    const left = SEED_CODES.toSpliced(1, 1)
    expect(await find(ada)).toMatchObject({ total: 10, unused: left })
    expect(await typed(ada, SEED_CODES[1] ?? '')).toEqual(['incorrect_code code'])
    for (const code of left)
      expect([await typed(ada, code), await typed(ada, code)]).toEqual(['nothing', ['incorrect_code code']])
    expect(await find(ada)).toMatchObject({ total: 10, unused: [] })
    const sealed: unknown = expect.stringMatching(/^sealed:/)
    expect((await stored(ada))?.data).toEqual({ seed: sealed, used_mask: 0b11_1111_1111 })
  })

  it('that a site has brought from elsewhere are taken, each once', async () => {
    world = await mfaWorld(open)
    const ada = await person('ada')
    await world.imported(ada.user, 'recovery_codes', { migrated_codes: ['abcd-1234', 'abcd-5678'], viewed_at: 1 })
    expect(await find(ada)).toMatchObject({ total: 2, unused: ['abcd-1234', 'abcd-5678'] })
    expect([await typed(ada, 'ABCD 1234'), await typed(ada, 'abcd-1234')]).toEqual(['nothing', ['incorrect_code code']])
    const sealed: unknown = expect.stringMatching(/^sealed:/)
    expect((await stored(ada))?.data).toEqual({ migrated_codes: [sealed], viewed_at: 1 })
    expect(await find(ada)).toMatchObject({ total: 1, unused: ['abcd-5678'] })
  })

  it('are fifty at most, each with a bit of its own', async () => {
    await expect(mfaWorld(open, { mfa: { recoveryCodeCount: 51 } })).rejects.toThrow('recoveryCodeCount')
    world = await mfaWorld(open, { mfa: { recoveryCodeCount: 50 } })
    const ada = await person('ada')
    const { unused } = await generate(ada)
    for (const index of [49, 31, 32]) expect(await typed(ada, unused[index] ?? '')).toBe('nothing')
    expect((await stored(ada))?.data['used_mask']).toBe(2 ** 49 + 2 ** 32 + 2 ** 31)
    const left = unused.filter((_, index) => ![49, 31, 32].includes(index))
    expect((await find(ada))?.unused).toEqual(left)
  })

  it('count as used when their marks cannot be read', async () => {
    world = await mfaWorld(open)
    const ada = await person('ada')
    await world.imported(ada.user, 'recovery_codes', { seed: SEED, used_mask: 2 ** 60 })
    expect(await find(ada)).toMatchObject({ total: 10, unused: [] })
    expect(await typed(ada, SEED_CODES[0] ?? '')).toEqual(['incorrect_code code'])
  })

  it.each([{ seed: 'sealed:from.elsewhere' }, {}, { migrated_codes: [1] }])(
    'that cannot be opened are none that are left, and can be replaced: %j',
    async (data) => {
      world = await mfaWorld(open)
      const ada = await person('ada')
      await world.imported(ada.user, 'recovery_codes', data)
      expect([await find(ada), await view(ada)]).toMatchObject([{ unused: [] }, { unused: [] }])
      expect(world.logged.map(({ message }) => message)).toContain('Recovery codes cannot be opened with these keys')
      const { unused } = await generate(ada)
      expect(await typed(ada, unused[0] ?? '')).toBe('nothing')
    },
  )

  it('are shown once if configured, to one of two parallel requests', async () => {
    world = await mfaWorld(open, { mfa: { recoveryCodesShowOnce: true } })
    const ada = await person('ada')
    await generate(ada)
    expect(await find(ada)).toMatchObject({ canView: true })
    const seen = await Promise.all([view(ada), view(ada)])
    expect(seen.map((codes) => String(codes?.canView)).toSorted()).toEqual(['false', 'true'])
    expect(await find(ada)).toMatchObject({ canView: false })
    expect((await stored(ada))?.data['viewed_at']).toBe(world.clock.now() / 1000)
    await generate(ada)
    expect(await find(ada)).toMatchObject({ canView: true })
  })

  it('may be looked at again otherwise, and it is still noted', async () => {
    world = await mfaWorld(open)
    const ada = await person('ada')
    await generate(ada)
    expect([await view(ada), await view(ada)]).toMatchObject([{ canView: true }, { canView: true }])
    expect((await stored(ada))?.data['viewed_at']).toBe(world.clock.now() / 1000)
  })
})
