import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCli } from '../cli/testing/test-io.ts'
import { browserSession } from '../testing/browser-session.ts'
import { startGatewayProcess, mailedLink, type GatewayProcess } from '../testing/crash/gateway-process.ts'

const PASSWORD = 'a made-up passphrase 7'
const NEW_PASSWORD = 'another made-up passphrase 8'

let folder: string
let gateway: GatewayProcess
const start = (): GatewayProcess =>
  startGatewayProcess({ GATEPOST_DATA_DIR: join(folder, 'data'), GATEPOST_PORT: '0', GATEPOST_LOG_LEVEL: 'debug' })
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatepost-first-'))
  gateway = start()
})
afterEach(async () => {
  await gateway.kill()
  await rm(folder, { recursive: true, force: true })
})

it('is set up, forgotten and found again by one person with a browser and a terminal', async () => {
  const url = await gateway.ready
  const browser = browserSession(url)
  const first = await gateway.firstAccountUrl
  const signup = (await browser.get(first)).location ?? ''
  const created = await browser.submit(signup, { email: 'ann@example.org', password1: PASSWORD, password2: PASSWORD })
  expect([created.status, created.location]).toEqual([302, '/console/welcome'])
  expect((await browser.get('/api/me')).json()).toMatchObject({ account: 'owner', user: { staff: true } })

  await browser.submit('/accounts/logout/')
  expect((await browser.get('/api/me')).status).toBe(401)

  await browser.submit('/accounts/password/reset/', { email: 'ann@example.org' })
  const link = await mailedLink(gateway, { to: 'ann@example.org', subject: 'Reset your password' })
  const form = (await browser.get(link)).location ?? ''
  const reset = await browser.submit(form, { password1: NEW_PASSWORD, password2: NEW_PASSWORD })
  expect(reset.status).toBe(302)

  const wrong = await browser.submit('/accounts/login/', { login: 'ann@example.org', password: PASSWORD })
  expect(wrong.status).toBe(200)
  await browser.submit('/accounts/login/', { login: 'ann@example.org', password: NEW_PASSWORD })
  expect((await browser.get('/api/channels')).status).toBe(200)

  const made = await browser.call('POST', '/api/tokens', { name: 'backup', scopes: ['channels:read'] })
  const { id, token } = made.json() as { id: string; token: string } // the shape of the route, held by its own test
  const withToken = async (): Promise<number> =>
    (await fetch(`${url}/api/channels`, { headers: { authorization: `Bearer ${token}` } })).status
  expect(await withToken()).toBe(200)
  const ownerToken = (await readFile(join(folder, 'data', 'api-token'), 'utf8')).trim()
  const cli = { url, env: { GATEPOST_TOKEN: ownerToken }, now: Date.now() }
  const listed = await runCli(['token', 'list'], cli)
  expect(listed.out).toMatch(new RegExp(`^backup +channels:read .*${id}$`, 'm'))
  expect(await runCli(['token', 'revoke', id], cli)).toMatchObject({ code: 0, out: 'Revoked.\n' })
  expect(await withToken()).toBe(401)

  await gateway.stop()
  const logs = join(folder, 'data', 'log')
  const kept = await Promise.all((await readdir(logs)).map((file) => readFile(join(logs, file), 'utf8')))
  const keys = [first, link, form].map((address) => address.split('/').at(-2) ?? '')
  const secrets = [...keys.filter((key) => key.length > 20), PASSWORD, NEW_PASSWORD, token, 'ann@example.org']
  expect(secrets.length).toBeGreaterThan(5)
  expect(secrets.filter((secret) => kept.join().includes(secret))).toEqual([])
})

it('replaces the link of a process that was killed, and keeps who has come', async () => {
  const path = new URL(await gateway.firstAccountUrl).pathname
  await gateway.kill()
  gateway = start()
  const url = await gateway.ready
  expect((await browserSession(url).get(path)).status).toBe(404)
  const browser = browserSession(url)
  const signup = (await browser.get(await gateway.firstAccountUrl)).location ?? ''
  await browser.submit(signup, { email: 'ann@example.org', password1: PASSWORD, password2: PASSWORD })
  await gateway.kill()
  gateway = start()
  const again = browserSession(await gateway.ready)
  for (const [name, value] of browser.cookies) again.cookies.set(name, value)
  expect((await again.get('/api/me')).json()).toMatchObject({ account: 'owner', kind: 'session' })
})
