import { testDatabases } from '@gatepost/sql/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ApiVisitor } from '../testing/api-visitor.ts'
import { readPath, readPublicKeyOptions } from '../testing/api-bench.ts'
import { type SoftwareAuthenticator, softwareAuthenticator } from '../testing/authenticator.ts'
import { codeTo } from '../testing/effects/effect.ts'
import {
  createWalkTotpApp,
  CREDENTIALS,
  EMAIL,
  findListItems,
  PASSWORD,
  findPendingFlows,
  startWalk,
  type Walk,
} from './testing/walk.ts'

const TOTP = 'account/authenticators/totp'
const CODES = 'account/authenticators/recovery-codes'
const KEYS = 'account/authenticators/webauthn'
const PERIOD_MS = 30_000

/** Each step begins where the one before has ended. */
describe.each(testDatabases)('a person with an app, on %s', (_name, open) => {
  let walk: Walk
  let app: ApiVisitor
  let browser: ApiVisitor
  let device: SoftwareAuthenticator
  let shown: () => string
  let codes: readonly string[]
  beforeAll(async () => {
    walk = await startWalk({ account: { emailVerificationByCodeEnabled: true } }, open)
    app = walk.api('app')
    browser = walk.api('browser')
    device = softwareAuthenticator({ origin: walk.origin })
  })
  afterAll(() => walk.close())

  it('signs up, and is not in before the address is verified', async () => {
    const answer = await app.post('auth/signup', CREDENTIALS)
    expect([answer.status, findPendingFlows(answer)]).toEqual([401, ['verify_email']])
    expect(answer.headers.getSetCookie()).toEqual([])
    expect(await walk.rows()).toMatchObject({ addresses: [[EMAIL, false]], sessions: [], listed: 0 })
  })

  it('verifies it by the code of the mail, and is in', async () => {
    const wrong = await app.post('auth/email/verify', { key: 'WRNG-CODE' })
    expect([wrong.status, readPath(wrong, 'errors.0.code')]).toEqual([400, 'incorrect_code'])
    const first = app.sessionToken
    const answer = await app.post('auth/email/verify', { key: await codeTo(walk.world, EMAIL) })
    expect([answer.status, readPath(answer, 'data.user.email')]).toEqual([200, EMAIL])
    expect(app.sessionToken).not.toBe(first)
    expect(await walk.rows()).toMatchObject({ addresses: [[EMAIL, true]], sessions: ['App/1.0'], listed: 1 })
  })

  it('adds an authenticator app after reauthentication', async () => {
    const offered = await app.get(TOTP)
    expect(offered.status).toBe(404)
    const secret = String(readPath(offered, 'meta.secret'))
    shown = createWalkTotpApp(walk.world, secret)
    expect((await app.post(TOTP, { code: '000000' })).status).toBe(400)
    const refused = await app.post(TOTP, { code: shown() })
    expect([refused.status, readPath(refused, 'meta.is_authenticated')]).toEqual([401, true])
    expect(readPath(refused, 'data.flows')).toEqual([{ id: 'reauthenticate' }])
    expect((await walk.rows()).factors).toEqual([])

    expect((await app.post('auth/reauthenticate', { password: PASSWORD })).status).toBe(200)
    const added = await app.post(TOTP, { code: shown() })
    expect([added.status, readPath(added, 'data.type'), readPath(added, 'meta.recovery_codes_generated')]).toEqual([
      200,
      'totp',
      true,
    ])
    expect((await walk.rows()).factors.map(([type]) => type)).toEqual(['totp', 'recovery_codes'])
    const stored = await walk.world.auth.kernel.database.db.selectFrom('mfa_authenticator').select('data').execute()
    expect(JSON.stringify(stored)).not.toContain(secret)
    codes = findListItems(await app.get(CODES), 'data.unused_codes').map(String)
    expect(codes).toHaveLength(10)
  })

  const signOut = async (): Promise<void> => {
    expect((await app.delete('auth/session')).status).toBe(401)
    expect((await app.get('auth/session')).status).toBe(410)
    expect((await walk.rows()).sessions).toEqual([])
    app.sessionToken = null
  }
  const startLogin = async (): Promise<void> => {
    const login = await app.post('auth/login', CREDENTIALS)
    expect([login.status, findPendingFlows(login)]).toEqual([401, ['mfa_authenticate']])
  }

  it('signs in with it, also by the code that set it up, but only once by each code', async () => {
    await signOut()
    await startLogin()
    expect((await app.post('auth/2fa/authenticate', { code: shown() })).status).toBe(200)
    await signOut()
    await startLogin()
    expect((await app.post('auth/2fa/authenticate', { code: shown() })).status).toBe(400)
    expect((await walk.rows()).sessions).toEqual([])
    walk.world.clock.advance(PERIOD_MS)
    const answer = await app.post('auth/2fa/authenticate', { code: shown() })
    expect([answer.status, readPath(answer, 'data.methods.1')]).toMatchObject([200, { method: 'mfa', type: 'totp' }])
    expect((await app.get('auth/session')).status).toBe(200)
    expect(await walk.rows()).toMatchObject({
      factors: [
        ['totp', true],
        ['recovery_codes', false],
      ],
      sessions: ['App/1.0'],
    })
  })

  it('signs in with a recovery code, which counts once', async () => {
    const second = walk.api('app')
    await second.post('auth/login', CREDENTIALS)
    expect((await second.post('auth/2fa/authenticate', { code: codes[0] })).status).toBe(200)
    expect(await walk.rows()).toMatchObject({ usedCodes: 1, sessions: ['App/1.0', 'App/1.0'] })
    expect(readPath(await second.get(CODES), 'data.unused_code_count')).toBe(9)
    await second.delete('auth/session')

    const third = walk.api('app')
    await third.post('auth/login', CREDENTIALS)
    expect((await third.post('auth/2fa/authenticate', { code: codes[0] })).status).toBe(400)
    expect(await walk.rows()).toMatchObject({ usedCodes: 1, sessions: ['App/1.0'] })
  })

  it('adds a passkey, and signs in with it alone', async () => {
    const options = await app.get(`${KEYS}?passwordless`)
    const credential = device.create(readPublicKeyOptions(options))
    const added = await app.post(KEYS, { name: 'Phone', credential })
    expect([added.status, readPath(added, 'data')]).toMatchObject([200, { name: 'Phone', is_passwordless: true }])
    expect((await walk.rows()).factors.at(-1)).toEqual(['webauthn', false])
    await app.delete('auth/session')

    app.sessionToken = null
    const request = await app.get('auth/webauthn/login')
    const answer = await app.post('auth/webauthn/login', { credential: device.get(readPublicKeyOptions(request)) })
    expect([answer.status, readPath(answer, 'data.user.email')]).toEqual([200, EMAIL])
    expect(readPath(answer, 'data.methods')).toMatchObject([{ method: 'mfa', type: 'webauthn', passwordless: true }])
    expect(await walk.rows()).toMatchObject({ sessions: ['App/1.0'], listed: 1 })
    expect((await walk.rows()).factors.at(-1)).toEqual(['webauthn', true])
  })

  it('cannot have the app trusted, but a browser', async () => {
    expect((await app.post('auth/2fa/trust', { trust: true })).status).toBe(404)
    walk.world.clock.advance(PERIOD_MS)
    await browser.post('auth/login', CREDENTIALS)
    const asked = await browser.post('auth/2fa/authenticate', { code: shown() })
    expect([asked.status, findPendingFlows(asked)]).toEqual([401, ['mfa_trust']])
    expect((await walk.rows()).sessions).toEqual(['App/1.0'])
    expect((await browser.post('auth/2fa/trust', { trust: true })).status).toBe(200)
    expect((await walk.rows()).sessions).toEqual(['App/1.0', 'Browser/1.0'])

    expect((await browser.delete('auth/session')).status).toBe(401)
    expect((await browser.post('auth/login', CREDENTIALS)).status).toBe(200)
    const other = walk.api('browser')
    expect(findPendingFlows(await other.post('auth/login', CREDENTIALS))).toEqual(['mfa_authenticate'])
  })

  it('ends the session of the app from the browser', async () => {
    const listed = await browser.get('auth/sessions')
    expect(findListItems(listed, 'data')).toMatchObject([
      { user_agent: 'Browser/1.0', is_current: true },
      { user_agent: 'App/1.0', is_current: false },
    ])
    const left = await browser.delete('auth/sessions', { sessions: [readPath(listed, 'data.1.id')] })
    expect([left.status, findListItems(left, 'data')]).toEqual([200, [readPath(listed, 'data.0')]])
    expect(await walk.rows()).toMatchObject({ sessions: ['Browser/1.0'], listed: 1 })
    const over = await app.get('account/email')
    expect([over.status, readPath(over, 'meta.is_authenticated')]).toEqual([410, false])
    expect((await browser.get('auth/session')).status).toBe(200)
  })
})
