import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PlatformId } from '@gatepost/channels'
import type { EmulatedPlatform, RunningEmulator } from '@gatepost/emulators'
import type { GatewayConfig } from '../../config/config.ts'
import type { LineSink } from '../../log/log.ts'
import { type ApiClient, connect } from '../api.ts'
import { waitRunning } from './channel-view.ts'
import { type Command, PROGRAM } from '../command.ts'
import { CliError, EXIT, usageError } from '../exit-code.ts'
import type { Io } from '../io.ts'
import { terminalSink } from '../log-lines.ts'
import { assistantText, loadConfiguration, rethrowStartErrors } from './serve.ts'
import { jsonText, createPalette, plainLine, type Cell, pairs } from '../text.ts'

/** What to start. */
interface DemoOptions {
  /** Default: all. */
  readonly platforms?: readonly EmulatedPlatform[]
  /** Whether to connect every platform, leaving none for the visitor. */
  readonly connected: boolean
  /** Port of the service; 0: a free one. */
  readonly port: string
  /** Whether to keep the data folder. */
  readonly keep: boolean
  /** Instead of standard error. */
  readonly sink?: LineSink
}

interface Args {
  readonly platform: string | undefined
  readonly port: string | undefined
  readonly connected: boolean
  readonly keep: boolean
  readonly open: boolean
  readonly json: boolean
  readonly untilInputEnds: boolean
}

/** The command `gatepost demo`. */
export const demo: Command<Args> = {
  name: 'demo',
  summary: 'try every platform in the browser, without accounts and offline',
  examples: [`${PROGRAM} demo --open`, `${PROGRAM} demo --platform feishu`],
  args: {
    platform: { kind: 'value', placeholder: 'name', describe: 'this platform only (default: all six)' },
    port: { kind: 'value', placeholder: 'number', describe: 'port of the service (default: a free one)' },
    connected: { kind: 'flag', describe: 'connect every platform, leaving none to connect in the page' },
    keep: { kind: 'flag', describe: 'keep the data folder' },
    open: { kind: 'flag', describe: 'open the demo in the browser' },
    json: { kind: 'flag', describe: 'print the addresses and the log as JSON' },
    untilInputEnds: { kind: 'flag', describe: 'stop when standard input ends; for programs' },
  },
  async run(args, world) {
    const { port = '0', keep } = args
    if (!/^\d{1,5}$/.test(port)) throw usageError('--port must be a port number.')
    const platforms = args.platform === undefined ? undefined : [await toDemoPlatform(args.platform)]
    await using cleanup = new AsyncDisposableStack()
    const io = args.untilInputEnds ? { ...world, signal: signalOfInput(world.signal, cleanup) } : world
    const sink = io.err.isTty && !args.json ? terminalSink(io.err) : undefined
    const connected = args.connected || platforms !== undefined
    const options = { port, keep, connected, ...(platforms && { platforms }), ...(sink && { sink }) }
    const running = await startDemo(options, io, cleanup)
    io.out.write(args.json ? addresses(running) : welcome(running, keep, io))
    sink?.showAll()
    if (args.open) openInBrowser(running.enter)
    await untilAborted(io)
    return EXIT.ok
  },
}

async function toDemoPlatform(name: string): Promise<EmulatedPlatform> {
  const { PLATFORM_IDS, parsePlatformId } = await import('@gatepost/channels')
  const platform = parsePlatformId(name)
  if (platform === undefined) throw usageError(`--platform must be one of: ${PLATFORM_IDS.join(', ')}.`)
  return platform
}

/** Resolves on Ctrl-C or a termination signal. */
async function untilAborted({ signal, err }: Io): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  if (err.isTty) err.write('\n') // below the terminal's ^C
}

/** Returns a signal that also aborts when standard input ends, i.e. when the parent process is gone. */
function signalOfInput(signal: AbortSignal, cleanup: AsyncDisposableStack): AbortSignal {
  const input = process.stdin
  const ended = new AbortController()
  const end = (): void => ended.abort()
  // from the start, so that cleanup also covers an early end
  input.once('close', end).once('end', end).resume()
  cleanup.defer(() => void input.destroy()) // it would keep the process alive
  return AbortSignal.any([signal, ended.signal])
}

/** Platforms left for the visitor to connect by scanning a code. */
const FOR_VISITORS: ReadonlySet<EmulatedPlatform> = new Set(['feishu', 'weixin', 'dingtalk'])
/** Number of messages and events that an emulator keeps. */
const HISTORY = 2_000

