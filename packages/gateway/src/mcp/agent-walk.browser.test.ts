import { type RunningEmulator, startEmulator } from '@gatepost/emulators'
import { launchBrowser, type TestBrowser } from '@gatepost/emulators/browser'
import { pageFaults } from '@gatepost/emulators/page-checks'
import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  StreamableHTTPClientTransport,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { spawnCli } from '../cli/testing/spawn-cli.ts'
import { type GatewayProcess, startGatewayProcess } from '../testing/crash/gateway-process.ts'

const PASSWORD = 'a lighthouse keeper 7'
const ANN = { id: '4711', name: 'Ann' } as const

let folder: string
let gateway: GatewayProcess
let telegram: RunningEmulator
let browser: TestBrowser
let url: string
let token: string
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatepost-agent-'))
  telegram = await startEmulator('telegram')
  const dataDir = join(folder, 'data')
  gateway = startGatewayProcess({
    GATEPOST_DATA_DIR: dataDir,
    GATEPOST_PORT: '0',
    ...telegram.environment,
    IDP_OIDC_DYNAMIC_CLIENT_REGISTRATION_ENABLED: 'true',
    IDP_OIDC_DEVICE_CODE_INTERVAL: '1',
  })
  url = await gateway.ready
  token = (await readFile(join(dataDir, 'api-token'), 'utf8')).trim()
})
afterEach(async () => {
  await browser.closePages()
  await gateway.kill()
  await telegram.close()
  await rm(folder, { recursive: true, force: true })
})

const press = async (page: Page, name: string): Promise<void> => {
  const button = page.getByRole('main').getByRole('button', { name, exact: true })
  await Promise.all([page.waitForEvent('load'), button.click()])
}

const seen = async (page: Page): Promise<string> => (await page.locator('body').innerText()).replaceAll(/\s+/g, ' ')

/** Creates the first account. @param origins Where its links may lead besides. */
async function signedUp(origins: readonly string[] = []): Promise<Page> {
  const page = await browser.open(await gateway.firstAccountUrl, { origins })
  await page.getByLabel('Email address').fill('ann@example.org')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByLabel('Confirm password').fill(PASSWORD)
  await press(page, 'Create account')
  return page
}

it('the command line signs in by a code that a person confirms, and signs out', async () => {
  const page = await signedUp()
  const home = join(folder, 'home')
  const env = { GATEPOST_DATA_DIR: home, NO_COLOR: '1' }
  const login = spawnCli(['login', '--url', url], env)
  const [, code = ''] = /enter the code (\S+):/.exec(await login.errLine('enter the code')) ?? []
  await page.goto((await login.errLine('/identity/o/device')).trim())
  expect(await pageFaults(page)).toEqual([])
  await page.getByLabel('Code').fill(code)
  await press(page, 'Continue')
  await page.getByLabel('Password').fill(PASSWORD)
  await press(page, 'Confirm')
  expect(await seen(page)).toContain('Gatepost command line')
  expect(await pageFaults(page)).toEqual([])
  await press(page, 'Connect')
  expect(await pageFaults(page)).toEqual([])
  expect([await login.ended, login.out()]).toEqual([
    0,
    `Signed in to ${url} as ann@example.org. Scopes: channels:read, channels:write, channels:send, account.\n`,
  ])
  const file = join(home, 'credentials.json')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const kept = JSON.parse(await readFile(file, 'utf8')) as { servers: Record<string, { access_token: string }> } // as it is written
  const bearer = { authorization: `Bearer ${kept.servers[url]?.access_token}` }
  expect(await (await fetch(`${url}/api/me`, { headers: bearer })).json()).toMatchObject({
    kind: 'client',
    account: 'owner',
  })
  const audit = await fetch(`${url}/api/audit`, { headers: { authorization: `Bearer ${token}` } })
  expect(await audit.json()).toMatchObject({
    items: expect.arrayContaining([
      expect.objectContaining({ action: 'client_allowed', actor: '1', target: 'client gatepost-cli', outcome: 'ok' }),
    ]),
  })
  const status = spawnCli(['status', '--url', url, '--json'], env)
  expect(await status.ended).toBe(0)
  const logout = spawnCli(['logout', '--url', url], env)
  expect([await logout.ended, logout.out()]).toEqual([0, `Signed out of ${url}.\n`])
  expect((await fetch(`${url}/api/me`, { headers: bearer })).status).toBe(401)
})

