import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { appClient } from '../testing/app-client.ts'
import { browserSession } from '../testing/browser-session.ts'
import { startGatewayProcess, mailedLink, type GatewayProcess } from '../testing/crash/gateway-process.ts'
import { totpCode } from '../testing/accounts-world.ts'

const EMAIL = 'ann@example.org'
const PASSWORD = 'a made-up passphrase 7'
const LATER_MS = 30_000

let folder: string
let gateway: GatewayProcess
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatepost-factors-'))
  gateway = startGatewayProcess({
    GATEPOST_DATA_DIR: join(folder, 'data'),
    GATEPOST_PORT: '0',
    GATEPOST_LOG_LEVEL: 'debug',
    // A code is of the time at which it is computed, or of the next period: it must still be good when it arrives.
    MFA_TOTP_TOLERANCE: '10',
  })
})
afterEach(async () => {
  await gateway.kill()
  await rm(folder, { recursive: true, force: true })
})

it('are set up by one person on the pages, and asked of her in the browser and in an app', async () => {
  const url = await gateway.ready
  const browser = browserSession(url)
  const signup = (await browser.get(await gateway.firstAccountUrl)).location ?? ''
  await browser.submit(signup, { email: EMAIL, password1: PASSWORD, password2: PASSWORD })
  await browser.submit(await mailedLink(gateway, { to: EMAIL, subject: 'Verify your email address' }))
  await browser.submit('/accounts/reauthenticate/', { password: PASSWORD })
  const page = await browser.get('/accounts/2fa/totp/activate/')
  const secret = /\b[A-Z2-7]{32}\b/.exec(page.text)?.[0] ?? ''
  expect(page.text).toContain('<svg')
  const added = await browser.submit('/accounts/2fa/totp/activate/', { code: totpCode(secret, Date.now()) })
  expect(added.location).toBe('/accounts/2fa/recovery-codes/')
  const codes = (await browser.get('/accounts/2fa/recovery-codes/')).text.match(/\b\d{8}\b/g) ?? []
  expect(codes).toHaveLength(10)

  await browser.submit('/accounts/logout/')
  const asked = await browser.submit('/accounts/login/', { login: EMAIL, password: PASSWORD })
  expect([asked.location, (await browser.get('/api/me')).status]).toEqual(['/accounts/2fa/authenticate/', 401])
  await browser.submit('/accounts/2fa/authenticate/', { code: totpCode(secret, Date.now() + LATER_MS) })
  await browser.submit('/accounts/2fa/trust/', { action: 'none' })
  expect((await browser.get('/api/me')).json()).toMatchObject({ second_factors: ['recovery_codes', 'totp'] })

  const app = appClient(url)
  const pending = await app.call('POST', 'auth/login', { email: EMAIL, password: PASSWORD })
  expect(pending).toMatchObject({ status: 401, body: { data: { flows: expect.arrayContaining([PENDING]) } } })
  const me = async (): Promise<number> =>
    (await fetch(`${url}/api/me`, { headers: { 'x-session-token': app.token() ?? '' } })).status
  expect(await me()).toBe(401)
  const given = await app.call('POST', 'auth/2fa/authenticate', { code: codes[0] })
  expect([given.status, await me()]).toEqual([200, 200])
  const { body } = await app.call('GET', 'auth/sessions')
  const others = (body.data as readonly { id: number; is_current: boolean }[]).filter(({ is_current: own }) => !own) // as the API has it
  expect(others).toHaveLength(1)
  await app.call('DELETE', 'auth/sessions', { sessions: others.map(({ id }) => id) })
  expect([(await browser.get('/api/me')).status, await me()]).toEqual([401, 200])

  const ownerToken = (await readFile(join(folder, 'data', 'api-token'), 'utf8')).trim()
  const audit = await fetch(`${url}/api/audit?limit=5`, { headers: { authorization: `Bearer ${ownerToken}` } })
  expect(await audit.json()).toMatchObject({
    items: [{ action: 'session_ended' }, { action: 'user_logged_in' }, {}, {}, {}],
  })
  const metrics = await (await fetch(`${url}/metrics`)).text()
  expect(metrics).toContain('route="account_api",status="200"')
  expect(metrics).not.toContain('_allauth')

  await gateway.stop()
  const logs = join(folder, 'data', 'log')
  const kept = (await Promise.all((await readdir(logs)).map((file) => readFile(join(logs, file), 'utf8')))).join()
  const secrets = [secret, PASSWORD, EMAIL, app.token() ?? '', ...codes, ...browser.cookies.values()]
  expect(secrets.filter((text) => text.length < 8 || kept.includes(text))).toEqual([])
})

const PENDING = expect.objectContaining({ id: 'mfa_authenticate', is_pending: true })
