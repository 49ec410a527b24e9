import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ApiClient, connect } from './api.ts'
import { CliError, EXIT } from './exit-code.ts'
import { configurationOf, started } from './run-gateway.ts'
import { waitRunning } from './wait-running.ts'
import type { GatewayConfig } from '../config/config.ts'
import type { LineSink } from '../log/log.ts'
import type { EmulatedPlatform, RunningEmulator } from '@gatepost/emulators'
import type { Io } from './io.ts'

/** What is started. */
export interface DemoOptions {
  /** All of them, when it is not given. */
  readonly platforms?: readonly EmulatedPlatform[]
  /** Port of the service; 0: a free one. */
  readonly port: string
  /** Whether the data folder outlives the demo. */
  readonly keep: boolean
  /** Instead of standard error. */
  readonly sink?: LineSink
}

/** Where everything of a running demo is. */
export interface Demo {
  /** In the order of the tabs, one at least. */
  readonly platforms: readonly DemoPlatform[]
  /** The service. */
  readonly url: string
  readonly dataDir: string
  readonly config: GatewayConfig
}

/** One platform of a demo. */
export interface DemoPlatform {
  readonly platform: EmulatedPlatform
  readonly label: string
  /** The page on which one writes to the bot as a person. */
  readonly page: string
  readonly running: boolean
  /** Why it does not run. */
  readonly message: string | null
  /** Whether it can be set up by a code, which the page scans. */
  readonly hasCodes: boolean
}

/**
 * Starts emulators and a service, and connects them. Everything that is started is handed to `cleanup`, which ends it in
 * reverse.
 * @throws {CliError} `start_failed` when no platform comes up
 */
export async function startDemo(options: DemoOptions, io: Io, cleanup: AsyncDisposableStack): Promise<Demo> {
  const serviceCode = import('../serve.ts') // takes as long as the emulators do
  serviceCode.catch(() => undefined) // awaited below
  const dataDir = await mkdtemp(join(tmpdir(), 'gatepost-demo-'))
  if (!options.keep) cleanup.defer(() => rm(dataDir, { recursive: true, force: true }))
  const { startEmulators } = await import('@gatepost/emulators')
  const emulators = await startEmulators(options.platforms)
  cleanup.defer(async () => void (await Promise.all(emulators.map((emulator) => emulator.close()))))
  const config = await configurationOf(demoEnvironment(io.env, emulators, dataDir, options.port))
  const { startGateway } = await serviceCode
  const gateway = await started(() => startGateway(config, options.sink ? { sink: options.sink } : {}))
  cleanup.defer(() => gateway.stop())
  const env = { GATEPOST_TOKEN: gateway.ownerToken.reveal() }
  const client = await connect({ url: gateway.url }, { ...io, env })
  const platforms = await Promise.all(emulators.map((emulator) => connected(emulator, client, io)))
  if (io.signal.aborted) throw new CliError('interrupted', 'Interrupted.', { exit: EXIT.interrupted })
  if (!platforms.some(({ running }) => running))
    throw new CliError('start_failed', platforms[0]?.message ?? 'No channel of the demo comes up.')
  return { platforms, url: gateway.url, dataDir, config }
}

/** Saves the emulated bot as a person would, and waits until it receives. One that fails leaves the others alone. */
async function connected(emulator: RunningEmulator, client: ApiClient, io: Io): Promise<DemoPlatform> {
  const { platform, label, page } = emulator
  const { credentials, setup } = await emulator.control.bot()
  const found = { platform, label, page, hasCodes: setup !== undefined }
  try {
    await client.save(platform, credentials)
    const { running, message } = await waitRunning(client, platform, io)
    return { ...found, running, message: running ? null : (message ?? 'The channel does not come up.') }
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    return { ...found, running: false, message: error.message }
  }
}

/** Of the person's own settings only those of the assistant count: the demo touches nothing else of theirs. */
function demoEnvironment(
  env: Io['env'],
  emulators: readonly RunningEmulator[],
  dataDir: string,
  port: string,
): Io['env'] {
  const kept = Object.entries(env).filter(
    ([name]) => name.startsWith('GATEPOST_ASSISTANT') || name === 'GATEPOST_LOG_LEVEL',
  )
  const hosts = emulators.flatMap(({ environment }) => Object.entries(environment))
  return {
    ...Object.fromEntries([...kept, ...hosts]),
    GATEPOST_HOST: '127.0.0.1',
    GATEPOST_PORT: port,
    GATEPOST_DATA_DIR: dataDir,
  }
}
