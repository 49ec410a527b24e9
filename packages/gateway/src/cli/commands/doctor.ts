import { constants } from 'node:fs'
import { access, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Diagnosis } from '@gatepost/channels'
import pinned from '../../../bin/pinned-node.cjs'
import { type ApiClient, connect } from '../api.ts'
import { type Command, PROGRAM, SERVER_ARGS, type ServerArgs } from '../command.ts'
import { CliError, EXIT } from '../exit-code.ts'
import type { Io } from '../io.ts'
import { dataFolder, tokenFile } from '../server-address.ts'
import { createPalette, jsonText, type Paint, plainLine } from '../text.ts'
import { toBrokenConfig, toCliFinding } from './doctor-findings.ts'
import { displayWidth, wrapToWidth } from '../width.ts'

interface Args extends ServerArgs {
  readonly platform: string | undefined
}

/** Checks of one subject: this machine, the server, or a platform. */
interface Section {
  readonly title: string
  readonly checks: readonly Diagnosis[]
}

/** The command `gatepost doctor`. */
export const doctor: Command<Args> = {
  name: 'doctor',
  summary: 'diagnose this machine, the server and the platforms',
  examples: [`${PROGRAM} doctor`, `${PROGRAM} doctor telegram --json`],
  args: { platform: { kind: 'optional', describe: 'check only this platform' }, ...SERVER_ARGS },
  async run(args, io) {
    const sections: Section[] = [{ title: 'This machine', checks: await localChecks(io) }]
    const client = await connect(args, io)
    const server = await serverChecks(client, io)
    sections.push({ title: `Server ${client.url}`, checks: server })
    if (!server.some(({ id, status }) => status === 'fail' && id !== 'clock'))
      sections.push(...(await platformSections(client, args.platform)))
    const failed = sections.flatMap(({ checks }) => checks).filter(({ status }) => status === 'fail').length
    if (args.json) io.out.write(jsonText({ ok: failed === 0, sections }))
    else io.out.write(reportText(sections, failed, io))
    return failed === 0 ? EXIT.ok : EXIT.failed
  },
}

async function platformSections(client: ApiClient, platform: string | undefined): Promise<readonly Section[]> {
  const title = platform ?? 'Platforms'
  try {
    if (platform === undefined) return (await client.report()).sections
    return [{ title, checks: (await client.doctor(platform)).checks }]
  } catch (error) {
    if (!(error instanceof CliError) || error.code === 'unknown_platform' || error.exit === EXIT.interrupted)
      throw error
    const finding = toCliFinding('checks_unavailable', { code: error.code, words: error.spoken })
    const [hint] = error.hints
    const found = hint === undefined ? finding : { ...finding, remedy: hint }
    return [{ title, checks: [{ id: 'checks_possible', title: 'Checks', status: 'fail', ...found }] }]
  }
}

const WORDS = { pass: 'pass', warn: 'warn', fail: 'FAIL' } as const

function reportText(sections: readonly Section[], failed: number, io: Io): string {
  const { bold, red, green, dim, yellow } = createPalette(io.out)
  const paint = { pass: green, warn: yellow, fail: red }
  const width = Math.max(...sections.flatMap(({ checks }) => checks.map(({ title }) => displayWidth(plainLine(title)))))
  const indent = width + 11
  const lines = (text: string, at: number, colour: Paint): string =>
    wrapToWidth(plainLine(text), Math.max(30, io.out.columns - at))
      .map(colour)
      .join(`\n${' '.repeat(at)}`)
  const line = ({ status, title, detail, remedy }: Diagnosis): string => {
    const name = plainLine(title)
    const space = ' '.repeat(width - displayWidth(name))
    const plain: Paint = (text) => text
    const shown = lines(detail, indent, status === 'pass' ? dim : plain)
    const todo = remedy && status !== 'pass' ? `\n        ${yellow('→')} ${lines(remedy, 10, plain)}` : ''
    return `  ${paint[status](WORDS[status])}  ${name}${space}   ${shown}`.trimEnd() + todo
  }
  const blocks = sections.map(({ title, checks }) => [bold(plainLine(title)), ...checks.map(line)].join('\n'))
  const warned = sections.flatMap(({ checks }) => checks).filter(({ status }) => status === 'warn').length
  const fine = warned === 0 ? 'All checks passed.' : `Passed with ${warned} ${warned === 1 ? 'warning' : 'warnings'}.`
  const total = failed === 0 ? green(fine) : red(`${failed} ${failed === 1 ? 'check' : 'checks'} failed.`)
  return `${blocks.join('\n\n')}\n\n${total}\n`
}

