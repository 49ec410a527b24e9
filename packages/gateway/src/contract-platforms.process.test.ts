import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { EMULATED_PLATFORMS, type RunningEmulator } from '@gatepost/emulators'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { listSecrets, type SixWorld, startSixWorld, until } from './testing/six-world.ts'

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

let world: SixWorld
beforeAll(async () => {
  world = await startSixWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

describe.each(EMULATED_PLATFORMS)('%s', (platform) => {
  const control = (): RunningEmulator['control'] => world.control(platform)
  const converse = (text: string): Promise<string> => world.converse(platform, text)
  const ask: SixWorld['ask'] = (...args) => world.ask(...args)

  it('is set up, and its entry has exactly the fields of the contract', async () => {
    expect(Object.keys(await world.entry(platform)).toSorted()).toEqual(
      [...COMMON, ...(ENTRY_FIELDS[platform] ?? [])].toSorted(),
    )
    const { credentials } = await control().bot()
    expect(await ask('POST', `/${platform}`, credentials)).toEqual({ status: 200, body: { ok: true } })
    const entry = await world.entry(platform)
    expect(entry).toMatchObject({ platform, enabled: true, running: true, has_config: true })
    expect(Object.keys(entry).toSorted()).toEqual([...COMMON, ...(ENTRY_FIELDS[platform] ?? [])].toSorted())
    const shown = JSON.stringify(entry)
    expect((await listSecrets(control())).filter((secret) => shown.includes(secret))).toEqual([])
    const file = join(world.dataDir, 'accounts', 'owner', 'channels.yml')
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
    const run = await world.cli('send', platform, 'from the terminal')
    expect([run.code, run.err]).toEqual([0, ''])
    expect((await control().sent()).at(-1)?.text).toContain('from the terminal')
  })

  it('is disabled and enabled again', async () => {
    expect(await ask('DELETE', `/${platform}`)).toEqual({ status: 200, body: { ok: true } })
    expect(await world.entry(platform)).toMatchObject({ enabled: false, running: false, has_config: true })
    expect(await ask('POST', `/${platform}/send`, { message: 'hello' })).toMatchObject({
      status: 400,
      body: { ok: false, code: 'not_running' },
    })
    expect(await ask('POST', `/${platform}`, { enabled: true })).toEqual({ status: 200, body: { ok: true } })
    expect(await world.entry(platform)).toMatchObject({ enabled: true, running: true })
    await converse('once more')
  })

  it('survives that its connections are cut', async () => {
    await control().dropConnections()
    // what is said in between some platforms hand over late, and WeCom never
    const isLost = async (): Promise<boolean> => !(await control().bot()).connected
    await vi.waitUntil(isLost, { timeout: 5_000, interval: 5 }).catch(() => {}) // it may be back between two looks
    await until(async () => (await control().bot()).connected)
    await converse('after the cut')
    expect(await world.entry(platform)).toMatchObject({ running: true })
  })

  it('is found healthy by the doctor', async () => {
    const { body } = await ask('GET', `/${platform}/doctor`)
    const { checks } = body as { checks: { id: string; status: string; detail: string }[] } // the route's own shape
    expect(checks.filter(({ status }) => status === 'fail')).toEqual([])
    expect(checks.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['config_readable', 'credentials_present', 'log_today']),
    )
    const shown = JSON.stringify(checks)
    expect((await listSecrets(control())).filter((secret) => shown.includes(secret))).toEqual([])
  })

  it('refuses credentials that the platform does not know, in its own words, and keeps the old ones', async () => {
    const { credentials } = await control().bot()
    const wrong = Object.fromEntries(
      Object.entries(credentials).map(([name, value]) => [name, /secret|token/.test(name) ? twisted(value) : value]),
    )
    const answer = await ask('POST', `/${platform}`, wrong)
    expect(answer).toMatchObject({ status: 422, body: { ok: false, code: 'credentials_rejected' } })
    expect((await world.entry(platform))['has_config']).toBe(true)
    await converse('still the old ones')
  })
})

it('logs no secret of any platform', async () => {
  const log = world.gateway().log.join('\n')
  for (const { control } of world.emulators.values()) {
    const secrets = await listSecrets(control)
    expect(secrets.filter((secret) => log.includes(secret))).toEqual([])
  }
})

/** Another secret of the same form. */
const twisted = (secret: string): string => secret.slice(0, -3) + (secret.endsWith('abc') ? 'xyz' : 'abc')
