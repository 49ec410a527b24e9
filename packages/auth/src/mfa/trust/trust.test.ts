import { createHash, createHmac } from 'node:crypto'
import { testDatabases } from '@gatepost/sql/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import { ADA, codeTo, PASSWORD } from '../../testing/effects/effect.ts'
import type { Visited, Visitor } from '../../testing/visitor.ts'
import type { User } from '../../kernel/users/user.ts'
import { type MfaWorld, mfaWorld, SECRET, SECRET_URL, SEED, SEED_CODES } from '../testing-bench.ts'

const STAGE = '/accounts/2fa/authenticate/'
const TRUST = '/accounts/2fa/trust/'
const CODE = '/accounts/login/code/confirm/'
const HOME = '/accounts/profile/'
const DAY = 86_400_000
const KEY = { name: 'a key', credential: {} }
const SALT = 'django.core.signing.Signer'
/** Of `authWorld`. */
const TEST_KEY = 'a made-up key that only tests use, long enough'

describe.each(testDatabases)('a trusted browser on %s', (_name, open) => {
  let world: MfaWorld
  let people = 0
  beforeAll(async () => {
    world = await mfaWorld(open, {
      mfa: { trustEnabled: true },
      account: { rateLimits: false },
      headless: { enabled: true },
    })
  })
  afterAll(() => world.close())

  /** Somebody with an app, and their browser. */
  const person = async (): Promise<At> => {
    people += 1
    const username = `ada${people}`
    const user = await world.addUser({ username, email: `${username}@example.org`, password: PASSWORD })
    await world.imported(user, 'totp', { secret: SECRET })
    return { world, user, browser: world.visitor() }
  }

  it('skips the second step, until the trust expires', async () => {
    const ada = await person()
    const done = await trust(ada)
    expect(done.location).toBe(HOME)
    const cookie = done.headers.getSetCookie().find((line) => line.startsWith('mfa_trusted='))
    expect(cookie).toMatch(/^mfa_trusted=[\w-]+:[\w-]{43}; Path=\/; Max-Age=1209600; HttpOnly; SameSite=Lax$/)
    await leave(ada)
    world.clock.advance(14 * DAY - 60_000)
    expect((await login(ada)).location).toBe(HOME)
    await leave(ada)
    world.clock.advance(60_000)
    expect((await login(ada)).location).toBe(STAGE)
  })

  it('is trusted only after the user agreed', async () => {
    const ada = await person()
    await login(ada)
    await secondStep(ada)
    expect((await ada.browser.post(TRUST, { action: 'skip' })).location).toBe(HOME)
    expect(ada.browser.cookies.has('mfa_trusted')).toBe(false)
    await leave(ada)
    expect((await login(ada)).location).toBe(STAGE)
  })

  it('is trusted for its own users only, of which there may be several', async () => {
    const ada = await person()
    const eve = { ...(await person()), browser: ada.browser }
    await trust(ada)
    await leave(ada)
    expect((await login(eve)).location).toBe(STAGE)
    await secondStep(eve)
    await eve.browser.post(TRUST, { action: 'trust' })
    await leave(eve)
    expect((await login(eve)).location).toBe(HOME)
    await leave(eve)
    expect((await login(ada)).location).toBe(HOME)
  })

  const changes: readonly [why: string, change: (of: User) => Promise<unknown>][] = [
    [
      'a new password, even the same',
      async ({ id }) => {
        const { users, passwords, database } = world.auth.kernel
        await users.setPassword(database.db, id, await passwords.hash(PASSWORD))
      },
    ],
    ['another authenticator', (user) => world.imported(user, 'webauthn', KEY)],
    ['recovery codes', (user) => world.imported(user, 'recovery_codes', { seed: SEED, used_mask: 0 })],
    [
      'one authenticator less',
      async (user) => {
        const key = (await world.rows(user)).find(({ type }) => type === 'webauthn')
        await world.auth.module('mfa').authenticators.remove(world.auth.kernel.database.db, key?.id ?? 0)
      },
    ],
    [
      'other recovery codes',
      async (user) => {
        const codes = (await world.rows(user)).find(({ type }) => type === 'recovery_codes')
        const data = { seed: SEED.toUpperCase(), used_mask: 0 }
        await world.auth.module('mfa').authenticators.update(world.auth.kernel.database.db, codes?.id ?? 0, { data })
      },
    ],
  ]
  it.each(changes)('is one no more after %s', async (why, change) => {
    const ada = await person()
    if (why === 'one authenticator less') await world.imported(ada.user, 'webauthn', KEY)
    if (why === 'other recovery codes') await world.imported(ada.user, 'recovery_codes', { seed: SEED, used_mask: 0 })
    await trust(ada)
    await leave(ada)
    await change(ada.user)
    expect((await login(ada)).location).toBe(STAGE)
  })

  it('stays one when a code is used', async () => {
    const ada = await person()
    await world.imported(ada.user, 'recovery_codes', { seed: SEED, used_mask: 0 })
    await trust(ada)
    await leave(ada)
    const elsewhere = { ...ada, browser: world.visitor() }
    await login(elsewhere)
    expect((await elsewhere.browser.post(STAGE, { code: SEED_CODES[0] ?? '' })).location).toBe(TRUST)
    expect((await login(ada)).location).toBe(HOME)
  })

  it('is known by a cookie that an old site with the same key has given', async () => {
    const ada = await person()
    const { auth } = world
    const { id } = (await world.rows(ada.user))[0] ?? {}
    const password = await auth.kernel.users.loadPasswordHash(auth.kernel.database.db, ada.user.id)
    const state = `${ada.user.id}|${password}|${id}|totp`
    const entry = [signature('allauth.mfa.trust', state).toString('hex'), Math.floor(world.clock.now() / 1000)]
    const json = Buffer.from(JSON.stringify([entry])).toString('base64url')
    const signed = signature('django.core.signing.Signersigner', json).toString('base64url')
    ada.browser.cookies.set('mfa_trusted', `${json}:${signed}`)
    expect((await login(ada)).location).toBe(HOME)
  })

  const forgeries: readonly [why: string, forge: (cookie: string) => string][] = [
    ['nonsense', () => 'nonsense'],
    ['another signature', (cookie) => `${cookie.slice(0, -2)}${cookie.endsWith('AA') ? 'BA' : 'AA'}`],
    ['another content', (cookie) => cookie.replace(/^./, (first) => (first === 'W' ? 'X' : 'W'))],
    ['a value signed for something else', () => world.auth.kernel.signer.signObject([['x', 9e9]], 'account')],
    ['no list', () => world.auth.kernel.signer.signObject({ a: 1 }, SALT)],
    ['other things in the list', () => world.auth.kernel.signer.signObject([1, null, ['x'], ['x', 9e9]], SALT)],
  ]
  it.each(forgeries)('is not one with %s in its cookie', async (_why, forge) => {
    const ada = await person()
    await trust(ada)
    await leave(ada)
    ada.browser.cookies.set('mfa_trusted', forge(ada.browser.cookies.get('mfa_trusted') ?? ''))
    expect((await login(ada)).location).toBe(STAGE)
  })

  it('is a browser of the JSON API too, and never an app', async () => {
    const { user } = await person()
    const credentials = { username: user.username, password: PASSWORD }
    const code = (): string => {
      world.clock.advance(30_000)
      return world.appCode(SECRET_URL)
    }
    const browser = world.api('browser')
    await browser.post('auth/login', credentials)
    const second = await browser.post('auth/2fa/authenticate', { code: code() })
    const stage = { id: 'mfa_trust', is_pending: true }
    expect(second).toHaveProperty('body.data.flows', expect.arrayContaining([stage]))
    expect((await browser.post('auth/2fa/trust', { trust: true })).status).toBe(200)
    await browser.delete('auth/session')
    expect((await browser.post('auth/login', credentials)).status).toBe(200)
    const app = world.api('app')
    await app.post('auth/login', credentials)
    expect((await app.post('auth/2fa/authenticate', { code: code() })).status).toBe(200)
  })
})

