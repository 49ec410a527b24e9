import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { CliError, EXIT } from '../exit-code.ts'
import type { Io } from '../io.ts'
import type { Prompts } from '../prompts.ts'
import { plainLine } from '../text.ts'
import type { HelperMode } from './helper-modes.ts'

/** Feishu's own command-line tool. @see https://github.com/larksuite/cli, "Quick Start (AI Agent)" */
const TOOL = 'lark-cli'
/** Its sessions: each prints an authorization URL, and ends with 0 once the person has confirmed in the browser. */
const SESSIONS: readonly (readonly string[])[] = [
  ['config', 'init', '--new'],
  ['auth', 'login', '--recommend'],
]
const MISSING = `${TOOL} isn't installed, so this step is skipped. To install it: npm install -g @larksuite/cli`
const URL_IN_TEXT = /https?:\/\/[^\s"'<>\\]+/

/** `--authorize-cli` prints `AUTH_URL:<url>` for each step and waits for the person; exits with 0 once the tool is ready. */
export const feishuCliMode: HelperMode = {
  platform: 'feishu',
  isAsked: ({ authorizeCli }) => authorizeCli,
  async run(_args, io) {
    const isFound = await authorizeTool(io, (url) => io.out.write(`AUTH_URL:${url}\n`))
    io.out.write(isFound ? 'ready\n' : `${MISSING}\n`)
    return EXIT.ok
  },
}

/** Offers to authorize the tool after a setup. A failure doesn't fail the setup. */
export async function offerFeishuCli(prompts: Prompts, io: Io): Promise<void> {
  if ((await runTool(['--version'], io, () => undefined)) === null) {
    prompts.info(MISSING)
    return
  }
  if (!(await prompts.confirm(`Authorize ${TOOL}, Feishu's command-line tool, too?`, false))) return
  try {
    await authorizeTool(io, (url) => prompts.note('Open this page to authorize it', [url]))
    prompts.info(`${TOOL} is ready.`)
  } catch (error) {
    if (!(error instanceof CliError) || error.exit === EXIT.interrupted) throw error
    prompts.info(error.message)
  }
}

/**
 * Runs the tool's sessions. @param show Gets the authorization URL of each.
 * @returns whether the tool is installed
 * @throws {CliError} `feishu_cli_failed`, with the tool's last line
 */
async function authorizeTool(io: Io, show: (url: string) => void): Promise<boolean> {
  for (const session of SESSIONS) {
    let shown = ''
    let last = ''
    const code = await runTool(session, io, (line) => {
      last = plainLine(line) || last
      const url = URL_IN_TEXT.exec(last)?.[0]
      if (url !== undefined && url !== shown) show((shown = url))
    })
    if (code === null) return false
    if (io.signal.aborted) throw new CliError('interrupted', 'Interrupted.', { exit: EXIT.interrupted })
    if (code !== 0) {
      const message = `${TOOL} ${session.join(' ')} failed with exit code ${code}${last === '' ? '.' : `: ${last}`}`
      throw new CliError('feishu_cli_failed', message)
    }
  }
  return true
}

/** Runs the tool to its end. @returns its exit code, or `null` if it isn't installed */
async function runTool(args: readonly string[], io: Io, onLine: (line: string) => void): Promise<number | null> {
  // it gets no token or key of the service
  const env = Object.fromEntries(Object.entries(io.env).filter(([name]) => !name.startsWith('GATEPOST_')))
  const child = spawn(TOOL, args, { env, signal: io.signal, stdio: ['ignore', 'pipe', 'pipe'] })
  const read = (stream: Readable): void => void createInterface(stream).on('line', onLine)
  read(child.stdout)
  read(child.stderr)
  return new Promise((resolve, reject) => {
    child.once('close', (code) => resolve(code ?? 1))
    child.once('error', (error: NodeJS.ErrnoException) => {
      if (error.name === 'AbortError') return // `close` follows
      if (error.code === 'ENOENT' || error.code === 'EACCES') resolve(null)
      else reject(error)
    })
  })
}
