import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type EmulatedPlatform, type RunningEmulator, startEmulators } from '@gatepost/emulators'
import { type CliRun, runCli } from '../cli/testing/test-io.ts'
import { type GatewayProcess, startGatewayProcess } from './crash/gateway-process.ts'

/** One real process of the service, and an emulator of each platform. */
export interface SixWorld extends AsyncDisposable {
  readonly dataDir: string
  readonly gateway: () => GatewayProcess
  readonly emulators: ReadonlyMap<EmulatedPlatform, RunningEmulator>
  control(platform: EmulatedPlatform): RunningEmulator['control']
  /** @param path Below `/api/channels`. */
  ask(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: unknown }>
  cli(...argv: string[]): Promise<CliRun>
  /** The platform's element of the list of channels. */
  entry(platform: EmulatedPlatform): Promise<Readonly<Record<string, unknown>>>
  /** Saves what the emulator's bot is connected with. */
  connect(platform: EmulatedPlatform): Promise<void>
  /** Ann writes directly, and has her answer. @returns the chat's id */
  converse(platform: EmulatedPlatform, text: string): Promise<string>
  /** SIGKILL, and a new process on the same folder. */
  killAndStart(): Promise<void>
}

export const ANN = { id: '4711', name: 'Ann' } as const

export async function startSixWorld(): Promise<SixWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-six-'))
  const running = await startEmulators()
  const emulators = new Map(running.map((emulator) => [emulator.platform, emulator]))
  const hosts = Object.assign({}, ...running.map(({ environment }) => environment)) as Record<string, string> // texts all
  const dataDir = join(folder, 'data')
  const settings = { ...hosts, GATEPOST_DATA_DIR: dataDir, GATEPOST_PORT: '0' }
  let gateway = startGatewayProcess(settings)
  let url = await gateway.ready
  const token = (await readFile(join(dataDir, 'api-token'), 'utf8')).trim()

  const control: SixWorld['control'] = (platform) => {
    const emulator = emulators.get(platform)
    if (!emulator) throw new Error(`no emulator of ${platform}`)
    return emulator.control
  }
  const ask: SixWorld['ask'] = async (method, path, body) => {
    const response = await fetch(`${url}/api/channels${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  }
  return {
    dataDir,
    gateway: () => gateway,
    emulators,
    control,
    ask,
    cli: (...argv) =>
      runCli(argv, { url, now: Date.now(), env: { GATEPOST_TOKEN: token, GATEPOST_DATA_DIR: dataDir } }),
    async entry(platform) {
      const { body } = await ask('GET', '')
      const { channels } = body as { channels: Record<string, unknown>[] } // the contract's shape, held by its own test
      return channels.find((one) => one['platform'] === platform) ?? {}
    },
    async connect(platform) {
      const answer = await ask('POST', `/${platform}`, (await control(platform).bot()).credentials)
      if (answer.status !== 200) throw new Error(`${platform}: ${JSON.stringify(answer)}`)
    },
    async converse(platform, text) {
      const after = (await control(platform).sent()).at(-1)?.sequence ?? 0
      const { chatId } = await control(platform).say({ from: ANN, text })
      for (let looks = 0; looks < 400; looks += 1) {
        const shown = await control(platform).waitForSent({ afterSequence: after, timeoutMs: 500 })
        if (shown.some((one) => one.text.includes(text) && !one.unfinished)) return chatId
      }
      throw new Error(`${platform} does not answer ${text}:\n${gateway.log.slice(-15).join('\n')}`)
    },
    async killAndStart() {
      await gateway.kill()
      gateway = startGatewayProcess(settings)
      url = await gateway.ready
    },
    async [Symbol.asyncDispose]() {
      await gateway.kill()
      await Promise.all(running.map((emulator) => emulator.close()))
      await rm(folder, { recursive: true })
    },
  }
}

/** The made-up secrets of an emulator's bot. */
export async function listSecrets(control: RunningEmulator['control']): Promise<readonly string[]> {
  const { credentials } = await control.bot()
  return Object.entries(credentials).flatMap(([name, value]) => (/secret|token/.test(name) ? [value] : []))
}

/** Waits until `isSo` returns true. @throws when it never does */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  await expect.poll(isSo).toBe(true)
}