describe.each(testDatabases)('trust in browsers on %s', (_name, open) => {
  let world: MfaWorld
  afterEach(() => world.close())
  const begin = async (settings: AuthSettingsInput): Promise<At> => {
    world = await mfaWorld(open, settings)
    return { world, user: await world.addUser(ADA), browser: world.visitor() }
  }
  const confirm = async ({ browser }: At): Promise<string | null> =>
    (await browser.post(CODE, { code: await codeTo(world, ADA.email) })).location

  it('is not trusted if the feature is off, whatever its cookie', async () => {
    const trusting = await begin({ mfa: { trustEnabled: true } })
    await world.imported(trusting.user, 'totp', { secret: SECRET })
    await trust(trusting)
    const cookie = trusting.browser.cookies.get('mfa_trusted') ?? ''
    await world.close()
    const other = await begin({})
    await world.imported(other.user, 'totp', { secret: SECRET })
    other.browser.cookies.set('mfa_trusted', cookie)
    expect((await login(other)).location).toBe(STAGE)
    expect((await secondStep(other)).location).toBe(HOME)
  })

  it('covers a demanded login code, and nothing else with it', async () => {
    const ada = await begin({ account: { loginByCodeRequired: ['password'], loginByCodeTrustEnabled: true } })
    const { browser } = ada
    expect((await login(ada)).location).toBe(CODE)
    expect(await confirm(ada)).toBe(TRUST)
    expect((await browser.post(TRUST, { action: 'trust' })).location).toBe(HOME)
    await leave(ada)
    expect((await login(ada)).location).toBe(HOME)
    await leave(ada)
    await world.imported(ada.user, 'totp', { secret: SECRET })
    expect((await login(ada)).location).toBe(CODE)
    expect(await confirm(ada)).toBe(STAGE)
    expect((await secondStep(ada)).location).toBe(TRUST)
    await browser.post(TRUST, { action: 'trust' })
    await leave(ada)
    expect((await login(ada)).location).toBe(STAGE)
  })

  it('is not offered after a code that the visitor requested', async () => {
    const ada = await begin({ account: { loginByCodeEnabled: true, loginByCodeTrustEnabled: true } })
    await ada.browser.post('/accounts/login/code/', { email: ADA.email })
    expect(await confirm(ada)).toBe(HOME)
  })
})

interface At {
  readonly world: MfaWorld
  readonly user: User
  readonly browser: Visitor
}

const login = ({ browser, user }: At): Promise<Visited> => browser.login(user.username, PASSWORD)
const leave = ({ browser }: At): Promise<Visited> => browser.post('/accounts/logout/')

function secondStep({ browser, world }: At): Promise<Visited> {
  world.clock.advance(30_000)
  return browser.post(STAGE, { code: world.appCode(SECRET_URL) })
}

/** Signs in and has the browser trusted. */
async function trust(at: At): Promise<Visited> {
  await login(at)
  expect((await secondStep(at)).location).toBe(TRUST)
  return at.browser.post(TRUST, { action: 'trust' })
}

/** As the framework of old sites makes it. */
const signature = (salt: string, text: string): Buffer =>
  createHmac('sha256', createHash('sha256').update(`${salt}${TEST_KEY}`).digest())
    .update(text)
    .digest()