it('an agent that nobody knows registers, is allowed to send by a person, and reaches another one on Telegram', async () => {
  const ask = (path: string, body: unknown): Promise<Response> =>
    fetch(`${url}/api/channels/telegram${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  expect((await ask('', (await telegram.control.bot()).credentials)).status).toBe(200)
  await telegram.control.say({ from: ANN, text: 'hello' })
  await telegram.control.waitForSent({ afterSequence: 0, timeoutMs: 20_000 })

  const coming = Promise.withResolvers<URLSearchParams>()
  const app = createServer((request, response) => {
    coming.resolve(new URL(request.url ?? '', 'http://app').searchParams)
    response.end('You can close this window.')
  })
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
  const address = app.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const origin = `http://127.0.0.1:${address.port}`
  try {
    const provider = agentProvider(`${origin}/callback`)
    const connect = async (): Promise<Client> => {
      const client = new Client({ name: 'an agent', version: '1' })
      await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider: provider }))
      return client
    }
    await expect(connect()).rejects.toBeInstanceOf(UnauthorizedError)
    const page = await signedUp([origin])
    await page.goto(provider.asked?.href ?? '')
    expect(await seen(page)).toContain('An agent of tests')
    expect(await pageFaults(page)).toEqual([])
    await press(page, 'Allow')
    expect(page.url()).toContain(`${origin}/callback?`)
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider: provider })
    const params = await coming.promise
    await transport.finishAuth(params)

    const agent = await connect()
    const users = await agent.callTool({ name: 'list_users', arguments: { platform: 'telegram' } })
    expect(users.structuredContent).toMatchObject({ users: [{ user_id: ANN.id, name: ANN.name }] })
    const before = (await telegram.control.sent()).at(-1)?.sequence ?? 0
    const sent = await agent.callTool({
      name: 'send_message',
      arguments: { platform: 'telegram', message: 'The build is green.', user_id: ANN.id },
    })
    expect(sent.structuredContent).toMatchObject({ delivery_id: expect.any(String) })
    const shown = await telegram.control.waitForSent({ afterSequence: before, timeoutMs: 20_000 })
    expect(shown.map(({ text }) => text)).toEqual(['The build is green.'])
    await agent.close()
    // The token is for the tools alone (RFC 8707).
    const held = provider.held?.access_token ?? ''
    const api = await fetch(`${url}/api/channels`, { headers: { authorization: `Bearer ${held}` } })
    expect(api.status).toBe(401)
  } finally {
    await new Promise((resolve) => app.close(resolve))
  }
})

interface AgentProvider extends OAuthClientProvider {
  readonly asked: URL | null
  readonly held: StoredOAuthTokens | null
}

/** What an agent keeps of its authorization. */
function agentProvider(redirectUrl: string): AgentProvider {
  let asked: URL | null = null
  let held: StoredOAuthTokens | null = null
  let information: StoredOAuthClientInformation | undefined
  let verifier = ''
  let discovery: OAuthDiscoveryState | undefined
  return {
    redirectUrl,
    clientMetadata: {
      client_name: 'An agent of tests',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => information,
    saveClientInformation: (given) => void (information = given),
    tokens: () => held ?? undefined,
    saveTokens: (given) => void (held = given),
    redirectToAuthorization: (to) => void (asked = to),
    saveCodeVerifier: (given) => void (verifier = given),
    codeVerifier: () => verifier,
    saveDiscoveryState: (given) => void (discovery = given),
    discoveryState: () => discovery,
    get asked() {
      return asked
    },
    get held() {
      return held
    },
  }
}
