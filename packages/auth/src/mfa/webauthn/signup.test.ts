import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { requestAssertionOptions, type Browser, key, type KeyWorld, keyWorld, WRONG } from './testing-bench.ts'

const SETTINGS = {
  account: { emailVerification: 'mandatory', emailVerificationByCodeEnabled: true },
  mfa: { passkeySignupEnabled: true },
} as const

describe.each(testDatabases)('sign-up by passkey on %s', (_name, open) => {
  let world: KeyWorld
  let visitor: Browser
  const signals: string[] = []

  beforeEach(async () => {
    world = await keyWorld(open, SETTINGS)
    visitor = world.browser()
    signals.length = 0
    for (const name of ['user_signed_up', 'authenticator_added', 'user_logged_in'] as const) {
      world.auth.signals.on(name, () => void signals.push(name))
    }
  })
  afterEach(() => world.close())

  const begin = (values: Readonly<Record<string, string>>, as = visitor) =>
    as((visit, flow) => flow.beginSignup(visit, values))
  const userOfLogin = async (as = visitor) =>
    (await as((visit) => world.auth.account.login.pending(visit)))?.user ?? null
  const whoami = () => visitor(async (visit) => visit.user?.email ?? null)
  const verify = async (email: string) => {
    const code = /[A-Z]{4}-[A-Z]{4}/.exec((await world.mailTo(email)).text)?.[0] ?? ''
    return visitor(async (visit) => {
      const { auth } = world
      const login = await auth.account.login.at(visit, 'verify_email')
      const user = login?.user ?? null
      if (login === null || user === null) throw new Error('no login waits')
      const [address] = await auth.account.emails.ofUser(visit.db, user.id)
      if (address === undefined || code === '') throw new Error('no address waits')
      await auth.account.adapter.confirmEmail(visit, address)
      return auth.account.login.resume(visit, login)
    })
  }
  const options = async () => {
    const user = await userOfLogin()
    if (user === null) throw new Error('no login waits')
    return visitor(async (visit, flow) => (await flow.signupOptions(visit, user)).publicKey)
  }
  const complete = (credential: Readonly<Record<string, unknown>>) =>
    visitor(async (visit, flow) => {
      const login = await world.auth.account.login.at(visit, 'mfa_signup_webauthn')
      const user = login?.user ?? null
      if (login === null || user === null) throw new Error('no login waits')
      await flow.completeSignup(visit, user, { name: '', credential })
      return world.auth.account.login.resume(visit, login)
    })

  it('verifies the address, then makes the passkey, then signs in', async () => {
    const email = 'ada@example.org'
    expect(await begin({ email, password1: 'not asked for' })).toMatchObject({ kind: 'stage', stage: 'verify_email' })
    expect(await verify(email)).toMatchObject({ kind: 'stage', stage: 'mfa_signup_webauthn' })
    expect(await whoami()).toBeNull()
    const passkey = key()
    const asks = await options()
    expect(asks).toMatchObject({
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
    expect(await complete(passkey.create(asks))).toMatchObject({ kind: 'authenticated', user: { email } })
    expect(await whoami()).toBe(email)
    const user = await visitor(async (visit) => visit.user)
    expect(user?.hasUsablePassword).toBe(false)
    const rows = await visitor((visit) => world.auth.module('mfa').authenticators.ofUser(visit.db, user?.id ?? 0))
    expect(rows.map(({ type, data }) => [type, data['name']])).toEqual([['webauthn', 'Main key']])
    expect(await world.mails()).toHaveLength(1)
    expect(signals).toEqual(['user_signed_up', 'authenticator_added', 'user_logged_in'])

    const again = world.browser()
    const credential = passkey.get(await requestAssertionOptions(again, null))
    expect(await again((visit, flow) => flow.login(visit, credential))).toMatchObject({ kind: 'authenticated' })
  })

  it('refuses a wrong passkey, and goes on waiting', async () => {
    await begin({ email: 'ada@example.org' })
    await verify('ada@example.org')
    for (const unusual of [{ userVerified: false }, { origin: 'https://evil.example' }, { rpId: 'evil.example' }]) {
      await expect(complete(key().create(await options(), unusual))).rejects.toMatchObject(WRONG)
    }
    expect(await whoami()).toBeNull()
    expect(await complete(key().create(await options()))).toMatchObject({ kind: 'authenticated' })
  })

  it('makes one passkey of an answer that comes twice at once', async () => {
    await begin({ email: 'ada@example.org' })
    await verify('ada@example.org')
    const user = await userOfLogin()
    const credential = key().create(await options())
    const both = await Promise.allSettled([complete(credential), complete(credential)])
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const rows = await visitor((visit) => world.auth.module('mfa').authenticators.ofUser(visit.db, user?.id ?? 0))
    expect(rows).toHaveLength(1)
  })

  it('needs the stage', async () => {
    await begin({ email: 'ada@example.org' })
    const user = await userOfLogin()
    if (user === null) throw new Error('no login waits')
    await expect(visitor((visit, flow) => flow.signupOptions(visit, user))).rejects.toMatchObject({
      code: 'flow_wrong_stage',
    })
    await expect(
      visitor((visit, flow) => flow.completeSignup(visit, user, { name: '', credential: {} })),
    ).rejects.toMatchObject({ code: 'flow_wrong_stage' })
    await verify('ada@example.org')
    const { user: eve } = await world.signedIn('eve')
    await expect(visitor((visit, flow) => flow.signupOptions(visit, eve))).rejects.toMatchObject({
      code: 'flow_wrong_stage',
    })
  })

  it('hides that the address is in use', async () => {
    await world.addUser({ email: 'ada@example.org', username: 'ada' })
    const other = world.browser()
    const [taken, free] = [await begin({ email: 'ada@example.org' }), await begin({ email: 'eve@example.org' }, other)]
    expect(taken).toEqual(free)
    const state = async (as: Browser) => {
      const login = await as((visit) => world.auth.account.login.pending(visit))
      return { ...login, user: null, email: null }
    }
    const [ofTaken, ofFree] = [await state(visitor), await state(other)]
    expect(ofTaken.state).toEqual(ofFree.state)
    expect(await userOfLogin()).toBeNull()
    expect((await world.mailTo('ada@example.org')).text).not.toMatch(/[A-Z]{4}-[A-Z]{4}/)
  })

  it('wants the other fields of a sign-up', async () => {
    await expect(begin({ password1: 'a lighthouse keeper' })).rejects.toMatchObject({
      errors: [{ code: 'required', param: 'email' }],
    })
  })

  it('is closed where sign-up is, and where it is not offered', async () => {
    await world.close()
    world = await keyWorld(open, { ...SETTINGS, mfa: {} })
    visitor = world.browser()
    await expect(begin({ email: 'ada@example.org' })).rejects.toMatchObject({ code: 'permission_denied' })
  })
})
