import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readRecoveryCodes, readPageData } from '../mfa/pages/testing-visits.ts'
import { readPath } from '../testing/api-bench.ts'
import type { ApiVisitor } from '../testing/api-visitor.ts'
import { softwareAuthenticator } from '../testing/authenticator.ts'
import { codeTo } from '../testing/effects/effect.ts'
import type { Visitor } from '../testing/visitor.ts'
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

const SECOND = 'second@example.org'
const NEW_PASSWORD = 'another made-up phrase'

/** Each step begins where the one before has ended. */
describe('the paths of the contract', () => {
  let walk: Walk
  let app: ApiVisitor
  let browser: Visitor
  beforeAll(async () => {
    walk = await startWalk({ account: { emailVerificationByCodeEnabled: true, passwordResetByCodeEnabled: true } })
    app = walk.api('app')
    browser = walk.visitor()
  })
  afterAll(() => walk.close())

  it('sign up, in and out', async () => {
    const signup = await app.post('/headless/signup/', CREDENTIALS)
    expect([signup.status, findPendingFlows(signup)]).toEqual([401, ['verify_email']])
    expect((await app.post('auth/email/verify', { key: await codeTo(walk.world, EMAIL) })).status).toBe(200)
    expect((await walk.rows()).addresses).toEqual([[EMAIL, true]])
    expect((await app.post('/headless/authentication/logout/')).status).toBe(401)
    expect((await walk.rows()).sessions).toEqual([])
    expect((await app.get('/headless/users/me/')).status).toBe(410)
    app.sessionToken = null
    expect((await app.post('/headless/authentication/login/', CREDENTIALS)).status).toBe(200)
    expect(readPath(await app.get('/headless/users/me/'), 'data.user.email')).toBe(EMAIL)
    expect((await walk.rows()).sessions).toEqual(['App/1.0'])
  })

  it('manage addresses', async () => {
    expect(findListItems(await app.get('/headless/emails/'), 'data')).toHaveLength(1)
    const added = await app.post('/headless/emails/', { email: SECOND })
    expect([added.status, findListItems(added, 'data').length]).toEqual([200, 2])
    const removed = await app.delete('/headless/emails/', { email: SECOND })
    expect([removed.status, findListItems(removed, 'data').length]).toEqual([200, 1])
    expect((await walk.rows()).addresses).toEqual([[EMAIL, true]])
  })

  it('change a password, do not set a second one, and reset it', async () => {
    const set = await app.post('/headless/password/set/', { new_password: NEW_PASSWORD })
    expect([set.status, readPath(set, 'errors.0.param')]).toEqual([400, 'current_password'])
    const passwords = { current_password: PASSWORD, new_password: NEW_PASSWORD }
    expect((await app.post('/headless/password/change/', passwords)).status).toBe(200)
    expect((await walk.api('app').post('/headless/authentication/login/', CREDENTIALS)).status).toBe(400)

    const forgetful = walk.api('app')
    const asked = await forgetful.post('/headless/password/reset/', { email: EMAIL })
    expect([asked.status, findPendingFlows(asked)]).toEqual([401, ['password_reset_by_code']])
    const key = await codeTo(walk.world, EMAIL)
    expect((await forgetful.post('auth/password/reset', { key, password: PASSWORD })).status).toBe(401)
    expect((await walk.api('app').post('/headless/authentication/login/', CREDENTIALS)).status).toBe(200)
  })

  it('set up an authenticator app on the pages', async () => {
    await browser.login(EMAIL, PASSWORD)
    const page = await browser.get('/mfa/totp/create/')
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('authenticator app')])
    const secret = /otpauth:[^"]*secret=([A-Z2-7]+)/.exec(page.html)?.[1] ?? ''
    const shown = createWalkTotpApp(walk.world, secret)
    expect((await browser.post('/mfa/totp/activate/', { code: shown() })).location).toBe(
      '/accounts/2fa/recovery-codes/',
    )
    expect((await walk.rows()).factors.map(([type]) => type)).toEqual(['totp', 'recovery_codes'])
  })

  it('make recovery codes, never by opening the page', async () => {
    const codes = async (): Promise<readonly string[]> =>
      readRecoveryCodes(await browser.get('/accounts/2fa/recovery-codes/'))
    const before = await codes()
    expect((await browser.get('/mfa/recovery_codes/generate/')).status).toBe(200)
    expect(before).toHaveLength(10)
    expect(await codes()).toEqual(before)
    expect((await browser.post('/mfa/recovery_codes/generate/')).status).toBe(302)
    expect(await codes()).not.toEqual(before)
  })

  it('add a security key on the pages', async () => {
    const { publicKey } = readPageData(await browser.get('/mfa/webauthn/create/'))
    const credential = JSON.stringify(softwareAuthenticator({ origin: walk.origin }).create(publicKey))
    expect((await browser.post('/mfa/webauthn/activate/', { name: 'Blue key', credential })).status).toBe(302)
    expect((await walk.rows()).factors.map(([type]) => type)).toEqual(['totp', 'recovery_codes', 'webauthn'])
    expect((await browser.get('/accounts/2fa/webauthn/')).text).toContain('Blue key')
  })
})
