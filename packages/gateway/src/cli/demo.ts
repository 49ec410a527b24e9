import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from './api.ts'
import { PROGRAM, type Command } from './command.ts'
import { CliError, EXIT, usageError } from './exit-code.ts'
import { terminalSink } from './log-lines.ts'
import { assistantText, configurationOf, started } from './run-gateway.ts'
import { pairs } from './table.ts'
import { jsonText, paletteOf } from './text.ts'
import { waitRunning } from './wait-running.ts'
import type { GatewayConfig } from '../config/config.ts'
import type { Io } from './io.ts'

interface Args {
  readonly port: string | undefined
  readonly keep: boolean
  readonly open: boolean
  readonly json: boolean
}

/** Where everything of a running demo is. */
interface Demo {
  /** The page on which one writes to the bot as a person. */
  readonly page: string
  /** The service. */
  readonly url: string
  readonly dataDir: string
  readonly config: GatewayConfig
}

export const demo: Command<Args> = {
  name: 'demo',
  summary: 'try everything in the browser, without an account and without the internet',
  examples: [`${PROGRAM} demo --open`],
  args: {
    port: { kind: 'value', placeholder: 'number', describe: 'port of the service (default: a free one)' },
    keep: { kind: 'flag', describe: 'keep the data folder at the end' },
    open: { kind: 'flag', describe: 'open the chat page in the browser' },
    json: { kind: 'flag', describe: 'print the addresses as JSON, and JSON log lines' },
  },
  async run(args, io) {
    if (args.port !== undefined && !/^\d{1,5}$/.test(args.port)) throw usageError('--port must be a port number.')
    await using cleanup = new AsyncDisposableStack()
    const sink = io.err.isTty && !args.json ? terminalSink(io.err) : undefined
    const running = await start(args, io, sink, cleanup)
    if (args.json) io.out.write(jsonText({ ok: true, page: running.page, url: running.url, data_dir: running.dataDir }))
    else io.out.write(welcome(running, args.keep, io))
    sink?.showAll()
    if (args.open) openInBrowser(running.page)
    await untilAborted(io)
    return EXIT.ok
  },
}

/** Resolves at Ctrl-C or a request to end. */
async function untilAborted({ signal, err }: Io): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  if (err.isTty) err.write('\n') // below the terminal's ^C
}

/** Everything that is started is handed to `cleanup`, which ends it in reverse. */
async function start(
  args: Args,
  io: Io,
  sink: ReturnType<typeof terminalSink> | undefined,
  cleanup: AsyncDisposableStack,
): Promise<Demo> {
  const { startTelegramEmulator } = await import('@gatepost/emulators')
  const dataDir = await mkdtemp(join(tmpdir(), 'gatepost-demo-'))
  if (!args.keep) cleanup.defer(() => rm(dataDir, { recursive: true, force: true }))
  const emulator = await startTelegramEmulator()
  cleanup.defer(() => emulator.close())
  const config = await configurationOf(demoEnvironment(io.env, emulator.url, dataDir, args.port ?? '0'))
  const { startGateway } = await import('../serve.ts')
  const gateway = await started(() => startGateway(config, sink ? { sink } : {}))
  cleanup.defer(() => gateway.stop())
  const [bot] = await emulator.control.bots()
  if (!bot) throw new CliError('start_failed', 'The emulator has no bot.')
  const env = { GATEPOST_TOKEN: gateway.ownerToken.reveal() }
  const client = await connect({ url: gateway.url }, { ...io, env })
  await client.save('telegram', { bot_token: bot.token })
  const details = await waitRunning(client, 'telegram', io)
  if (!details.running)
    throw new CliError('start_failed', details.message ?? 'The channel of the demo does not come up.')
  return { page: `${emulator.url}/demo`, url: gateway.url, dataDir, config }
}

/** Of the person's own settings only those of the assistant count: the demo touches nothing else of theirs. */
function demoEnvironment(env: Io['env'], telegramUrl: string, dataDir: string, port: string): Io['env'] {
  const kept = Object.entries(env).filter(
    ([name]) => name.startsWith('GATEPOST_ASSISTANT') || name === 'GATEPOST_LOG_LEVEL',
  )
  return {
    ...Object.fromEntries(kept),
    GATEPOST_HOST: '127.0.0.1',
    GATEPOST_PORT: port,
    GATEPOST_DATA_DIR: dataDir,
    GATEPOST_TELEGRAM_API_URL: telegramUrl,
  }
}

function welcome({ page, url, dataDir, config }: Demo, keep: boolean, io: Io): string {
  const { bold, cyan, dim } = paletteOf(io.out)
  const facts = pairs(
    [
      ['Chat page', { text: page, paint: cyan }],
      ['Service', { text: url, paint: cyan }],
      ['Assistant', assistantText(config)],
      ['Data', keep ? dataDir : `${dataDir} (removed at the end)`],
    ],
    io.out,
    '  ',
  )
  const commands = [
    `export GATEPOST_PORT=${new URL(url).port} GATEPOST_DATA_DIR=${dataDir}`,
    `${PROGRAM} status`,
    `${PROGRAM} users telegram`,
    `${PROGRAM} send telegram "Hello from the terminal"`,
    'curl -H "Authorization: Bearer $(cat $GATEPOST_DATA_DIR/api-token)" \\',
    `  ${url}/api/channels`,
  ]
  return [
    '',
    `  ${bold('The demo is running')}, with an emulator in place of Telegram`,
    '',
    facts,
    `  ${bold('1.')} Open the chat page and say something to the bot.`,
    `  ${bold('2.')} Then, in another terminal:`,
    '',
    ...commands.map((line) => `     ${line}`),
    '',
    `  ${dim('Ctrl-C ends it.')}`,
    '',
    '',
  ].join('\n')
}

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
