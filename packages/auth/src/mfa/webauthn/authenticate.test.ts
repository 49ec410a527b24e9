import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Authenticator } from '../mfa.ts'
import type { SoftwareAuthenticator, Unusual } from '../../testing/authenticator.ts'
import type { User } from '../../kernel/users/user.ts'
import {
  addKey,
  requestAssertionOptions,
  type Browser,
  key,
  type KeyWorld,
  keyWorld,
  requireUser,
  WRONG,
} from './testing-bench.ts'

const TOO_MANY = { errors: [{ code: 'too_many_login_attempts', param: 'credential' }] }

describe.each(testDatabases)('signatures of security keys on %s', (_name, open) => {
  let world: KeyWorld
  let browser: Browser
  let user: User
  let authenticator: SoftwareAuthenticator
  let added: Authenticator
  const events: string[] = []

  beforeEach(async () => {
    world = await keyWorld(open)
    ;({ browser, user } = await world.signedIn('ada'))
    authenticator = key()
    ;({ authenticator: added } = await addKey(browser, authenticator))
    events.length = 0
    const { signals } = world.auth
    signals.on('authenticator_used', (event) => void events.push(`used ${event.reauthenticated} ${event.passwordless}`))
    signals.on('authentication_failed', (event) => void events.push(`failed ${event.authenticator.type}`))
  })
  afterEach(() => world.close())

  const check = (credential: Readonly<Record<string, unknown>>, as = browser, reauthentication = true) =>
    as((visit, flow) => flow.authenticate(visit, user, credential, { reauthentication }))
  const signed = async (unusual: Unusual = {}, from = authenticator, as = browser) =>
    from.get(await requestAssertionOptions(as, user), unusual)
  const present = () => world.auth.module('mfa').authenticators.byId(world.auth.kernel.database.db, added.id)

  it('asks for one of the keys of the user', async () => {
    expect(await requestAssertionOptions(browser, user)).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      rpId: 'auth.test',
      allowCredentials: [{ type: 'public-key', id: authenticator.ids()[0] }],
      userVerification: 'preferred',
    })
  })

  it.each(['ES256', 'EdDSA', 'RS256'] as const)('takes a signature of %s, and records it', async (algorithm) => {
    const other = key({ algorithm, verifiesUsers: false })
    const { authenticator: row } = await addKey(browser, other)
    world.clock.advance(1_000)
    const used = await check(await signed({ use: other.ids()[0] ?? '' }, other))
    expect(used).toMatchObject({ id: row.id, lastUsedAtMs: world.clock.now(), data: { sign_count: 1 } })
    expect(events).toEqual(['used true false'])
    const records = await browser(async (visit) => world.auth.account.login.records(visit))
    expect(records.at(-1)).toEqual({
      method: 'mfa',
      id: row.id,
      type: 'webauthn',
      reauthenticated: true,
      at: world.clock.now() / 1000,
    })
  })

  it.each<[why: string, unusual: Unusual]>([
    ['a page of another site', { origin: 'https://evil.example' }],
    ['a frame of another site', { crossOrigin: true }],
    ['another relying party', { rpId: 'evil.example' }],
    ['another challenge', { challenge: 'bWFkZSB1cA' }],
    ['a new key in the place of a signature', { type: 'webauthn.create' }],
    ['nobody present', { userPresent: false }],
    ['a forged signature', { forged: true }],
    ['a key of somebody else by its own word', { userHandle: 'zzz' }],
    ['a key that may be copied now', { backupEligible: true }],
  ])('refuses %s', async (_why, unusual) => {
    await expect(check(await signed(unusual))).rejects.toMatchObject(WRONG)
    expect(await present()).toEqual(added)
    expect((await browser(async (visit) => world.auth.account.login.records(visit))).at(-1)?.method).toBe('password')
  })

  it("rejects another user's key, under its own id and under that of a key of the user", async () => {
    const { browser: other } = await world.signedIn('eve')
    const evil = key()
    await addKey(other, evil)
    const options = await requestAssertionOptions(browser, user)
    await expect(
      check(evil.get({ ...options, allowCredentials: [] }, { use: evil.ids()[0] ?? '' })),
    ).rejects.toMatchObject(WRONG)
    const again = await requestAssertionOptions(browser, user)
    const id = authenticator.ids()[0]
    const renamed = { ...evil.get({ ...again, allowCredentials: [] }, { use: evil.ids()[0] ?? '' }), id, rawId: id }
    await expect(check(renamed)).rejects.toMatchObject(WRONG)
    expect(events).toEqual(['failed webauthn', 'failed webauthn'])
  })

  it('takes a signature once, also of two that come at once', async () => {
    const credential = await signed()
    const both = await Promise.allSettled([check(credential), check(credential)])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    await expect(check(credential)).rejects.toMatchObject(WRONG)
    expect(events.filter((event) => event.startsWith('used'))).toHaveLength(1)
  })

  it("rejects a response after ten minutes, to another user's challenge, or from another session", async () => {
    const late = await signed()
    world.clock.advance(600_001)
    await expect(check(late)).rejects.toMatchObject(WRONG)
    const forAnybody = authenticator.get(await requestAssertionOptions(browser, null), {
      use: authenticator.ids()[0] ?? '',
    })
    await expect(check(forAnybody)).rejects.toMatchObject(WRONG)
    const stolen = await signed()
    await expect(check(stolen, world.browser())).rejects.toMatchObject(WRONG)
  })

  it('refuses a key that counts backwards, or not at all any more', async () => {
    await check(await signed({ signCount: 7 }))
    for (const signCount of [7, 6, 0]) {
      await expect(check(await signed({ signCount }))).rejects.toMatchObject(WRONG)
    }
    expect((await present())?.data).toMatchObject({ sign_count: 7 })
    expect(world.logged.filter(({ message }) => message.includes('counts backwards'))).toHaveLength(3)
    await check(await signed({ signCount: 8 }))
    expect((await present())?.data).toMatchObject({ sign_count: 8 })
  })

  it('takes one of two signatures with the same count in two sessions', async () => {
    const { browser: second } = await world.signedIn('eve')
    const one = await signed({ signCount: 5 })
    const two = await signed({ signCount: 5 }, authenticator, second)
    const both = await Promise.allSettled([check(one), check(two, second)])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  it('takes keys that never count', async () => {
    const quiet = key({ counts: false, synchronised: true })
    await addKey(browser, quiet)
    for (let time = 0; time < 3; time++) await check(await signed({ use: quiet.ids()[0] ?? '' }, quiet))
    expect(events).toHaveLength(3)
  })

  it('takes the key of a row that an old site has left, and counts on from its registration', async () => {
    const old = key()
    const credential = old.create(
      (await browser((visit, keys) => keys.creationOptions(visit, user, { passwordless: true }))).publicKey,
      { signCount: 3 },
    )
    const { auth } = world
    const row = await auth.module('mfa').authenticators.insert(auth.kernel.database.db, {
      userId: user.id,
      type: 'webauthn',
      createdAtMs: world.clock.now(),
      data: { name: 'Old', credential: { ...credential, rawId: `${credential.rawId}=` } },
    })
    await expect(check(await signed({ use: credential.id, signCount: 3 }, old))).rejects.toMatchObject(WRONG)
    const used = await check(await signed({ use: credential.id, signCount: 4 }, old))
    expect(used).toMatchObject({ id: row.id, data: { name: 'Old', sign_count: 4 } })
  })

  it('accepts a key regardless of its attestation', async () => {
    const made = key()
    const options = await browser(async (visit, keys) => keys.creationOptions(visit, user, { passwordless: false }))
    const credential = made.create(options.publicKey, { format: 'packed' })
    await browser((visit, keys) => keys.add(visit, user, { name: 'Packed', credential }))
    expect(await check(await signed({ use: credential.id }, made))).toMatchObject({
      data: { name: 'Packed', credential },
    })
  })

  it('answers for a broken row as for a wrong key', async () => {
    const { auth } = world
    await auth.module('mfa').authenticators.update(auth.kernel.database.db, added.id, {
      data: { name: 'Broken', credential: { id: authenticator.ids()[0], rawId: authenticator.ids()[0] } },
    })
    await expect(check(await signed())).rejects.toMatchObject(WRONG)
  })

  it('counts wrong tries of the user from everywhere, and forgets them after a right one', async () => {
    for (let time = 0; time < 4; time++)
      await expect(check(await signed({ forged: true }))).rejects.toMatchObject(WRONG)
    await check(await signed())
    for (let time = 0; time < 5; time++)
      await expect(check(await signed({ forged: true }))).rejects.toMatchObject(WRONG)
    await expect(check(await signed())).rejects.toMatchObject(TOO_MANY)
    const elsewhere = world.browser({ ip: '198.51.100.9' })
    await expect(check(await signed({}, authenticator, elsewhere), elsewhere)).rejects.toMatchObject(TOO_MANY)
    world.clock.advance(300_000)
    await check(await signed())
  })

  it('is refused once it is removed', async () => {
    const credential = await signed()
    await browser((visit, flow) => flow.remove(visit, requireUser(visit), [added]))
    await expect(check(credential)).rejects.toMatchObject(WRONG)
  })

  it('is the second step of a login', async () => {
    const visitor = world.browser()
    const outcome = await visitor(async (visit) => {
      await world.auth.account.login.record(visit, { method: 'password' }, user)
      return world.auth.account.login.begin(visit, { user })
    })
    expect(outcome).toMatchObject({ kind: 'stage', stage: 'mfa_authenticate' })
    const credential = await signed({}, authenticator, visitor)
    const done = await visitor(async (visit, flow) => {
      const login = await world.auth.account.login.at(visit, 'mfa_authenticate')
      if (login === null) throw new Error('no login waits')
      await flow.authenticate(visit, user, credential, { reauthentication: false })
      return world.auth.account.login.resume(visit, login)
    })
    expect(done).toMatchObject({ kind: 'authenticated', user: { id: user.id } })
    expect(await visitor(async (visit) => visit.user?.id)).toBe(user.id)
  })
})
