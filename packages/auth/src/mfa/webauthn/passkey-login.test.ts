import { testDatabases } from '@gatepost/sql/testing'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SoftwareAuthenticator, Unusual } from '../../testing/authenticator.ts'
import type { User } from '../../kernel/users/user.ts'
import {
  addKey,
  requestAssertionOptions,
  type Browser,
  creation,
  key,
  type KeyWorld,
  keyWorld,
  requireUser,
  WRONG,
} from './testing-bench.ts'

describe.each(testDatabases)('login by passkey on %s', (_name, open) => {
  let world: KeyWorld
  let owner: Browser
  let user: User
  let passkey: SoftwareAuthenticator
  let visitor: Browser

  beforeEach(async () => {
    world = await keyWorld(open)
    ;({ browser: owner, user } = await world.signedIn('ada'))
    passkey = key()
    await addKey(owner, passkey, { passwordless: true })
    visitor = world.browser({ ip: '198.51.100.9' })
  })
  afterEach(() => world.close())

  const login = async (unusual: Unusual = {}, from = passkey, as = visitor) => {
    const credential = from.get(await requestAssertionOptions(as, null), unusual)
    return as((visit, flow) => flow.login(visit, credential))
  }
  const whoami = (as = visitor) => as(async (visit) => visit.user?.id ?? null)

  it('accepts any passkey, and prefers user verification', async () => {
    expect(await requestAssertionOptions(visitor, null)).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      rpId: 'auth.test',
      allowCredentials: [],
      userVerification: 'preferred',
    })
  })

  it('signs in, without another step, under a new session', async () => {
    expect(await login()).toMatchObject({ kind: 'authenticated', user: { id: user.id } })
    expect(await whoami()).toBe(user.id)
    const records = await visitor(async (visit) => world.auth.account.login.records(visit))
    expect(records).toMatchObject([{ method: 'mfa', type: 'webauthn', passwordless: true }])
  })

  /** Adds a key that was asked for as second factor, of which its authenticator has made a passkey all the same. */
  const addTurned = async (authenticator: SoftwareAuthenticator, userVerified: boolean) => {
    const options = { ...(await creation(owner)), authenticatorSelection: { residentKey: 'required' } }
    const credential = authenticator.create(options, { userVerified })
    await owner((visit, flow) => flow.add(visit, requireUser(visit), { name: '', credential }))
  }

  it('rejects a key added without user verification: anyone who finds it can set a PIN', async () => {
    const found = key()
    await addTurned(found, false)
    await expect(login({ userVerified: true }, found)).rejects.toMatchObject(WRONG)
  })

  it.each([
    ['the setting says so', { passkeyLoginWithoutUserVerification: true }, false, true],
    ['the database is that of an existing site', {}, true, true],
    ['the setting forbids it there', { passkeyLoginWithoutUserVerification: false }, true, false],
  ])('accepts a key without user verification if %s', async (_why, mfa, isAdopted, accepted) => {
    await world.close()
    world = await keyWorld(open, { mfa })
    const { db } = world.auth.kernel.database
    if (isAdopted) await sql`CREATE TABLE django_migrations (id integer PRIMARY KEY)`.execute(db)
    ;({ browser: owner, user } = await world.signedIn('ada'))
    await addKey(owner, passkey, { passwordless: true })
    visitor = world.browser()
    const signedIn = login({ userVerified: false })
    if (accepted) expect(await signedIn).toMatchObject({ kind: 'authenticated', user: { id: user.id } })
    else await expect(signedIn).rejects.toMatchObject(WRONG)
  })

  it('takes a key that was added as second factor, where it has verified its user then', async () => {
    const phone = key()
    await addTurned(phone, true)
    expect(await login({}, phone)).toMatchObject({ kind: 'authenticated' })
  })

  it.each<[why: string, unusual: Unusual]>([
    ['without user verification', { userVerified: false }],
    ['by a key that does not tell whose it is', { userHandle: null }],
    ['as somebody who does not exist', { userHandle: 'zzz' }],
    ['as a text that is no id', { userHandle: '../1' }],
    ['from a page of another site', { origin: 'https://evil.example' }],
    ['for another relying party', { rpId: 'evil.example' }],
    ['with a forged signature', { forged: true }],
    ['with a count that is used', { signCount: 0 }],
  ])('refuses one %s', async (why, unusual) => {
    if (why === 'with a count that is used') await login({ signCount: 9 })
    const before = await whoami()
    await expect(login(unusual)).rejects.toMatchObject(WRONG)
    expect(await whoami()).toBe(before)
  })

  it('refuses a passkey of one person as another', async () => {
    const { browser: other, user: eve } = await world.signedIn('eve')
    const evil = key()
    await addKey(other, evil, { passwordless: true })
    await expect(login({ userHandle: user.id.toString(36) }, evil)).rejects.toMatchObject(WRONG)
    expect(await whoami()).toBeNull()
    expect(await login({}, evil)).toMatchObject({ user: { id: eve.id } })
  })

  it('takes a signature once, also of two that come at once', async () => {
    const credential = passkey.get(await requestAssertionOptions(visitor, null))
    const send = () => visitor((visit, flow) => flow.login(visit, credential))
    const both = await Promise.allSettled([send(), send()])
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(send()).rejects.toMatchObject(WRONG)
  })

  it('refuses an answer to the question of a second step', async () => {
    const credential = passkey.get(await requestAssertionOptions(visitor, user))
    await expect(visitor((visit, flow) => flow.login(visit, credential))).rejects.toMatchObject(WRONG)
  })

  it('answers a disabled account as every login does', async () => {
    const { auth } = world
    await auth.kernel.users.update(auth.kernel.database.db, user.id, { isActive: false })
    expect(await login()).toMatchObject({ kind: 'inactive' })
    expect(await whoami()).toBeNull()
  })

  it('still needs a verified address where the site asks for it', async () => {
    await world.close()
    world = await keyWorld(open, {
      account: { emailVerification: 'mandatory' },
      mfa: { allowUnverifiedEmail: true },
    })
    ;({ browser: owner, user } = await world.signedIn('ada'))
    await addKey(owner, passkey, { passwordless: true })
    const { auth } = world
    for (const { id } of await auth.account.emails.ofUser(auth.kernel.database.db, user.id)) {
      await auth.account.emails.remove(auth.kernel.database.db, id)
    }
    await auth.account.emails.insert(auth.kernel.database.db, {
      userId: user.id,
      email: 'ada@example.org',
      verified: false,
      primary: true,
    })
    visitor = world.browser()
    expect(await login()).toMatchObject({ kind: 'stage', stage: 'verify_email' })
    expect(await whoami()).toBeNull()
  })

  it('counts attempts with unknown ids like others', async () => {
    for (const userHandle of [user.id.toString(36), 'zzz']) {
      for (let time = 0; time < 5; time++) {
        await expect(login({ userHandle, forged: true })).rejects.toMatchObject(WRONG)
      }
      await expect(login({ userHandle, forged: true })).rejects.toMatchObject({
        errors: [{ code: 'too_many_login_attempts', param: 'credential' }],
      })
      visitor = world.browser({ ip: '198.51.100.10' })
    }
  })

  it('never locks the user out of the second factor, however often a stranger tries', async () => {
    for (let time = 0; time < 6; time++) await expect(login({ forged: true })).rejects.toThrow()
    const credential = passkey.get(await requestAssertionOptions(owner, user))
    const used = await owner((visit, flow) => flow.authenticate(visit, user, credential, { reauthentication: true }))
    expect(used.userId).toBe(user.id)
  })

  it('is not there where the site does not offer it', async () => {
    await world.close()
    world = await keyWorld(open, { mfa: { passkeyLoginEnabled: false } })
    const { browser } = await world.signedIn('ada')
    await addKey(browser, passkey, { passwordless: true })
    visitor = world.browser()
    await expect(requestAssertionOptions(visitor, null)).rejects.toMatchObject({ code: 'permission_denied' })
    await expect(visitor((visit, flow) => flow.login(visit, {}))).rejects.toMatchObject({ code: 'permission_denied' })
    expect(await browser(async (visit) => requireUser(visit).email)).toBe('ada@example.org')
  })
})