const TIMEOUT_MS = 10_000
const MAX_SKEW_MS = 60_000

/** Checks that the server responds, accepts the token, and has the same time. Doesn't throw if the server fails. */
export async function serverChecks(client: ApiClient, io: Io): Promise<readonly Diagnosis[]> {
  const reached = { id: 'server_reachable', title: 'Server' } as const
  let date: string | null
  try {
    const signal = AbortSignal.any([io.signal, AbortSignal.timeout(TIMEOUT_MS)])
    const response = await io.fetch(`${client.url}/healthz`, { signal, redirect: 'manual' })
    await response.body?.cancel()
    if (!response.ok) {
      const finding = toCliFinding('gatepost_unhealthy', { url: client.url, status: response.status })
      return [{ ...reached, status: 'fail', ...finding }]
    }
    date = response.headers.get('date')
  } catch {
    if (io.signal.aborted) throw new CliError('interrupted', 'Interrupted.', { exit: EXIT.interrupted })
    return [{ ...reached, status: 'fail', ...toCliFinding('gatepost_unreachable', { url: client.url }) }]
  }
  return [
    { ...reached, status: 'pass', ...toCliFinding('gatepost_responds', { url: client.url }) },
    ...(await tokenChecks(client)),
    clockCheck(date, io.clock.now()),
  ]
}

/** Checks that the server accepts the token and can read the channels. */
async function tokenChecks(client: ApiClient): Promise<readonly Diagnosis[]> {
  const check = { id: 'token_accepted', title: 'Owner token' } as const
  const accepted: Diagnosis = { ...check, status: 'pass', ...toCliFinding('owner_token_accepted', {}) }
  try {
    await client.list()
    return [accepted]
  } catch (error) {
    if (!(error instanceof CliError) || error.exit === EXIT.interrupted) throw error
    const { code, spoken: words } = error
    if (error.exit === EXIT.unauthorized)
      return [{ ...check, status: 'fail', ...toCliFinding('owner_token_rejected', { code, words }) }]
    const finding =
      code === 'config_broken' ? await toBrokenConfig(words) : toCliFinding('channels_unreadable', { code, words })
    return [accepted, { id: 'channels_readable', title: 'Channels', status: 'fail', ...finding }]
  }
}

/** @param date The server's `Date` header (whole seconds). */
function clockCheck(date: string | null, nowMs: number): Diagnosis {
  const check = { id: 'clock', title: 'Clock' } as const
  const server = date === null ? Number.NaN : Date.parse(date)
  if (Number.isNaN(server)) return { ...check, status: 'warn', ...toCliFinding('clock_unknown', {}) }
  const seconds = Math.round(Math.abs(nowMs - server) / 1000)
  if (seconds * 1000 <= MAX_SKEW_MS) return { ...check, status: 'pass', ...toCliFinding('clocks_agree', { seconds }) }
  return { ...check, status: 'fail', ...toCliFinding('clocks_differ', { seconds }) }
}

/** What can be checked without a server. Never throws for what it finds. */
export async function localChecks(io: Io): Promise<readonly Diagnosis[]> {
  const folder = dataFolder(io.env)
  const checks = [nodeCheck(io.nodeVersion), await settingsCheck(io.env), await folderCheck(folder)]
  if (!io.env['GATEPOST_TOKEN'])
    checks.push(await fileCheck('token_file', 'Owner token file', tokenFile(io.env), 'no_token_file'))
  checks.push(await configurationCheck(folder, io.env))
  return checks
}

