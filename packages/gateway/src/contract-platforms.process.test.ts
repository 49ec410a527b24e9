import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EMULATED_PLATFORMS, type RunningEmulator, startEmulators } from '@gatepost/emulators'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CliRun, runCli } from './cli/testing/test-io.ts'
import { type GatewayProcess, startGatewayProcess } from './testing/crash/gateway-process.ts'

/** Every row of the contract that all platforms have, on each of them: one real process, six emulators. */

const ENTRY_FIELDS: Readonly<Record<string, readonly string[]>> = {
  feishu: ['app_id', 'domain', 'allowed_users'],
  wecom: ['bot_id'],
  weixin: ['has_token', 'base_url', 'allowed_users'],
  discord: ['has_token', 'allowed_users'],
  telegram: ['has_token', 'base_url', 'parse_mode', 'allowed_users'],
  dingtalk: ['client_id'],
}
const COMMON = ['platform', 'enabled', 'running', 'has_config']

let folder: string
let gateway: GatewayProcess
let url: string
let token: string
let emulators: ReadonlyMap<string, RunningEmulator>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatepost-six-'))
  const running = await startEmulators()
  emulators = new Map(running.map((emulator) => [emulator.platform, emulator]))
  const hosts = Object.assign({}, ...running.map(({ environment }) => environment)) as Record<string, string> // texts all
  gateway = startGatewayProcess({ ...hosts, GATEPOST_DATA_DIR: join(folder, 'data'), GATEPOST_PORT: '0' })
  url = await gateway.ready
  token = (await readFile(join(folder, 'data', 'api-token'), 'utf8')).trim()
}, 60_000)

afterAll(async () => {
  await gateway.kill()
  await Promise.all([...emulators.values()].map((emulator) => emulator.close()))
  await rm(folder, { recursive: true })
})

