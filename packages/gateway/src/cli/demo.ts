import { spawn } from 'node:child_process'
import { PROGRAM, type Command } from './command.ts'
import { type Demo, type DemoPlatform, startDemo } from './demo-start.ts'
import { EXIT, usageError } from './exit-code.ts'
import { terminalSink } from './log-lines.ts'
import { assistantText } from './run-gateway.ts'
import { type Cell, pairs } from './table.ts'
import { jsonText, paletteOf, plainLine } from './text.ts'
import type { EmulatedPlatform } from '@gatepost/emulators'
import type { Io } from './io.ts'

interface Args {
  readonly platform: string | undefined
  readonly port: string | undefined
  readonly keep: boolean
  readonly open: boolean
  readonly json: boolean
}

export const demo: Command<Args> = {
  name: 'demo',
  summary: 'try every platform in the browser, without an account and without the internet',
  examples: [`${PROGRAM} demo --open`, `${PROGRAM} demo --platform feishu`],
  args: {
    platform: { kind: 'value', placeholder: 'name', describe: 'this platform only (default: all six)' },
    port: { kind: 'value', placeholder: 'number', describe: 'port of the service (default: a free one)' },
    keep: { kind: 'flag', describe: 'keep the data folder at the end' },
    open: { kind: 'flag', describe: 'open the first chat page in the browser' },
    json: { kind: 'flag', describe: 'print the addresses as JSON, and JSON log lines' },
  },
  async run(args, io) {
    const { port = '0', keep } = args
    if (!/^\d{1,5}$/.test(port)) throw usageError('--port must be a port number.')
    const platforms = args.platform === undefined ? undefined : [await platformOf(args.platform)]
    await using cleanup = new AsyncDisposableStack()
    const sink = io.err.isTty && !args.json ? terminalSink(io.err) : undefined
    const options = { port, keep, ...(platforms && { platforms }), ...(sink && { sink }) }
    const running = await startDemo(options, io, cleanup)
    io.out.write(args.json ? addresses(running) : welcome(running, keep, io))
    sink?.showAll()
    if (args.open) openInBrowser(firstOf(running).page)
    await untilAborted(io)
    return EXIT.ok
  },
}

async function platformOf(name: string): Promise<EmulatedPlatform> {
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

const addresses = (demo: Demo): string =>
  jsonText({
    ok: true,
    page: firstOf(demo).page,
    url: demo.url,
    data_dir: demo.dataDir,
    platforms: demo.platforms.map(({ platform, page, running, message }) => ({ platform, page, running, message })),
  })

/** The one to begin with. */
function firstOf({ platforms }: Demo): DemoPlatform {
  const first = platforms.find(({ running }) => running) ?? platforms[0]
  if (!first) throw new Error('a demo has a platform')
  return first
}

function welcome(demo: Demo, keep: boolean, io: Io): string {
  const { platforms, url, dataDir, config } = demo
  const { bold, cyan, dim, yellow } = paletteOf(io.out)
  const pageCell = ({ page, message }: DemoPlatform): Cell =>
    message === null ? { text: page, paint: cyan } : { text: `does not run: ${plainLine(message)}`, paint: yellow }
  const facts: readonly (readonly [string, Cell])[] = [
    ...platforms.map((one) => [one.label, pageCell(one)] as const),
    ['Service', { text: url, paint: cyan }],
    ['Assistant', assistantText(config)],
    ['Data', keep ? dataDir : `${dataDir} (removed at the end)`],
  ]
  const first = firstOf(demo)
  const isAlone = platforms.length === 1
  const place = isAlone ? `an emulator in place of ${first.label}` : 'emulators in place of the platforms'
  const scanned = scannable(platforms)
  const lines = [
    `${bold('The demo is running')}, with ${place}`,
    '',
    pairs(facts, io.out, '  ').trim(),
    '',
    `${bold('1.')} Open ${isAlone ? 'the page' : `the page of ${first.label}`} and say something to the bot.`,
    ...(isAlone ? [] : ['   Its tabs lead to the other platforms.']),
    `${bold('2.')} Then, in another terminal:`,
    '',
    ...commands(demo, scanned).map((line) => `   ${line}`),
    '',
    ...(scanned ? [`   The code is scanned by the button on the page of ${scanned.label}.`, ''] : []),
    dim('Ctrl-C ends it.'),
  ]
  return `\n${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n\n`
}

/** Whose set-up is worth a try: Weixin's, which knows no other way than a code, or the first that has codes. */
function scannable(platforms: readonly DemoPlatform[]): DemoPlatform | undefined {
  const able = platforms.filter(({ hasCodes, running }) => hasCodes && running)
  return able.find(({ platform }) => platform === 'weixin') ?? able[0]
}

/** What shows most, to be copied. */
function commands(demo: Demo, scanned: DemoPlatform | undefined): readonly string[] {
  const { platform } = firstOf(demo)
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
