import { readConfig } from './config/config.ts'
import { type Gateway, startGateway } from './serve.ts'
import { runGateway } from './run.ts'
import { StartError } from './server/errors.ts'
import { DEFAULT_BOT, startTelegramEmulator } from '@gatepost/emulators'
import { EventEmitter } from 'node:events'
import fs from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Clock } from '@gatepost/channels'

/** A guard against hangs. */
const HANG_MS = 60_000
const BOT_TOKEN = `123456789:${'AbC-d_'.repeat(6)}`

let root: string
let lines: string[]
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gatepost-'))
  lines = []
})
afterEach(() => rm(root, { recursive: true }))

const overrides = {
  sink: { write: (line: string) => void lines.push(line), flush: () => {}, close: () => {} },
  /** The platform rejects every token, and repeats it in its answer as a careless server would. */
  fetch: async () =>
    Response.json({ ok: false, error_code: 401, description: `Unauthorized ${BOT_TOKEN}` }, { status: 401 }),
}
const createConfig = (env: Readonly<Record<string, string>> = {}): ReturnType<typeof readConfig> =>
  readConfig({ GATEPOST_DATA_DIR: join(root, 'data'), GATEPOST_PORT: '0', GATEPOST_LOG_LEVEL: 'debug', ...env })

async function files(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.map((entry) => join(entry.parentPath, entry.name))
}

describe('the whole service', () => {
  let gateway: Gateway
  beforeEach(async () => {
    gateway = await startGateway(createConfig(), overrides)
  })
  afterEach(() => gateway.stop())

  const call = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(gateway.url + path, {
      ...init,
      headers: { authorization: `Bearer ${gateway.ownerToken.reveal()}`, 'content-type': 'application/json' },
    })

  it('is ready, lists all six platforms, and lets nobody in without the token of its file', async () => {
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200)
    const token = (await readFile(join(root, 'data', 'api-token'), 'utf8')).trim()
    expect(token).toBe(gateway.ownerToken.reveal())
    const listed = await call('/api/channels')
    expect(await listed.json()).toMatchObject({
      channels: ['feishu', 'wecom', 'weixin', 'discord', 'telegram', 'dingtalk'].map((platform) => ({
        platform,
        enabled: false,
        running: false,
        has_config: false,
      })),
    })
    expect((await fetch(`${gateway.url}/api/channels`)).status).toBe(401)
  })

  const errors: readonly [method: string, path: string, body: unknown, status: number, code: string][] = [
    ['POST', 'telegram', { enabled: true }, 404, 'no_credentials'],
    ['POST', 'telegram', { bot_token: 'nonsense' }, 422, 'credentials_invalid'],
    ['POST', 'telegram', { bot_token: BOT_TOKEN }, 422, 'credentials_rejected'],
    ['POST', 'telegram/test', { bot_token: BOT_TOKEN }, 422, 'credentials_rejected'],
    ['POST', 'telegram', { bot_token: BOT_TOKEN, colour: 1 }, 422, 'credentials_invalid'],
    ['POST', 'telegram/send', { message: 'hi' }, 400, 'not_running'],
    ['POST', 'discord', { bot_token: 'x' }, 422, 'credentials_invalid'],
  ]
  it.each(errors)('%s %s %j', async (method, path, body, status, code) => {
    const answer = await call(`/api/channels/${path}`, { method, body: JSON.stringify(body) })
    expect([answer.status, await answer.json()]).toMatchObject([status, { ok: false, code }])
  })

  it('shows no secret in any answer, header, log line or file of its log, and no file to others', async () => {
    const secrets = [BOT_TOKEN, BOT_TOKEN.slice(10), gateway.ownerToken.reveal()]
    const seen: string[] = []
    const paths = ['', '/telegram', '/telegram/users', '/telegram/messages', '/telegram/deliveries', '/telegram/doctor']
    for (const path of paths) seen.push(await whole(await call(`/api/channels${path}`)))
    for (const body of [{ bot_token: BOT_TOKEN }, { bot_token: `x${BOT_TOKEN}` }, { [BOT_TOKEN]: 1 }, [BOT_TOKEN]]) {
      for (const path of ['/telegram', '/telegram/test', '/telegram/send']) {
        const answer = await call(`/api/channels${path}`, { method: 'POST', body: JSON.stringify(body) })
        // A name that a client made up is told back to that client alone.
        if (!Object.hasOwn(body, BOT_TOKEN)) seen.push(await whole(answer))
      }
    }
    for (const path of ['/', '/api/docs', '/api/openapi.json', '/metrics', '/readyz'])
      seen.push(await whole(await call(path)))
    gateway.log.error('Deliberate', { error: new Error(`https://api.telegram.org/bot${BOT_TOKEN}/getMe`) })
    await gateway.stop()
    const data = join(root, 'data')
    for (const file of await files(join(data, 'log'))) seen.push(await readFile(file, 'utf8'))
    seen.push(...lines)
    expect(seen.length).toBeGreaterThan(20)
    expect(secrets.filter((secret) => seen.some((text) => text.includes(secret)))).toEqual([])
    expect(seen.some((text) => text.includes('bot****/getMe'))).toBe(true)
    const modes = await Promise.all(
      [data, ...(await files(data))].map(async (path) => [path, (await stat(path)).mode & 0o077]),
    )
    expect(modes.filter(([, others]) => others !== 0)).toEqual([])
  })

  it('stops once, in good order, and can be started again on the same folder', async () => {
    await Promise.all([gateway.stop(), gateway.stop()])
    await expect(fetch(`${gateway.url}/healthz`)).rejects.toThrow()
    const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg) // as the log writes them
    expect(messages.filter((message) => /ready|stop/.test(message))).toEqual([
      'Gatepost is ready',
      'Gatepost is stopping',
      'Gatepost has stopped',
    ])
    const token = gateway.ownerToken.reveal()
    gateway = await startGateway(createConfig(), overrides)
    expect(gateway.ownerToken.reveal()).toBe(token)
  })

  it('says in one sentence that the port is taken, and leaves nothing running', async () => {
    const port = new URL(gateway.url).port
    const config = createConfig({ GATEPOST_PORT: port, GATEPOST_DATA_DIR: join(root, 'other') })
    const failed = startGateway(config, overrides)
    await expect(failed).rejects.toThrow(StartError)
    await expect(failed).rejects.toThrow(
      /^http:\/\/127\.0\.0\.1:\d+ is already in use\. .* GATEPOST_PORT to another port\.$/,
    )
  })
})