function nodeCheck(version: string): Diagnosis {
  const check = { id: 'node', title: 'Node' } as const
  if (pinned.isRightVersion(version))
    return { ...check, status: 'pass', ...toCliFinding('node_supported', { version }) }
  return { ...check, status: 'fail', ...toCliFinding('node_unsupported', { version, wanted: pinned.WANTED }) }
}

async function settingsCheck(env: Io['env']): Promise<Diagnosis> {
  const check = { id: 'settings', title: 'Settings' } as const
  const { readConfig, ConfigError } = await import('../../config/config.ts')
  try {
    const { warnings } = readConfig(env)
    if (warnings.length === 0) return { ...check, status: 'pass', ...toCliFinding('settings_valid', {}) }
    return { ...check, status: 'warn', ...toCliFinding('settings_doubtful', { warnings }) }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { ...check, status: 'fail', ...toCliFinding('settings_invalid', { problems: error.problems }) }
  }
}

async function folderCheck(path: string): Promise<Diagnosis> {
  const check = { id: 'data_folder', title: 'Data folder' } as const
  const found = await readMode(path)
  if (found === 'missing') return { ...check, status: 'pass', ...toCliFinding('folder_missing', { path }) }
  if (typeof found === 'string')
    return { ...check, status: 'fail', ...toCliFinding('folder_inaccessible', { path, error: found }) }
  const mode = octal(found)
  if ((found & 0o077) !== 0) return { ...check, status: 'fail', ...toCliFinding('folder_exposed', { path, mode }) }
  try {
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    return { ...check, status: 'fail', ...toCliFinding('folder_not_writable', { path }) }
  }
  return { ...check, status: 'pass', ...toCliFinding('folder_private', { path, mode }) }
}

/** Checks the owner's channel file: its permissions, and that it parses as on the server. */
async function configurationCheck(folder: string, env: Io['env']): Promise<Diagnosis> {
  if (env['GATEPOST_DATABASE_URL']) {
    return { id: 'config_file', title: 'Configuration', status: 'pass', ...toCliFinding('config_in_database', {}) }
  }
  const path = join(folder, 'accounts', 'owner', 'channels.yml')
  const found = await fileCheck('config_file', 'Configuration', path, 'no_config_file')
  return found.status === 'pass' ? parsedCheck(found, path) : found
}

async function parsedCheck(found: Diagnosis, path: string): Promise<Diagnosis> {
  const { ChannelError, parseChannelFile } = await import('@gatepost/channels')
  try {
    parseChannelFile(await readFile(path, 'utf8'), path)
    return found
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error
    return { ...found, status: 'fail', ...(await toBrokenConfig(error.message)) }
  }
}

/** Checks that a file exists and only its owner can read it. @param missing Finding for a file that doesn't exist. */
async function fileCheck(
  id: string,
  title: string,
  path: string,
  missing: 'no_token_file' | 'no_config_file',
): Promise<Diagnosis> {
  const check = { id, title } as const
  const found = await readMode(path)
  if (found === 'missing') return { ...check, status: 'warn', ...toCliFinding(missing, { path }) }
  if (typeof found === 'string')
    return { ...check, status: 'fail', ...toCliFinding('file_inaccessible', { path, error: found }) }
  const mode = octal(found)
  if ((found & 0o077) !== 0) return { ...check, status: 'fail', ...toCliFinding('file_exposed', { path, mode }) }
  try {
    await access(path, constants.R_OK)
  } catch {
    return { ...check, status: 'fail', ...toCliFinding('file_unreadable', { path }) }
  }
  return { ...check, status: 'pass', ...toCliFinding('file_private', { path, mode }) }
}

const octal = (mode: number): string => mode.toString(8).padStart(4, '0')

/** Returns the permission bits, `missing`, or an error code. Ignores group and others on Windows. */
async function readMode(path: string): Promise<number | 'missing' | (string & {})> {
  try {
    const { mode } = await stat(path)
    return process.platform === 'win32' ? mode & 0o700 : mode & 0o777
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error
    return error.code === 'ENOENT' || error.code === 'ENOTDIR' ? 'missing' : String(error.code)
  }
}