/**
 * Starts emulators and a service, and connects them. `cleanup` stops everything in reverse order.
 * @throws {CliError} `start_failed` if no platform starts
 */
async function startDemo(options: DemoOptions, io: Io, cleanup: AsyncDisposableStack): Promise<Demo> {
  const serviceCode = import('../../serve.ts') // takes as long as the emulators do
  serviceCode.catch(() => undefined) // awaited below
  const dataDir = await mkdtemp(join(tmpdir(), 'gatepost-demo-'))
  if (!options.keep) cleanup.defer(() => rm(dataDir, { recursive: true, force: true }))
  const { startEmulators } = await import('@gatepost/emulators')
  const emulators = await startEmulators(options.platforms, { history: HISTORY })
  cleanup.defer(async () => void (await Promise.all(emulators.map((emulator) => emulator.close()))))
  const assistant = await demoAssistant(io.env, cleanup)
  const config = await loadConfiguration(demoEnvironment({ ...io.env, ...assistant }, emulators, dataDir, options.port))
  const { emulatedDemo } = await import('../../demo/emulated-demo.ts')
  const overrides = { demo: await emulatedDemo(emulators, io.clock), ...(options.sink && { sink: options.sink }) }
  const { startGateway } = await serviceCode
  const gateway = await rethrowStartErrors(() => startGateway(config, overrides))
  cleanup.defer(() => gateway.stop())
  const env = { GATEPOST_TOKEN: gateway.ownerToken.reveal() }
  const client = await connect({ url: gateway.url }, { ...io, env })
  const isLeft = ({ platform }: RunningEmulator): boolean => !options.connected && FOR_VISITORS.has(platform)
  const platforms = await Promise.all(
    emulators.map((emulator) =>
      isLeft(emulator) ? toWaitingPlatform(emulator) : connectPlatform(emulator, client, io),
    ),
  )
  if (io.signal.aborted) throw new CliError('interrupted', 'Interrupted.', { exit: EXIT.interrupted })
  if (!platforms.some(({ running }) => running))
    throw new CliError('start_failed', platforms[0]?.message ?? 'No channel of the demo started.')
  const { url, demoUrl } = gateway
  return { platforms, url, enter: demoUrl ?? url, dataDir, config, isOwnModel: assistant === null }
}

/** Starts the emulated model; `null` if the environment configures an assistant. */
async function demoAssistant(env: Io['env'], cleanup: AsyncDisposableStack): Promise<Io['env'] | null> {
  if (env['GATEPOST_ASSISTANT']) return null
  const { startChatModelEmulator, demoReply } = await import('@gatepost/emulators')
  const model = await startChatModelEmulator({ answer: demoReply, pieceMs: PIECE_MS })
  cleanup.defer(() => model.close())
  return {
    GATEPOST_ASSISTANT: 'openai',
    GATEPOST_ASSISTANT_BASE_URL: model.baseUrl,
    GATEPOST_ASSISTANT_MODEL: 'demo',
  }
}

/** Time per piece of a reply (about a word), at reading speed. */
const PIECE_MS = 55

const toWaitingPlatform = async ({ platform, label, page, info }: RunningEmulator): Promise<DemoPlatform> => ({
  platform,
  label,
  page,
  hasCodes: info.acts.length > 0,
  running: false,
  message: null,
})

/** Saves the emulated bot's credentials and waits until it runs. A failure doesn't affect other platforms. */
async function connectPlatform(emulator: RunningEmulator, client: ApiClient, io: Io): Promise<DemoPlatform> {
  const { platform, label, page } = emulator
  const { credentials, setup } = await emulator.control.bot()
  const found = { platform, label, page, hasCodes: setup !== undefined }
  try {
    await client.save(platform, credentials)
    const { running, message } = await waitRunning(client, platform, io)
    return { ...found, running, message: running ? null : (message ?? "The channel didn't start.") }
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    return { ...found, running: false, message: error.message }
  }
}

/** Returns the demo's environment. Of the user's settings, only the assistant's and the log level apply. */
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
    SESSION_COOKIE_NAME: SESSION_COOKIE,
  }
}

/** Cookies ignore ports, so the usual name would end the session of another service on this host. */
const SESSION_COOKIE = 'gatepost_demo'

/** Opens the desktop's browser, if there is one. */
function openInBrowser(url: string): void {
  const [command, args] =
    process.platform === 'darwin'
      ? ['open', [url]]
      : process.platform === 'win32'
        ? ['rundll32', ['url.dll,FileProtocolHandler', url]]
        : ['xdg-open', [url]]
  const child = spawn(command, args, { stdio: 'ignore', detached: true })
  child.on('error', () => undefined) // no browser; the address has been printed
  child.unref()
}

