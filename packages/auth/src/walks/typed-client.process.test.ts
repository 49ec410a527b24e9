import { testDatabases } from '@gatepost/sql/testing'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type AppClient, appClient } from '../headless/client/app-client.ts'
import { type BrowserClient, browserClient } from '../headless/client/browser-client.ts'
import { createPasskey, getPasskey } from '../headless/client/passkeys.ts'
import { type MemoryStorage, memoryStorage } from '../headless/client/testing/client-world.ts'
import { softwareAuthenticator } from '../testing/authenticator.ts'
import { cookieJar } from '../testing/cookie-jar.ts'
import { codeTo } from '../testing/effects/effect.ts'
import { browserCredentials } from './testing/browser-credentials.ts'
import { createWalkTotpApp, CREDENTIALS, EMAIL, PASSWORD, startWalk, type Walk } from './testing/walk.ts'

const PERIOD_MS = 30_000

/** The answer, if it has this status. */
function expectResponseStatus<A extends { readonly status: number }, S extends A['status']>(
  answer: A,
  status: S,
): Extract<A, { readonly status: S }> {
  expect(answer.status).toBe(status)
  return answer as Extract<A, { readonly status: S }> // as was just checked
}

/** What a page does, in a browser that keeps cookies. */
function pageClient(walk: Walk): BrowserClient {
  const jar = cookieJar()
  return browserClient({
    baseUrl: `${walk.origin}/_allauth`,
    readCookies: () => jar.header(),
    async fetch(url, init) {
      const headers = new Headers(init.headers)
      if (init.credentials === 'include' && jar.cookies.size > 0) headers.set('cookie', jar.header())
      const response = await fetch(url, { ...init, headers })
      jar.keep(response.headers)
      return response
    },
  })
}

const listPendingFlows = (client: AppClient | BrowserClient): readonly string[] =>
  (client.authentication()?.flows ?? []).filter((flow) => 'is_pending' in flow && flow.is_pending).map(({ id }) => id)