async function ask(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}/api/channels${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

async function entryOf(platform: string): Promise<Record<string, unknown>> {
  const { body } = await ask('GET', '')
  // the contract's shape; its fields are checked below
  const { channels } = body as { channels: Record<string, unknown>[] }
  const entry = channels.find((one) => one['platform'] === platform)
  if (!entry) throw new Error(`${platform} is not listed`)
  return entry
}

const cli = (...argv: string[]): Promise<CliRun> =>
  runCli(argv, { url, now: Date.now(), env: { GATEPOST_TOKEN: token, GATEPOST_DATA_DIR: join(folder, 'data') } })

describe.each(EMULATED_PLATFORMS)('%s', (platform) => {
  const control = (): RunningEmulator['control'] => {
    const emulator = emulators.get(platform)
    if (!emulator) throw new Error(`no emulator of ${platform}`)
    return emulator.control
  }
  /** Writes to the bot, and waits for the answer. @returns the chat's id */
  const converse = async (text: string): Promise<string> => {
    const shown = await control().sent()
    const { chatId } = await control().say({ from: { id: '4711', name: 'Ann' }, text })
    const after = shown.at(-1)?.sequence ?? 0
    for (let looks = 0; looks < 40; looks += 1) {
      const messages = await control().waitForSent({ afterSequence: after, count: 1, timeoutMs: 500 })
      if (messages.some((one) => one.text.includes(text) && !one.unfinished)) return chatId
    }
    throw new Error(`${platform} does not answer ${text}:\n${gateway.log.slice(-15).join('\n')}`)
  }
  const secrets = async (): Promise<readonly string[]> => {
    const { credentials } = await control().bot()
    return Object.entries(credentials).flatMap(([name, value]) => (/secret|token/.test(name) ? [value] : []))
  }

  it('is set up, and its entry has exactly the fields of the contract', async () => {
    expect(Object.keys(await entryOf(platform)).toSorted()).toEqual(
      [...COMMON, ...(ENTRY_FIELDS[platform] ?? [])].toSorted(),
    )
    const { credentials } = await control().bot()
    expect(await ask('POST', `/${platform}`, credentials)).toEqual({ status: 200, body: { ok: true } })
    const entry = await entryOf(platform)
    expect(entry).toMatchObject({ platform, enabled: true, running: true, has_config: true })
    expect(Object.keys(entry).toSorted()).toEqual([...COMMON, ...(ENTRY_FIELDS[platform] ?? [])].toSorted())
    const shown = JSON.stringify(entry)
    expect((await secrets()).filter((secret) => shown.includes(secret))).toEqual([])
    const file = join(folder, 'data', 'accounts', 'owner', 'channels.yml')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it('knows nobody before somebody has written', async () => {
    expect(await ask('POST', `/${platform}/send`, { message: 'hello' })).toMatchObject({
      status: 503,
      body: { ok: false, code: 'no_known_users' },
    })
  })

  it('answers a chat, and sends to its only user', async () => {
    await converse('the first words')
    expect(await ask('POST', `/${platform}/send`, { message: 'a **reminder**' })).toEqual({
      status: 200,
      body: { ok: true },
    })
    expect((await control().sent()).at(-1)?.text).toContain('reminder')
    const run = await cli('send', platform, 'from the terminal')
    expect([run.code, run.err]).toEqual([0, ''])
    expect((await control().sent()).at(-1)?.text).toContain('from the terminal')
  })

  it('is disabled and enabled again', async () => {
    expect(await ask('DELETE', `/${platform}`)).toEqual({ status: 200, body: { ok: true } })
    expect(await entryOf(platform)).toMatchObject({ enabled: false, running: false, has_config: true })
    expect(await ask('POST', `/${platform}/send`, { message: 'hello' })).toMatchObject({
      status: 400,
      body: { ok: false, code: 'not_running' },
    })
    expect(await ask('POST', `/${platform}`, { enabled: true })).toEqual({ status: 200, body: { ok: true } })
    expect(await entryOf(platform)).toMatchObject({ enabled: true, running: true })
    await converse('once more')
  })

  it('survives that its connections are cut', async () => {
    await control().dropConnections()
    // what is said in between some platforms hand over late, and WeCom never
    await until(async () => !(await control().bot()).connected, 1_000)
    await until(async () => (await control().bot()).connected, 30_000)
    await converse('after the cut')
  })

  it('is found healthy by the doctor', async () => {
    const { body } = await ask('GET', `/${platform}/doctor`)
    const { checks } = body as { checks: { id: string; status: string; detail: string }[] } // the route's own shape
    expect(checks.filter(({ status }) => status === 'fail')).toEqual([])
    expect(checks.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['config_readable', 'credentials_present', 'log_today']),
    )
    const shown = JSON.stringify(checks)
    expect((await secrets()).filter((secret) => shown.includes(secret))).toEqual([])
  })

  it('refuses credentials that the platform does not know, in its own words, and keeps the old ones', async () => {
    const { credentials } = await control().bot()
    const wrong = Object.fromEntries(
      Object.entries(credentials).map(([name, value]) => [name, /secret|token/.test(name) ? twisted(value) : value]),
    )
    const answer = await ask('POST', `/${platform}`, wrong)
    expect(answer).toMatchObject({ status: 422, body: { ok: false, code: 'credentials_rejected' } })
    expect((await entryOf(platform))['has_config']).toBe(true)
    await converse('still the old ones')
  })
})

it('logs no secret of any platform', async () => {
  const log = gateway.log.join('\n')
  for (const { control } of emulators.values()) {
    const { credentials } = await control.bot()
    const secrets = Object.entries(credentials).flatMap(([name, value]) => (/secret|token/.test(name) ? [value] : []))
    expect(secrets.filter((secret) => log.includes(secret))).toEqual([])
  }
})

/** Looks again and again until it is so, or `withinMs` are over. */
async function until(so: () => Promise<boolean>, withinMs: number): Promise<void> {
  const untilMs = Date.now() + withinMs
  while (Date.now() < untilMs && !(await so())) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** Another secret of the same form. */
const twisted = (secret: string): string => secret.slice(0, -3) + (secret.endsWith('abc') ? 'xyz' : 'abc')