/** The addresses of a running demo. */
export interface Demo {
  /** In the order of the tabs; at least one. */
  readonly platforms: readonly DemoPlatform[]
  /** The service. */
  readonly url: string
  /** Address that signs the visitor in and shows all platforms side by side. */
  readonly enter: string
  readonly dataDir: string
  readonly config: GatewayConfig
  /** Whether the environment configures the assistant. */
  readonly isOwnModel: boolean
}

/** One platform of a demo. */
export interface DemoPlatform {
  readonly platform: PlatformId
  readonly label: string
  /** Page for chatting with the bot as a person. */
  readonly page: string
  readonly running: boolean
  /** Why it isn't running; `null`: it's running, or waiting for the visitor to connect it. */
  readonly message: string | null
  /** Whether it can be set up with a code that the page scans. */
  readonly hasCodes: boolean
}

/** Formats the demo's addresses as JSON. */
export const addresses = (demo: Demo): string =>
  jsonText({
    ok: true,
    enter: demo.enter,
    page: firstConversation(demo).page,
    url: demo.url,
    data_dir: demo.dataDir,
    platforms: demo.platforms.map(({ platform, page, running, message }) => ({ platform, page, running, message })),
  })

/** Returns the platform to start with. */
function firstConversation({ platforms }: Demo): DemoPlatform {
  const first = platforms.find(({ running }) => running) ?? platforms[0]
  if (!first) throw new Error('a demo has a platform')
  return first
}

/** Formats the demo's addresses and things to try, for a terminal. */
export function welcome(demo: Demo, keep: boolean, io: Io): string {
  const { platforms, url, enter, dataDir, config, isOwnModel } = demo
  const { bold, cyan, dim, yellow } = createPalette(io.out)
  const pageCell = ({ page, message }: DemoPlatform): Cell =>
    message === null ? { text: page, paint: cyan } : { text: `not running: ${plainLine(message)}`, paint: yellow }
  const facts: readonly (readonly [string, Cell])[] = [
    ...platforms.map((one) => [one.label, pageCell(one)] as const),
    ['Service', { text: url, paint: cyan }],
    ['Assistant', isOwnModel ? assistantText(config) : 'a small emulated model'],
    ['Data', keep ? dataDir : `${dataDir} (removed on exit)`],
  ]
  const first = firstConversation(demo)
  const isAlone = platforms.length === 1
  const place = isAlone ? `an emulator instead of ${first.label}` : 'emulators instead of the platforms'
  const scanned = scannable(platforms)
  const lines = [
    `${bold('The demo is running')}, with ${place}`,
    '',
    `${bold('1.')} Open this in your browser and send the bot a message:`,
    '',
    `   ${bold(enter)}`,
    '',
    `${bold('2.')} Then, in another terminal:`,
    '',
    ...commands(demo, scanned).map((line) => `   ${line}`),
    '',
    ...(scanned ? [`   To scan the code, use the button in the ${scanned.label} chat.`, ''] : []),
    dim(isAlone ? 'Addresses:' : 'Addresses, with a page for each platform:'),
    '',
    pairs(facts, io.out, '  ').trim(),
    '',
    dim('Press Ctrl-C to stop.'),
  ]
  return `\n${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n\n`
}

/** Returns the platform whose setup to suggest: Weixin, which only supports codes, or the first with codes. */
function scannable(platforms: readonly DemoPlatform[]): DemoPlatform | undefined {
  const able = platforms.filter(({ hasCodes, message }) => hasCodes && message === null)
  return able.find(({ platform }) => platform === 'weixin') ?? able[0]
}

/** Returns commands to try. */
function commands(demo: Demo, scanned: DemoPlatform | undefined): readonly string[] {
  const { platform } = firstConversation(demo)
  return [
    `export GATEPOST_PORT=${new URL(demo.url).port} GATEPOST_DATA_DIR=${demo.dataDir}`,
    `${PROGRAM} status`,
    `${PROGRAM} doctor`,
    `${PROGRAM} send ${platform} "Hello from the terminal"`,
    'curl -H "Authorization: Bearer $(cat $GATEPOST_DATA_DIR/api-token)" \\',
    `  ${demo.url}/api/channels`,
    ...(scanned ? [`${PROGRAM} setup ${scanned.platform}`] : []),
  ]
}