const whole = async (answer: Response): Promise<string> =>
  `${JSON.stringify([...answer.headers])} ${await answer.text()}`

describe('a run', () => {
  class Host extends EventEmitter {
    readonly exits: number[] = []
    stopping = false
    exit(code: number): void {
      this.exits.push(code)
    }
  }

  it.each(['SIGTERM', 'SIGINT'])('stops in good order on %s and takes its listeners away', async (signal) => {
    const host = new Host()
    const code = await runGateway(createConfig(), { process: host, overrides, onReady: () => host.emit(signal) })
    expect([code, host.exits, host.eventNames()]).toEqual([0, [], []])
    expect(lines.at(-1)).toContain('Gatepost has stopped')
  })

  it('exits at once on a second signal', async () => {
    const host = new Host()
    const onReady = (): void => {
      host.emit('SIGINT')
      host.emit('SIGINT')
    }
    await runGateway(createConfig(), { process: host, overrides, onReady })
    expect(host.exits).toEqual([130])
  })

  it('logs what nobody caught, and ends', async () => {
    const host = new Host()
    const onReady = (): void => {
      host.emit('uncaughtException', new Error('nobody caught this'))
      host.emit('SIGTERM')
    }
    await runGateway(createConfig(), { process: host, overrides, onReady })
    expect(host.exits).toEqual([1])
    expect(lines.filter((line) => line.includes('nobody caught this'))).toHaveLength(1)
  })

  it('ends when the disk fails, and confirms no message that it may have lost', async () => {
    const emulator = await startTelegramEmulator()
    onTestFinished(() => emulator.close())
    const { control, url } = emulator
    const env = { GATEPOST_TELEGRAM_API_URL: url, GATEPOST_ASSISTANT: 'echo' }
    const ready = Promise.withResolvers<Gateway>()
    const { sink } = overrides
    const run = runGateway(createConfig(env), { process: new Host(), overrides: { sink }, onReady: ready.resolve })
    const { channels } = await ready.promise
    await channels.save({ accountId: 'owner' }, 'telegram', { bot_token: DEFAULT_BOT.token })
    await vi.waitFor(async () => expect((await control.bots())[0]?.polling).toBe(true), HANG_MS)
    const synced = vi.spyOn(fs, 'fdatasync').mockImplementationOnce((_file, done) => {
      done(Object.assign(new Error('EIO: i/o error'), { code: 'EIO' }))
    })
    onTestFinished(() => synced.mockRestore())
    await control.say({ from: { id: 42, first_name: 'Ann' }, text: 'hello' })
    expect(await run).toBe(1)
    expect((await control.updates()).confirmed).toEqual([])
    expect(await control.sent()).toEqual([])
    expect(lines.filter((line) => line.includes("Couldn't sync the database to disk"))).toHaveLength(1)
  })

  it('does not wait for ever for what does not end', async () => {
    const host = new Host()
    const asked: number[] = []
    const clock: Clock = {
      now: Date.now,
      sleep(ms, sleeping) {
        if (host.stopping) asked.push(ms)
        // the time of a stop is over at once; nothing else needs the time
        if (host.stopping && ms === 10_000) return Promise.resolve()
        return new Promise((resolve) => sleeping?.addEventListener('abort', () => resolve(), { once: true }))
      },
    }
    const onReady = (gateway: Gateway): void => {
      gateway.channels.stop = () => new Promise(() => {})
      host.stopping = true
      host.emit('SIGTERM')
    }
    const code = await runGateway(createConfig(), { process: host, overrides: { ...overrides, clock }, onReady })
    expect([code, host.exits]).toEqual([1, [1]])
    expect(asked).toContain(10_000)
  })
})
