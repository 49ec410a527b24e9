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
import { type Cell, pairs } from '../table.ts'
import { jsonText, createPalette, plainLine } from '../text.ts'

/** What is started. */
interface DemoOptions {
  /** All of them, when it is not given. */
  readonly platforms?: readonly EmulatedPlatform[]
  /** Whether no platform is left for the visitor to connect. */
  readonly connected: boolean
  /** Port of the service; 0: a free one. */
  readonly port: string
  /** Whether the data folder outlives the demo. */
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

export const demo: Command<Args> = {
  name: 'demo',
  summary: 'try every platform in the browser, without an account and without the internet',
  examples: [`${PROGRAM} demo --open`, `${PROGRAM} demo --platform feishu`],
  args: {
    platform: { kind: 'value', placeholder: 'name', describe: 'this platform only (default: all six)' },
    port: { kind: 'value', placeholder: 'number', describe: 'port of the service (default: a free one)' },
    connected: { kind: 'flag', describe: 'connect every platform: leave none to be scanned in the page' },
    keep: { kind: 'flag', describe: 'keep the data folder at the end' },
    open: { kind: 'flag', describe: 'open it in the browser' },
    json: { kind: 'flag', describe: 'print the addresses as JSON, and JSON log lines' },
    untilInputEnds: { kind: 'flag', describe: 'end when standard input does: for programs' },
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
  const { PLATFORM_IDS, platformNamed } = await import('@gatepost/channels')
  const platform = platformNamed(name)
  if (platform === undefined) throw usageError(`--platform must be one of: ${PLATFORM_IDS.join(', ')}.`)
  return platform
}

/** Resolves at Ctrl-C or a request to end. */
async function untilAborted({ signal, err }: Io): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  if (err.isTty) err.write('\n') // below the terminal's ^C
}

/** Aborts also when nobody holds the other end of the pipe any more: whoever started this has ended. */
function signalOfInput(signal: AbortSignal, cleanup: AsyncDisposableStack): AbortSignal {
  const input = process.stdin
  const ended = new AbortController()
  const end = (): void => ended.abort()
  // from the start on: what has been begun by then is removed
  input.once('close', end).once('end', end).resume()
  cleanup.defer(() => void input.destroy()) // it would keep the process alive
  return AbortSignal.any([signal, ended.signal])
}

/** Platforms that the visitor connects, by scanning: in the order of the page every other one. */
const FOR_VISITORS: ReadonlySet<EmulatedPlatform> = new Set(['feishu', 'weixin', 'dingtalk'])
/** Messages and events that an emulator keeps. */
const HISTORY = 2_000

/**
 * Starts emulators and a service, and connects them. Everything that is started is handed to `cleanup`, which ends it in
 * reverse.
 * @throws {CliError} `start_failed` when no platform comes up
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
    throw new CliError('start_failed', platforms[0]?.message ?? 'No channel of the demo comes up.')
  const { url, demoUrl } = gateway
  return { platforms, url, enter: demoUrl ?? url, dataDir, config, isOwnModel: assistant === null }
}

/** The emulated model, unless the person has named an assistant of their own: then `null`. */
async function demoAssistant(env: Io['env'], cleanup: AsyncDisposableStack): Promise<Io['env'] | null> {
  if (env['GATEPOST_ASSISTANT']) return null
  const { startChatModelEmulator, visitorAnswer } = await import('@gatepost/emulators')
  const model = await startChatModelEmulator({ answer: visitorAnswer, pieceMs: READING_MS })
  cleanup.defer(() => model.close())
  return {
    GATEPOST_ASSISTANT: 'openai',
    GATEPOST_ASSISTANT_BASE_URL: model.baseUrl,
    GATEPOST_ASSISTANT_MODEL: 'demo',
  }
}

/** Time of a piece of an answer, about a word, as fast as one likes to read. */
const READING_MS = 55

const toWaitingPlatform = async ({ platform, label, page, info }: RunningEmulator): Promise<DemoPlatform> => ({
  platform,
  label,
  page,
  hasCodes: info.acts.length > 0,
  running: false,
  message: null,
})

/** Saves the emulated bot as a person would, and waits until it receives. One that fails leaves the others alone. */
async function connectPlatform(emulator: RunningEmulator, client: ApiClient, io: Io): Promise<DemoPlatform> {
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
    SESSION_COOKIE_NAME: SESSION_COOKIE,
  }
}

