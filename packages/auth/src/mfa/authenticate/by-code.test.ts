import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import {
  hear,
  type MfaWorld,
  mfaWorld,
  type Person,
  readErrorCodes,
  SECRET,
  SECRET_URL,
  SEED,
  SEED_CODES,
} from '../testing-bench.ts'

describe.each(testDatabases)('a code of a second factor on %s', (_name, open) => {
  let world: MfaWorld
  afterEach(() => world.close())

  const typed = ({ browser, user }: Person, code: string, reauthentication = false): Promise<unknown> =>
    readErrorCodes(browser((visit, mfa) => mfa.authenticateByCode(visit, user, code, { reauthentication })))
  /** Somebody with an app and recovery codes of an old site. */
  const person = async (name: string): Promise<Person> => {
    const one = await world.person(name)
    await world.imported(one.user, 'recovery_codes', { seed: SEED, used_mask: 0 })
    await world.imported(one.user, 'totp', { secret: SECRET })
    return one
  }

  it('is recorded, dated and signaled', async () => {
    world = await mfaWorld(open)
    const ada = await person('ada')
    const [codes, totp] = await world.rows(ada.user)
    const heard = hear(world)
    await typed(ada, world.appCode(SECRET_URL))
    world.clock.advance(1_000)
    await typed(ada, SEED_CODES[3] ?? '', true)
    const at = world.clock.now() / 1000
    const records = await ada.browser((visit) => Promise.resolve(world.auth.account.login.records(visit)))
    expect(records.slice(1)).toEqual([
      { method: 'mfa', id: totp?.id, type: 'totp', at: at - 1 },
      { method: 'mfa', id: codes?.id, type: 'recovery_codes', reauthenticated: true, at },
    ])
    expect((await world.rows(ada.user)).map(({ lastUsedAtMs }) => lastUsedAtMs)).toEqual([at * 1000, at * 1000 - 1000])
    const step = (type: string, id: number | undefined, rest: object): string =>
      `authentication_step_completed User ada - ${JSON.stringify({ id, type, ...rest, method: 'mfa' })}`
    expect(heard).toEqual([
      step('totp', totp?.id, {}),
      'authenticator_used Authenticator ada totp {"reauthenticated":false,"passwordless":false}',
      step('recovery_codes', codes?.id, { reauthenticated: true }),
      'authenticator_used Authenticator ada recovery_codes {"reauthenticated":true,"passwordless":false}',
    ])
  })

  it('is attributed to the main authenticator if wrong', async () => {
    world = await mfaWorld(open)
    const [ada, eve] = [await person('ada'), await world.person('eve')]
    await world.imported(eve.user, 'recovery_codes', { seed: SEED, used_mask: 0 })
    const heard = hear(world)
    expect(await typed(ada, '000000')).toEqual(['incorrect_code code'])
    expect(await typed(ada, '000000', true)).toEqual(['incorrect_code code'])
    expect(await typed(eve, '000000')).toEqual(['incorrect_code code'])
    expect(heard).toEqual([
      'authentication_failed Authenticator ada totp {"reauthentication":false}',
      'authentication_failed Authenticator ada totp {"reauthentication":true}',
      'authentication_failed Authenticator eve recovery_codes {"reauthentication":false}',
    ])
  })

  it.each([
    ['an app', () => world.appCode(SECRET_URL)],
    ['a recovery code', () => SEED_CODES[0] ?? ''],
  ])('of %s passes one of several requests that have it at the same time', async (_why, code) => {
    world = await mfaWorld(open)
    const ada = await person('ada')
    const others = await Promise.all(
      [1, 2, 3].map(async (number) => {
        const browser = world.browser({ ip: `192.0.2.${number}` })
        return typed({ browser, user: ada.user }, code())
      }),
    )
    expect(others.map(String).toSorted()).toEqual(['incorrect_code code', 'incorrect_code code', 'nothing'])
  })

  it('stays unused after a session conflict: the request is retried', async () => {
    world = await mfaWorld(open)
    const ada = await person('ada')
    const heard = hear(world)
    let runs = 0
    await ada.browser(async (visit, mfa) => {
      runs += 1
      // The session is read when it is asked for the first time.
      visit.session.get('elsewhere')
      if (runs === 1) {
        await ada.browser((other) => {
          other.session.set('elsewhere', 1)
          return Promise.resolve()
        })
      }
      await mfa.authenticateByCode(visit, ada.user, world.appCode(SECRET_URL), { reauthentication: true })
    })
    expect(runs).toBe(2)
    expect(heard.filter((line) => line.startsWith('authenticator_used'))).toHaveLength(1)
    expect(await typed(ada, world.appCode(SECRET_URL))).toEqual(['incorrect_code code'])
  })

  it('is tried five times in five minutes for one user, from wherever and whatever the host is called', async () => {
    world = await mfaWorld(open, { account: { rateLimits: { login_failed: '100/m/ip,5/300s/key' } } })
    const ada = await person('ada')
    for (let number = 1; number <= 5; number++) {
      const browser = world.browser({ ip: `192.0.2.${number}` })
      expect(await typed({ browser, user: ada.user }, '000000')).toEqual(['incorrect_code code'])
    }
    expect(await typed(ada, SEED_CODES[0] ?? '')).toEqual(['too_many_login_attempts code'])
    world.clock.advance(301_000)
    expect(await typed(ada, SEED_CODES[0] ?? '')).toBe('nothing')
  })

  it('that is right forgets the wrong ones of its user, and no others of the same address', async () => {
    world = await mfaWorld(open, { account: { rateLimits: { login_failed: '6/h/ip,3/h/key' } } })
    const [ada, eve] = [await person('ada'), await person('eve')]
    expect(await typed(eve, '000000')).toEqual(['incorrect_code code'])
    for (let round = 0; round < 2; round++) {
      for (let time = 0; time < 2; time++) expect(await typed(ada, '000000')).toEqual(['incorrect_code code'])
      expect(await typed(ada, SEED_CODES[round] ?? '')).toBe('nothing')
    }
    expect(await typed(ada, '000000')).toEqual(['incorrect_code code'])
    expect(await typed(eve, '000000')).toEqual(['too_many_login_attempts code'])
  })

  it('with an unreadable secret is a server error, and costs no attempt', async () => {
    world = await mfaWorld(open, { account: { rateLimits: { login_failed: '1/h/key' } } })
    const ada = await world.person('ada')
    await world.imported(ada.user, 'totp', { secret: 'sealed:from.elsewhere' })
    expect([await typed(ada, '000000'), await typed(ada, '000000')]).toEqual(['secret_unreadable', 'secret_unreadable'])
  })

  it("is accepted even if another authenticator's secret is unreadable", async () => {
    world = await mfaWorld(open)
    const ada = await world.person('ada')
    await world.imported(ada.user, 'totp', { secret: 'sealed:from.elsewhere' })
    await world.imported(ada.user, 'recovery_codes', { seed: SEED, used_mask: 0 })
    expect(await typed(ada, SEED_CODES[0] ?? '')).toBe('nothing')
    expect(await typed(ada, SEED_CODES[0] ?? '')).toBe('secret_unreadable')
  })

  it('may be sealed by the host', async () => {
    const mfa = {
      encrypt: (text: string) => `[${text}]`,
      decrypt: (text: string) => text.slice(1, -1),
    }
    world = await mfaWorld(open, {}, { mfa })
    const ada = await world.person('ada')
    const { url, secret } = await ada.browser((visit, { totp }) => totp.offer(visit, ada.user))
    await ada.browser((visit, { totp }) => totp.activate(visit, ada.user, world.appCode(url)))
    const [totp, codes] = await world.rows(ada.user)
    expect(totp?.data['secret']).toBe(`[${secret}]`)
    expect(codes?.data['seed']).toMatch(/^\[[0-9a-f]{80}\]$/)
    world.clock.advance(30_000)
    expect(await typed(ada, world.appCode(url))).toBe('nothing')
  })
})
