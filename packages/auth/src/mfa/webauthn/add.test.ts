import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RegistrationJson, Unusual } from '../../testing/authenticator.ts'
import { addKey, type Browser, creation, key, type KeyWorld, keyWorld, requireUser, WRONG } from './testing-bench.ts'

describe.each(testDatabases)('security keys of an account on %s', (_name, open) => {
  let world: KeyWorld
  let browser: Browser
  beforeEach(async () => {
    world = await keyWorld(open)
    browser = (await world.signedIn('ada')).browser
  })
  afterEach(() => world.close())

  const rows = () => browser((visit) => world.auth.module('mfa').authenticators.ofUser(visit.db, requireUser(visit).id))
  const keys = async () => (await rows()).filter(({ type }) => type === 'webauthn')
  const add = (credential: Readonly<Record<string, unknown>>, name = '') =>
    browser((visit, flow) => flow.add(visit, requireUser(visit), { name, credential }))

  it('asks for a key in the form that browsers read', async () => {
    const options = await creation(browser)
    const user = await browser(async (visit) => requireUser(visit))
    expect(options).toEqual({
      rp: { id: 'auth.test', name: 'Example' },
      user: {
        id: Buffer.from(user.id.toString(36)).toString('base64url'),
        name: 'ada@example.org',
        displayName: 'ada',
      },
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      pubKeyCredParams: [-7, -8, -35, -36, -37, -257].map((alg) => ({ type: 'public-key', alg })),
      excludeCredentials: [],
      authenticatorSelection: {
        residentKey: 'discouraged',
        userVerification: 'discouraged',
        requireResidentKey: false,
      },
      extensions: { credProps: true },
    })
    expect(await creation(browser, true)).toMatchObject({
      authenticatorSelection: { residentKey: 'required', userVerification: 'required', requireResidentKey: true },
    })
  })

  it('keeps the whole answer of the browser, and how often the key has signed', async () => {
    const credential = key().create(await creation(browser), { signCount: 4 })
    const { authenticator, recoveryCodesGenerated } = await add({ ...credential, more: 'of a browser' }, 'Blue key')
    expect(recoveryCodesGenerated).toBe(true)
    expect(authenticator.data).toEqual({ name: 'Blue key', credential, sign_count: 4, user_verified: false })
    expect(await keys()).toEqual([authenticator])
    const mail = await world.mailTo('ada@example.org')
    expect(mail.subject).toMatch(/key/i)
  })

  it('names keys that are given no name, and leaves out those that the user has', async () => {
    const first = await addKey(browser, key(), { passwordless: true })
    const second = await addKey(browser, key({ algorithm: 'EdDSA' }))
    const third = await addKey(browser, key({ algorithm: 'RS256' }))
    expect([first, second, third].map(({ authenticator }) => authenticator.data['name'])).toEqual([
      'Main key',
      'Backup key',
      'Key 3',
    ])
    expect(second.recoveryCodesGenerated).toBe(false)
    const stored = (await keys()).map(({ data }) => data['credential'] as RegistrationJson) // as they were sent
    const known = stored.map(({ id }) => ({ type: 'public-key', id }))
    expect((await creation(browser))['excludeCredentials']).toEqual(known)
    expect(stored.map((credential) => credential.clientExtensionResults)).toEqual([
      { credProps: { rk: true } },
      { credProps: { rk: false } },
      { credProps: { rk: false } },
    ])
  })

  it.each<[why: string, passwordless: boolean, unusual: Unusual]>([
    ['a page of another site', false, { origin: 'https://evil.example' }],
    ['a page whose address begins like ours', false, { origin: 'http://auth.test.evil.example' }],
    ['another port', false, { origin: 'http://auth.test:8080' }],
    ['a frame of another site', false, { crossOrigin: true }],
    ['another relying party', false, { rpId: 'evil.example' }],
    ['another challenge', false, { challenge: 'bWFkZSB1cA' }],
    ['a signature in the place of a new key', false, { type: 'webauthn.get' }],
    ['nobody present', false, { userPresent: false }],
    ['a passkey without user verification', true, { userVerified: false }],
    ['a copy of a key that cannot be copied', false, { backedUp: true }],
  ])('refuses %s', async (_why, passwordless, unusual) => {
    const credential = key().create(await creation(browser, passwordless), unusual)
    await expect(add(credential)).rejects.toMatchObject(WRONG)
    expect(await rows()).toEqual([])
  })

  it('takes a security key without PIN as second factor', async () => {
    await addKey(browser, key({ verifiesUsers: false }))
    expect(await keys()).toHaveLength(1)
  })

  it("rejects an id that isn't the key's", async () => {
    const credential = key().create(await creation(browser))
    await expect(add({ ...credential, id: 'AAAA', rawId: 'AAAA' })).rejects.toMatchObject(WRONG)
  })

  it('refuses what has something after its end', async () => {
    const credential = key().create(await creation(browser))
    const { response } = credential
    const longer = Buffer.concat([Buffer.from(response.attestationObject, 'base64url'), Buffer.alloc(9)])
    const attestationObject = longer.toString('base64url')
    await expect(add({ ...credential, response: { ...response, attestationObject } })).rejects.toMatchObject(WRONG)
    expect(await keys()).toEqual([])
  })

  it('takes an answer once, also of two that come at once', async () => {
    const credential = key().create(await creation(browser))
    const both = await Promise.allSettled([add(credential), add(credential)])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    await expect(add(credential)).rejects.toMatchObject(WRONG)
    expect(await keys()).toHaveLength(1)
  })

  it('refuses an answer after ten minutes, to a question before the last, or of another session', async () => {
    const late = key().create(await creation(browser))
    world.clock.advance(600_001)
    await expect(add(late)).rejects.toMatchObject(WRONG)
    const old = key().create(await creation(browser))
    await creation(browser)
    await expect(add(old)).rejects.toMatchObject(WRONG)
    const { browser: other } = await world.signedIn('eve')
    const stolen = key().create(await creation(browser))
    await expect(
      other((visit, flow) => flow.add(visit, requireUser(visit), { name: '', credential: stolen })),
    ).rejects.toMatchObject(WRONG)
  })

  it('refuses a key that the account has', async () => {
    const authenticator = key()
    await addKey(browser, authenticator)
    const options = await creation(browser)
    expect(() => authenticator.create(options)).toThrow('InvalidStateError')
    const [first] = await keys()
    const again = { ...key().create(options), id: authenticator.ids()[0], rawId: authenticator.ids()[0] }
    await expect(add(again)).rejects.toMatchObject(WRONG)
    expect(await keys()).toEqual([first])
  })

  it('adds at most ten in a minute', async () => {
    for (let count = 0; count < 10; count++) await addKey(browser, key())
    await expect(addKey(browser, key())).rejects.toMatchObject({ code: 'rate_limited' })
    world.clock.advance(60_000)
    await addKey(browser, key())
    expect(await keys()).toHaveLength(11)
  })

  it('needs verified addresses', async () => {
    const user = await browser(async (visit) => requireUser(visit))
    const { auth } = world
    const credential = key().create(await creation(browser))
    await auth.account.emails.insert(auth.kernel.database.db, {
      userId: user.id,
      email: 'other@example.org',
      verified: false,
      primary: false,
    })
    await expect(creation(browser)).rejects.toMatchObject({ errors: [{ code: 'unverified_email' }] })
    await expect(add(credential)).rejects.toMatchObject({ errors: [{ code: 'unverified_email' }] })
  })

  it('renames and removes keys, the last one with the recovery codes', async () => {
    const first = (await addKey(browser, key())).authenticator
    const second = (await addKey(browser, key())).authenticator
    const { browser: other } = await world.signedIn('eve')
    const rename = (as: Browser, name: string) =>
      as((visit, flow) => flow.rename(visit, requireUser(visit), first, name))
    expect((await rename(browser, ' Café ')).data).toEqual({ ...first.data, name: 'Café' })
    await expect(rename(other, 'Mine')).rejects.toMatchObject({ code: 'not_found' })
    await expect(rename(browser, ' ')).rejects.toMatchObject({ errors: [{ code: 'required', param: 'name' }] })
    await expect(rename(browser, 'x'.repeat(101))).rejects.toMatchObject({ errors: [{ code: 'max_length' }] })
    await expect(rename(browser, 'a\0b')).rejects.toMatchObject({ errors: [{ code: 'null_characters_not_allowed' }] })

    await other((visit, flow) => flow.remove(visit, requireUser(visit), [first, second]))
    expect(await keys()).toHaveLength(2)
    await browser((visit, flow) => flow.remove(visit, requireUser(visit), [first]))
    expect((await rows()).map(({ type }) => type).toSorted()).toEqual(['recovery_codes', 'webauthn'])
    await browser((visit, flow) => flow.remove(visit, requireUser(visit), [first, second]))
    expect(await rows()).toEqual([])
    const mails = (await world.mails()).filter(({ to }) => to === 'ada@example.org')
    expect(mails.map(({ subject }) => subject)).toHaveLength(4)
    await expect(rename(browser, 'Gone')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('cuts what cannot be the name of a new key', async () => {
    const names = ['a\0b\uD800', 'x'.repeat(200), ' \n ']
    const stored: unknown[] = []
    for (const name of names) stored.push((await addKey(browser, key(), { name })).authenticator.data['name'])
    expect(stored).toEqual(['a b\uFFFD', 'x'.repeat(100), 'Key 3'])
  })
})

describe.each(testDatabases)('where pages of a site may be on %s', (_name, open) => {
  const origins = async (settings: Parameters<typeof keyWorld>[1], origin: string): Promise<boolean> => {
    const world = await keyWorld(open, settings)
    try {
      const { browser } = await world.signedIn('ada')
      const credential = key().create(await creation(browser), { origin })
      return await browser(async (visit, flow) => {
        await flow.add(visit, requireUser(visit), { name: '', credential })
        return true
      }).catch(() => false)
    } finally {
      await world.close()
    }
  }

  it.each<[origin: string, settings: Parameters<typeof keyWorld>[1], taken: boolean]>([
    ['https://app.example.org', { csrfTrustedOrigins: ['https://app.example.org'] }, true],
    ['https://app.example.org', { csrfTrustedOrigins: ['https://*.example.org'] }, true],
    ['http://app.example.org', { csrfTrustedOrigins: ['https://*.example.org'] }, false],
    ['https://evil.example', { csrfTrustedOrigins: ['https://*.example.org'] }, false],
    ['http://10.0.0.7:3000', { mfa: { webauthnAllowInsecureOrigin: true } }, true],
  ])('%s with %j: %s', async (origin, settings, taken) => {
    expect(await origins(settings, origin)).toBe(taken)
  })
})
