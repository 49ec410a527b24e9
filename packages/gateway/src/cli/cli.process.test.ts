import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectTelegramControl, DEFAULT_BOT, startTelegramEmulator } from '@gatepost/emulators'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { firstJson, runSpawned, spawnCli, type SpawnedCli } from './testing/spawn-cli.ts'

let folder: string
const running: SpawnedCli[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatepost-cli-'))
})
afterEach(async () => {
  for (const cli of running.splice(0)) {
    cli.process.kill('SIGKILL')
    await cli.ended
  }
  await rm(folder, { recursive: true, force: true })
})

const start = (args: readonly string[], env: Readonly<Record<string, string>>): SpawnedCli => {
  const cli = spawnCli(args, env)
  running.push(cli)
  return cli
}

/** A port that nothing listens on. */
async function freePort(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return String(address.port)
}

const field = (json: string, name: string): string => {
  const value: unknown = JSON.parse(json)
  return typeof value === 'object' && value !== null
    ? String(Object.entries(value).find(([key]) => key === name)?.[1])
    : ''
}

describe('without a server', () => {
  it('status says that nothing is configured and exits with 3', async () => {
    const env = { GATEPOST_PORT: await freePort(), GATEPOST_DATA_DIR: folder }
    const run = await runSpawned(['status'], env)
    expect(run).toMatchObject({ code: 3, out: '' })
    expect(run.err).toContain('Nothing is configured: no Gatepost server is running')
    expect(run.err).not.toContain('\u001b')
    const json = await runSpawned(['status', '--json'], env)
    expect([json.code, field(json.out, 'code'), json.err]).toEqual([3, 'unreachable', ''])
  })

  it('serve names every setting that is wrong and exits with 2', async () => {
    const run = await runSpawned(['serve'], {
      GATEPOST_PORT: 'x',
      GATEPOST_LOG_LEVEL: 'loud',
      GATEPOST_DATA_DIR: folder,
    })
    expect(run.code).toBe(2)
    expect(run.err).toMatch(/GATEPOST_PORT must be/)
    expect(run.err).toMatch(/GATEPOST_LOG_LEVEL must be/)
  })

  it('serve says in one sentence that the port is taken', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const address = taken.address()
    const port = typeof address === 'object' && address !== null ? String(address.port) : ''
    const run = await runSpawned(['serve'], { GATEPOST_PORT: port, GATEPOST_DATA_DIR: folder })
    taken.close()
    expect(run.code).toBe(1)
    expect(run.err).toMatch(/^Error: .*already in use/m)
    expect(run.err).not.toMatch(/\n\s+at /)
  })
})

describe('with a server', () => {
  it('every step of a first channel works from the command line', async () => {
    const emulator = await startTelegramEmulator()
    try {
      const env = { GATEPOST_PORT: await freePort(), GATEPOST_DATA_DIR: join(folder, 'data') }
      const server = start(['serve'], { ...env, GATEPOST_TELEGRAM_API_URL: emulator.url })
      await server.errLine('Gatepost is ready')
      const g = (...args: string[]) => runSpawned(args, env)

      expect((await g('status')).out).toContain('Nothing is configured.')
      expect(await g('enable', 'telegram')).toMatchObject({ code: 1, err: expect.stringContaining('setup telegram') })

      const wrong = await runSpawned(['setup', 'telegram', '--token-stdin'], env, `1:${'x'.repeat(35)}`)
      expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('Unauthorized') })
      const setup = await runSpawned(['setup', 'platform_e', '--token-stdin'], env, `${DEFAULT_BOT.token}\n`)
      expect(setup).toMatchObject({ code: 0, out: expect.stringContaining('telegram is running as') })

      expect(await g('send', 'telegram', 'Hello')).toMatchObject({
        code: 1,
        err: expect.stringContaining('must message'),
      })
      await emulator.control.say({ from: { id: 42, first_name: 'Ann' }, text: 'ping' })
      await emulator.control.waitForSent({ count: 1 })
      expect(await g('send', 'telegram', '**Hello** Ann')).toMatchObject({ code: 0, out: 'Sent to Ann.\n' })
      const shown = await emulator.control.sent({ chatId: 42 })
      expect(JSON.stringify(shown.at(-1))).toContain('Hello Ann')
      expect((await g('messages', 'telegram')).out).toMatch(/ping +answered/)
      expect((await g('deliveries', 'telegram')).out).toMatch(/Hello.*delivered/)

      const examined = await g('doctor')
      expect(examined).toMatchObject({ code: 0, out: expect.stringContaining('Passed with 1 warning.') })
      expect(examined.out).toMatch(/warn +Mail +Mail is only printed to the terminal/)
      expect(await g('reconfigure', 'telegram', '--allowed-users', '42,77')).toMatchObject({ code: 0 })
      expect((await g('status', 'telegram')).out).toMatch(/Replies to +only 42, 77/)
      expect(await g('disable', 'telegram')).toMatchObject({ code: 0 })
      expect(await g('send', 'telegram', 'Hi', '--user', '42')).toMatchObject({
        code: 1,
        err: expect.stringContaining('enable telegram'),
      })
      expect(await g('enable', 'telegram')).toMatchObject({ code: 0 })
      expect(await runSpawned(['status'], { ...env, GATEPOST_TOKEN: 'wrong' })).toMatchObject({ code: 4 })

      server.process.kill('SIGTERM')
      expect(await server.ended).toBe(0)
      expect(server.out()).toMatch(/^Create the first account .*: http:\S+\/accounts\/invitation\/\S+\n$/)
      expect(server.err()).not.toContain('/invitation/')
      for (const line of server.err().split('\n')) expect(() => void JSON.parse(line)).not.toThrow()
      expect(server.err()).not.toContain(DEFAULT_BOT.token)
    } finally {
      await emulator.close()
    }
  })
})

describe('demo', () => {
  it('answers in the chat, works from the command line, and leaves nothing behind', async () => {
    const demo = start(['demo', '--platform', 'telegram', '--json'], { TMPDIR: folder })
    await demo.errLine('Gatepost is ready')
    const addresses = await firstJson(demo)
    expect(JSON.parse(addresses)).toMatchObject({ ok: true })
    const dataDir = field(addresses, 'data_dir')
    const page = new URL(field(addresses, 'page'))
    const env = { GATEPOST_PORT: new URL(field(addresses, 'url')).port, GATEPOST_DATA_DIR: dataDir }

    const control = connectTelegramControl(page.origin)
    await control.say({ from: { id: 7, first_name: 'Bo' }, text: 'anyone there?' })
    expect(JSON.stringify(await control.waitForSent({ count: 1 }))).toContain('anyone there?')
    expect(await runSpawned(['send', 'telegram', 'From the terminal'], env)).toMatchObject({
      code: 0,
      out: 'Sent to Bo.\n',
    })
    expect((await stat(dataDir)).mode & 0o077).toBe(0)
    expect((await readFile(join(dataDir, 'api-token'), 'utf8')).trim()).not.toBe('')

    demo.process.kill('SIGINT')
    expect(await demo.ended).toBe(0)
    expect(existsSync(dataDir)).toBe(false)
  })
})
