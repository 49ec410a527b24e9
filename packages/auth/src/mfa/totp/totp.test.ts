import { testDatabases, waitForLockWaiter } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { hear, type MfaWorld, mfaWorld, type Person, readErrorCodes, SECRET, SECRET_URL } from '../testing-bench.ts'

describe.each(testDatabases)('an authenticator app on %s', (_name, open) => {
  let world: MfaWorld
  afterEach(() => world.close())

  const offer = async ({ browser, user }: Person): Promise<string> =>
    (await browser((visit, { totp }) => totp.offer(visit, user))).url
  const activate = ({ browser, user }: Person, code: string): Promise<unknown> =>
    browser((visit, { totp }) => totp.activate(visit, user, code))
  const typed = ({ browser, user }: Person, code: string): Promise<unknown> =>
    readErrorCodes(browser((visit, mfa) => mfa.authenticateByCode(visit, user, code, { reauthentication: true })))

  it('is set up with a secret and a code for it, and stored sealed', async () => {
    world = await mfaWorld(open)
    const ada = await world.person('ada')
    const heard = hear(world)
    const first = await ada.browser((visit, { totp }) => totp.offer(visit, ada.user))
    const second = await ada.browser((visit, { totp }) => totp.offer(visit, ada.user))
    expect(second.secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(second.secret).not.toBe(first.secret)
    expect(second.url).toBe(`otpauth://totp/ada%40example.org?secret=${second.secret}&issuer=Example`)
    expect(await ada.browser((visit, { totp }) => totp.offered(visit, ada.user))).toEqual(second)
    expect(await readErrorCodes(activate(ada, world.appCode(first.url)))).toEqual(['incorrect_code code'])
    expect(await activate(ada, world.appCode(second.url))).toMatchObject({
      authenticator: { type: 'totp', lastUsedAtMs: null },
      recoveryCodesGenerated: true,
    })
    const rows = await world.rows(ada.user)
    expect(rows.map(({ type }) => type)).toEqual(['totp', 'recovery_codes'])
    expect(JSON.stringify(rows)).not.toContain(second.secret)
    expect(await ada.browser((visit, { totp }) => totp.offered(visit, ada.user))).toBeNull()
    expect(heard).toEqual([
      'authenticator_added Authenticator ada totp {}',
      'authenticator_created User ada totp {}',
      'mfa_enabled User ada totp {}',
      'authenticator_added Authenticator ada recovery_codes {}',
      'authenticator_created User ada recovery_codes {}',
    ])
  })

  it('brings no recovery codes where the site has none, or the user has them', async () => {
    world = await mfaWorld(open, { mfa: { supportedTypes: ['totp'] } })
    const ada = await world.person('ada')
    expect(await activate(ada, world.appCode(await offer(ada)))).toMatchObject({ recoveryCodesGenerated: false })
    expect((await world.rows(ada.user)).map(({ type }) => type)).toEqual(['totp'])
  })

  it('notifies its owner by mail', async () => {
    world = await mfaWorld(open, { account: { emailNotifications: true } })
    const ada = await world.person('ada')
    const url = await offer(ada)
    await activate(ada, world.appCode(url))
    const [totp] = await world.rows(ada.user)
    if (totp === undefined) throw new Error('there is no authenticator')
    for (let time = 0; time < 2; time++) await ada.browser((visit, mfa) => mfa.totp.deactivate(visit, ada.user, totp))
    expect((await world.mails()).map(({ to }) => to)).toEqual(['ada@example.org', 'ada@example.org'])
  })

  it('that an old site has left clear is sealed at its first use', async () => {
    world = await mfaWorld(open)
    const ada = await world.person('ada')
    await world.imported(ada.user, 'totp', { secret: SECRET, label: 'of the old site' })
    expect(await typed(ada, '000000')).toEqual(['incorrect_code code'])
    expect((await world.rows(ada.user))[0]?.data).toEqual({ secret: SECRET, label: 'of the old site' })
    expect(await typed(ada, world.appCode(SECRET_URL))).toBe('nothing')
    const { secret, label } = (await world.rows(ada.user))[0]?.data ?? {}
    expect([secret, label]).toEqual([expect.stringMatching(/^sealed:/), 'of the old site'])
    world.clock.advance(30_000)
    expect(await typed(ada, world.appCode(SECRET_URL))).toBe('nothing')
  })

  it('takes each code once, after the one that it was set up with', async () => {
    world = await mfaWorld(open)
    const ada = await world.person('ada')
    const url = await offer(ada)
    await activate(ada, world.appCode(url))
    expect((await world.rows(ada.user)).find(({ type }) => type === 'totp')?.lastUsedAtMs).toBeNull()
    expect(await typed(ada, world.appCode(url))).toBe('nothing')
    expect(await typed(ada, world.appCode(url))).toEqual(['incorrect_code code'])
    world.clock.advance(30_000)
    expect(await typed(ada, world.appCode(url))).toBe('nothing')
    expect(await typed(ada, world.appCode(url))).toEqual(['incorrect_code code'])
    world.clock.advance(30_000)
    expect(await typed(ada, world.appCode(url, -1))).toEqual(['incorrect_code code'])
    expect(await typed(ada, world.appCode(url))).toBe('nothing')
    const [totp] = await world.rows(ada.user)
    expect(totp?.lastUsedAtMs).toBe(world.clock.now())
  })

  it('takes each code once in all the periods that a tolerance lets it live', async () => {
    world = await mfaWorld(open, { mfa: { totpTolerance: 2 }, account: { rateLimits: false } })
    const ada = await world.person('ada')
    const url = await offer(ada)
    await activate(ada, world.appCode(url, 2))
    const code = world.appCode(url, 2)
    expect(await typed(ada, code)).toBe('nothing')
    for (let period = 0; period < 4; period++) {
      expect(await typed(ada, code)).toEqual(['incorrect_code code'])
      expect(await typed(ada, world.appCode(url, -2))).toBe('nothing')
      expect(await typed(ada, world.appCode(url, -2))).toEqual(['incorrect_code code'])
      world.clock.advance(30_000)
    }
    expect(await typed(ada, code)).toEqual(['incorrect_code code'])
    expect(await typed(ada, world.appCode(url, 3))).toEqual(['incorrect_code code'])
    for (const periods of [2, 1, 0, -1]) expect(await typed(ada, world.appCode(url, periods))).toBe('nothing')
  })

  it('has codes with the configured digits and period', async () => {
    world = await mfaWorld(open, { mfa: { totpDigits: 8, totpPeriod: 60, totpIssuer: 'Lighthouse' } })
    const ada = await world.person('ada')
    const url = await offer(ada)
    expect(url).toMatch(/&issuer=Lighthouse&digits=8&period=60$/)
    expect(world.appCode(url)).toHaveLength(8)
    await activate(ada, world.appCode(url))
    expect(await typed(ada, world.appCode(url))).toBe('nothing')
    world.clock.advance(30_000)
    expect(await typed(ada, world.appCode(url))).toEqual(['incorrect_code code'])
    world.clock.advance(30_000)
    expect(await typed(ada, world.appCode(url))).toBe('nothing')
  })

  it('is set up by the code of development, which is taken again and again', async () => {
    world = await mfaWorld(open, { mfa: { totpInsecureBypassCode: 'let me in' } })
    const ada = await world.person('ada')
    await offer(ada)
    await activate(ada, 'let me in')
    expect([await typed(ada, 'let me in'), await typed(ada, 'let me in')]).toEqual(['nothing', 'nothing'])
  })

  it('is not set up without an offer, twice, or with one offer by two requests', async () => {
    world = await mfaWorld(open)
    const ada = await world.person('ada')
    expect(await readErrorCodes(activate(ada, '123456'))).toEqual(['incorrect_code code'])
    const code = world.appCode(await offer(ada))
    const results = await Promise.all([readErrorCodes(activate(ada, code)), readErrorCodes(activate(ada, code))])
    expect(results.map(String).toSorted()).toEqual(['incorrect_code code', 'nothing'])
    expect(await readErrorCodes(activate(ada, world.appCode(await offer(ada))))).toBe('flow_wrong_stage')
    expect((await world.rows(ada.user)).filter(({ type }) => type === 'totp')).toHaveLength(1)
  })

  it('waits until every address is verified, unless the site does not mind', async () => {
    world = await mfaWorld(open)
    const ada = await world.person('ada')
    const url = await offer(ada)
    const { auth } = world
    await auth.account.emails.insert(auth.kernel.database.db, {
      userId: ada.user.id,
      email: 'second@example.org',
      verified: false,
      primary: false,
    })
    expect(await readErrorCodes(offer(ada))).toEqual(['unverified_email -'])
    expect(await readErrorCodes(activate(ada, world.appCode(url)))).toEqual(['unverified_email code'])
    expect(await world.rows(ada.user)).toEqual([])
    await world.close()

    world = await mfaWorld(open, { mfa: { allowUnverifiedEmail: true } })
    const eve = await world.addUser({ email: 'eve@example.org', username: 'eve', verified: false })
    const browser = world.browser()
    const lax = { browser, user: eve }
    await activate(lax, world.appCode(await offer(lax)))
    expect(await world.rows(eve)).toHaveLength(2)
  })

  it('is removed with the recovery codes that nothing else needs', async () => {
    world = await mfaWorld(open)
    const ada = await world.person('ada')
    await activate(ada, world.appCode(await offer(ada)))
    const heard = hear(world)
    const [totp] = await world.rows(ada.user)
    if (totp === undefined) throw new Error('there is no authenticator')
    await ada.browser((visit, mfa) => mfa.totp.deactivate(visit, ada.user, totp))
    expect(await world.rows(ada.user)).toEqual([])
    expect(heard).toEqual([
      'authenticator_removed Authenticator ada totp {}',
      'authenticator_removed Authenticator ada recovery_codes {}',
      'mfa_disabled User ada totp {}',
    ])
  })

  it('keeps the recovery codes of a user who has a key, and belongs to its user only', async () => {
    world = await mfaWorld(open)
    const [ada, eve] = [await world.person('ada'), await world.person('eve')]
    await activate(ada, world.appCode(await offer(ada)))
    await world.imported(ada.user, 'webauthn', { name: 'a key', credential: {} })
    const heard = hear(world)
    const [totp] = await world.rows(ada.user)
    if (totp === undefined) throw new Error('there is no authenticator')
    await eve.browser((visit, mfa) => mfa.totp.deactivate(visit, eve.user, totp))
    expect(await world.rows(ada.user)).toHaveLength(3)
    await ada.browser((visit, mfa) => mfa.totp.deactivate(visit, ada.user, totp))
    expect((await world.rows(ada.user)).map(({ type }) => type)).toEqual(['recovery_codes', 'webauthn'])
    expect(heard).toEqual(['authenticator_removed Authenticator ada totp {}'])
  })

  it('is not set up in a session that ends while another request changes the factors', async () => {
    world = await mfaWorld(open)
    const ada = await world.person('ada')
    const url = await offer(ada)
    const { database, sessions } = world.auth.kernel
    const mfa = world.auth.module('mfa')
    const [claimed, isBegun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const ending = database.transaction(async (tx) => {
      await mfa.authenticators.lock(tx, ada.user.id)
      claimed.resolve()
      await isBegun.promise
      await sessions.endAll(tx, ada.user.id)
    })
    await claimed.promise
    const adding = readErrorCodes(activate(ada, world.appCode(url)))
    await waitForLockWaiter(database)
    isBegun.resolve()
    await ending
    // What was offered is gone with the session.
    expect(await adding).toEqual(['incorrect_code code'])
    expect(await world.rows(ada.user)).toEqual([])
  })

  it('stays if the host says so', async () => {
    world = await mfaWorld(open, {}, { mfa: { canDeleteAuthenticator: ({ user }) => user?.username !== 'ada' } })
    const ada = await world.person('ada')
    await activate(ada, world.appCode(await offer(ada)))
    const [totp] = await world.rows(ada.user)
    if (totp === undefined) throw new Error('there is no authenticator')
    const removal = ada.browser((visit, mfa) => mfa.totp.deactivate(visit, ada.user, totp))
    expect(await readErrorCodes(removal)).toEqual(['cannot_delete_authenticator -'])
    expect(await world.rows(ada.user)).toHaveLength(2)
  })
})