/** Browsers tell ports of a host not apart: under the usual name it would end the session at a service beside it. */
const SESSION_COOKIE = 'gatepost_demo'

/** Asks the desktop; where there is none, the address is on the screen anyway. */
function openInBrowser(url: string): void {
  const [command, args] =
    process.platform === 'darwin'
      ? ['open', [url]]
      : process.platform === 'win32'
        ? ['rundll32', ['url.dll,FileProtocolHandler', url]]
        : ['xdg-open', [url]]
  const child = spawn(command, args, { stdio: 'ignore', detached: true })
  child.on('error', () => undefined) // no browser here: the address has been printed
  child.unref()
}

/** Where everything of a running demo is. */
export interface Demo {
  /** In the order of the tabs, one at least. */
  readonly platforms: readonly DemoPlatform[]
  /** The service. */
  readonly url: string
  /** Signs a visitor in, and shows all platforms side by side. */
  readonly enter: string
  readonly dataDir: string
  readonly config: GatewayConfig
  /** Whether the person has named an assistant of their own. */
  readonly isOwnModel: boolean
}

/** One platform of a demo. */
export interface DemoPlatform {
  readonly platform: PlatformId
  readonly label: string
  /** The page on which one writes to the bot as a person. */
  readonly page: string
  readonly running: boolean
  /** Why it does not run; `null`: it runs, or waits to be connected. */
  readonly message: string | null
  /** Whether it can be set up by a code, which the page scans. */
  readonly hasCodes: boolean
}

/** Where everything is, for a script. */
export const addresses = (demo: Demo): string =>
  jsonText({
    ok: true,
    enter: demo.enter,
    page: firstConversation(demo).page,
    url: demo.url,
    data_dir: demo.dataDir,
    platforms: demo.platforms.map(({ platform, page, running, message }) => ({ platform, page, running, message })),
  })

/** The platform to begin with. */
function firstConversation({ platforms }: Demo): DemoPlatform {
  const first = platforms.find(({ running }) => running) ?? platforms[0]
  if (!first) throw new Error('a demo has a platform')
  return first
}

/** Where everything is and what to try, for a person. */
export function welcome(demo: Demo, keep: boolean, io: Io): string {
  const { platforms, url, enter, dataDir, config, isOwnModel } = demo
  const { bold, cyan, dim, yellow } = createPalette(io.out)
  const pageCell = ({ page, message }: DemoPlatform): Cell =>
    message === null ? { text: page, paint: cyan } : { text: `does not run: ${plainLine(message)}`, paint: yellow }
  const facts: readonly (readonly [string, Cell])[] = [
    ...platforms.map((one) => [one.label, pageCell(one)] as const),
    ['Service', { text: url, paint: cyan }],
    ['Assistant', isOwnModel ? assistantText(config) : 'a small model that is emulated, too'],
    ['Data', keep ? dataDir : `${dataDir} (removed at the end)`],
  ]
  const first = firstConversation(demo)
  const isAlone = platforms.length === 1
  const place = isAlone ? `an emulator in place of ${first.label}` : 'emulators in place of the platforms'
  const scanned = scannable(platforms)
  const lines = [
    `${bold('The demo is running')}, with ${place}`,
    '',
    `${bold('1.')} Open this in your browser, and say something to the bot:`,
    '',
    `   ${bold(enter)}`,
    '',
    `${bold('2.')} Then, in another terminal:`,
    '',
    ...commands(demo, scanned).map((line) => `   ${line}`),
    '',
    ...(scanned ? [`   The code is scanned by the button in the chat of ${scanned.label}.`, ''] : []),
    dim(isAlone ? 'Where everything is:' : 'Where everything is, and a page for each platform alone:'),
    '',
    pairs(facts, io.out, '  ').trim(),
    '',
    dim('Ctrl-C ends it.'),
  ]
  return `\n${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n\n`
}

/** Whose set-up is worth a try: Weixin's, which knows no other way than a code, or the first that has codes. */
function scannable(platforms: readonly DemoPlatform[]): DemoPlatform | undefined {
  const able = platforms.filter(({ hasCodes, message }) => hasCodes && message === null)
  return able.find(({ platform }) => platform === 'weixin') ?? able[0]
}

/** What shows most, to be copied. */
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