/** Each step begins where the one before has ended. */
describe.each(testDatabases)('a person with the typed client, on %s', (_name, open) => {
  let walk: Walk
  let storage: MemoryStorage
  let app: AppClient
  let page: BrowserClient
  let shown: () => string
  let codes: readonly string[]
  beforeAll(async () => {
    walk = await startWalk({ account: { emailVerificationByCodeEnabled: true } }, open)
    const device = softwareAuthenticator({ origin: walk.origin })
    vi.stubGlobal('navigator', { credentials: browserCredentials(device) })
    storage = memoryStorage()
    app = anotherApp(storage)
    page = pageClient(walk)
  })
  afterAll(async () => {
    vi.unstubAllGlobals()
    await walk.close()
  })
  const anotherApp = (tokens = memoryStorage()): AppClient =>
    appClient({ baseUrl: `${walk.origin}/_allauth`, storage: tokens, now: () => walk.world.clock.now() })

  it('signs up, and verifies the address by the code of the mail', async () => {
    expectResponseStatus(await app.signup(CREDENTIALS), 401)
    expect(listPendingFlows(app)).toEqual(['verify_email'])
    expect((await walk.rows()).addresses).toEqual([[EMAIL, false]])
    const verified = expectResponseStatus(await app.verifyEmail({ key: await codeTo(walk.world, EMAIL) }), 200)
    expect(verified.data.user.email).toBe(EMAIL)
    expect(app.authentication()).toMatchObject({ isAuthenticated: true, user: { email: EMAIL } })
    expect(await walk.rows()).toMatchObject({ addresses: [[EMAIL, true]], listed: 1 })
  })

  it('adds an authenticator app', async () => {
    shown = createWalkTotpApp(walk.world, expectResponseStatus(await app.getTotp(), 404).meta.secret)
    const refused = expectResponseStatus(await app.activateTotp({ code: shown() }), 401)
    expect(refused.data.flows.map(({ id }) => id)).toEqual(['reauthenticate'])
    expectResponseStatus(await app.reauthenticate({ password: PASSWORD }), 200)
    const added = expectResponseStatus(await app.activateTotp({ code: shown() }), 200)
    expect(added.meta?.recovery_codes_generated).toBe(true)
    expect((await walk.rows()).factors.map(([type]) => type)).toEqual(['totp', 'recovery_codes'])
    codes = expectResponseStatus(await app.getRecoveryCodes(), 200).data.unused_codes ?? []
    expect(codes).toHaveLength(10)
  })

  it('signs in with it', async () => {
    expectResponseStatus(await app.logout(), 401)
    expect([storage.tokens.size, (await walk.rows()).sessions]).toEqual([0, []])
    walk.world.clock.advance(PERIOD_MS)
    expectResponseStatus(await app.login(CREDENTIALS), 401)
    expect(listPendingFlows(app)).toEqual(['mfa_authenticate'])
    const wrong = expectResponseStatus(await app.authenticateByCode({ code: '000000' }), 400)
    expect(wrong.errors.map(({ code, param }) => [code, param])).toEqual([['incorrect_code', 'code']])
    expectResponseStatus(await app.authenticateByCode({ code: shown() }), 200)
    expect((await walk.rows()).factors).toEqual([
      ['totp', true],
      ['recovery_codes', false],
    ])
    expect((await walk.rows()).sessions).toHaveLength(1)
  })

  it('signs in with a recovery code, which counts once', async () => {
    const [code = ''] = codes
    const second = anotherApp()
    await second.login(CREDENTIALS)
    expectResponseStatus(await second.authenticateByCode({ code }), 200)
    expect((await walk.rows()).usedCodes).toBe(1)
    expect(expectResponseStatus(await second.getRecoveryCodes(), 200).data.unused_codes).toEqual(codes.slice(1))
    expectResponseStatus(await second.logout(), 401)
    await second.login(CREDENTIALS)
    expectResponseStatus(await second.authenticateByCode({ code }), 400)
    expect((await walk.rows()).sessions).toHaveLength(1)
  })

  it('adds a passkey, and signs in with it alone', async () => {
    const creation = expectResponseStatus(await app.getWebauthnCreation({ passwordless: true }), 200)
    const credential = await createPasskey(creation.data.creation_options)
    const added = expectResponseStatus(await app.addWebauthn({ name: 'Phone', credential }), 200)
    expect(added.data).toMatchObject({ name: 'Phone', is_passwordless: true })
    expect((await walk.rows()).factors.at(-1)).toEqual(['webauthn', false])
    expectResponseStatus(await app.logout(), 401)

    const request = expectResponseStatus(await app.getWebauthnLogin(), 200)
    expectResponseStatus(await app.loginByWebauthn({ credential: await getPasskey(request.data.request_options) }), 200)
    expect(app.authentication()?.methods).toMatchObject([{ method: 'mfa', type: 'webauthn', passwordless: true }])
    expect((await walk.rows()).factors.at(-1)).toEqual(['webauthn', true])
    expect((await walk.rows()).sessions).toHaveLength(1)
  })

  it('has a browser trusted', async () => {
    expect('trustBrowser' in app).toBe(false)
    walk.world.clock.advance(PERIOD_MS)
    expectResponseStatus(await page.login(CREDENTIALS), 401)
    expectResponseStatus(await page.authenticateByCode({ code: shown() }), 401)
    expect(listPendingFlows(page)).toEqual(['mfa_trust'])
    expectResponseStatus(await page.trustBrowser({ trust: true }), 200)
    expectResponseStatus(await page.logout(), 401)
    expectResponseStatus(await page.login(CREDENTIALS), 200)
    expect((await walk.rows()).sessions).toHaveLength(2)
    expectResponseStatus(await pageClient(walk).login(CREDENTIALS), 401)
  })

  it('ends the session of the app from the browser', async () => {
    const told: boolean[] = []
    app.onChange(({ isAuthenticated }) => told.push(isAuthenticated))
    const { data } = expectResponseStatus(await page.listSessions(), 200)
    expect(data.map(({ is_current }) => is_current)).toEqual([true, false])
    const sessions = data.filter(({ is_current }) => !is_current).map(({ id }) => id)
    expect(expectResponseStatus(await page.endSessions({ sessions }), 200).data).toHaveLength(1)
    expect(await walk.rows()).toMatchObject({ listed: 1, sessions: [expect.any(String)] })
    expectResponseStatus(await app.listEmails(), 410)
    expect([storage.tokens.size, told]).toEqual([0, [false]])
    expectResponseStatus(await page.getSession(), 200)
  })
})
