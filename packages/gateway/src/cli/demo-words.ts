import { PROGRAM } from './command.ts'
import { assistantText } from './run-gateway.ts'
import { type Cell, pairs } from './table.ts'
import { jsonText, paletteOf, plainLine } from './text.ts'
import type { GatewayConfig } from '../config/config.ts'
import type { Io } from './io.ts'
import type { PlatformId } from '@gatepost/channels'

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
    page: firstOf(demo).page,
    url: demo.url,
    data_dir: demo.dataDir,
    platforms: demo.platforms.map(({ platform, page, running, message }) => ({ platform, page, running, message })),
  })

/** The platform to begin with. */
function firstOf({ platforms }: Demo): DemoPlatform {
  const first = platforms.find(({ running }) => running) ?? platforms[0]
  if (!first) throw new Error('a demo has a platform')
  return first
}

/** Where everything is and what to try, for a person. */
export function welcome(demo: Demo, keep: boolean, io: Io): string {
  const { platforms, url, enter, dataDir, config, isOwnModel } = demo
  const { bold, cyan, dim, yellow } = paletteOf(io.out)
  const pageCell = ({ page, message }: DemoPlatform): Cell =>
    message === null ? { text: page, paint: cyan } : { text: `does not run: ${plainLine(message)}`, paint: yellow }
  const facts: readonly (readonly [string, Cell])[] = [
    ...platforms.map((one) => [one.label, pageCell(one)] as const),
    ['Service', { text: url, paint: cyan }],
    ['Assistant', isOwnModel ? assistantText(config) : 'a small model that is emulated, too'],
    ['Data', keep ? dataDir : `${dataDir} (removed at the end)`],
  ]
  const first = firstOf(demo)
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
