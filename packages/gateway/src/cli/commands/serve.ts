import { join } from 'node:path'
import type { GatewayConfig } from '../../config/config.ts'
import { SETTINGS } from '../../config/settings.ts'
import type { Gateway } from '../../serve.ts'
import { type Command, PROGRAM } from '../command.ts'
import { CliError, EXIT } from '../exit-code.ts'
import type { Io } from '../io.ts'
import { createPalette, pairs } from '../text.ts'

interface Args {
  readonly json: boolean
}

/** The command `gatepost serve`. */
export const serve: Command<Args> = {
  name: 'serve',
  summary: 'run the service (npm start)',
  examples: [`${PROGRAM} serve`, `GATEPOST_PORT=8080 ${PROGRAM} serve`],
  args: { json: { kind: 'flag', describe: 'print only JSON log lines, on standard error' } },
  async run({ json }, io) {
    const config = await loadConfiguration(io.env)
    const sink = io.err.isTty && !json ? (await import('../log-lines.ts')).terminalSink(io.err) : undefined
    const ready = Promise.withResolvers<Gateway>()
    const announced = ready.promise.then(async (gateway) => {
      if (io.out.isTty && !json) io.out.write(await welcome(gateway, config, io))
      else announceFirst(gateway, json, io)
      sink?.showAll()
    })
    if (io.err.isTty) io.signal.addEventListener('abort', () => io.err.write('\n')) // below the terminal's ^C
    const { runGateway } = await import('../../run.ts')
    const run = rethrowStartErrors(() =>
      runGateway(config, { process, onReady: ready.resolve, ...(sink && { overrides: { sink } }) }),
    )
    const [code] = await Promise.all([run, announced])
    return code === 0 ? EXIT.ok : EXIT.failed
  },
}

/** Prints the first account's link if there is no terminal. Bypasses the log and its file. */
function announceFirst({ firstAccountUrl: url }: Gateway, json: boolean, io: Io): void {
  if (url === null) return
  if (json) io.err.write(`${JSON.stringify({ level: 'info', msg: FIRST_ACCOUNT, first_account_url: url })}\n`)
  else io.out.write(`${FIRST_ACCOUNT}: ${url}\n`)
}

const FIRST_ACCOUNT = 'Create the first account (the link works once and expires in 24 hours)'

/** Formats the addresses of the service and the next steps. */
async function welcome(gateway: Gateway, config: GatewayConfig, io: Io): Promise<string> {
  const { bold, cyan, dim } = createPalette(io.out)
  const channels = await channelsText(gateway)
  const facts = pairs(
    [
      ['Address', { text: gateway.url, paint: cyan }],
      ['API', { text: `${gateway.url}/api/docs`, paint: cyan }],
      ['Data', config.dataDir],
      ['Token', join(config.dataDir, 'api-token')],
      ['Assistant', assistantText(config)],
      ['Channels', channels],
    ],
    io.out,
    '  ',
  )
  const [what, command] =
    channels === NONE ? ['Next, set up your first channel', 'setup telegram'] : ['Show the state', 'status']
  const lines = [...exportLine(io.env), `${PROGRAM} ${command}`].map((line) => `    ${bold(line)}\n`).join('')
  const { firstAccountUrl } = gateway
  const first = firstAccountUrl === null ? '' : `\n  ${FIRST_ACCOUNT}:\n\n    ${bold(firstAccountUrl)}\n`
  return `\n  ${bold('Gatepost is running')}\n\n${facts}${first}\n  ${what}, in another terminal:\n\n${lines}\n  ${dim('Press Ctrl-C to stop.')}\n\n`
}

/** Returns the `export` line that another terminal needs if this server doesn't use the defaults. */
function exportLine(env: Io['env']): readonly string[] {
  const set = [SETTINGS.host, SETTINGS.port, SETTINGS.dataDir].flatMap(({ name }) => {
    const value = env[name]
    return value ? [`${name}=${/^[\w./:~-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`}`] : []
  })
  return set.length === 0 ? [] : [`export ${set.join(' ')}`]
}

const NONE = 'none yet'

/** Lists the configured channels, or the reason that they can't be read. */
async function channelsText(gateway: Gateway): Promise<string> {
  try {
    const entries = await gateway.channels.list({ accountId: 'owner' })
    const configured = entries.filter(({ has_config }) => has_config)
    if (configured.length === 0) return NONE
    return configured.map(({ platform, enabled }) => (enabled ? platform : `${platform} (disabled)`)).join(', ')
  } catch (error) {
    return error instanceof Error ? error.message : 'unknown'
  }
}

/** Reads the configuration from `env`. Loads the parser. @throws {CliError} `config_invalid` with every problem */
export async function loadConfiguration(env: Io['env']): Promise<GatewayConfig> {
  const { readConfig, ConfigError } = await import('../../config/config.ts')
  try {
    return readConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const [first = '', ...others] = error.problems
    throw new CliError('config_invalid', first, { exit: EXIT.usage, hints: others, cause: error })
  }
}

/** Runs `start`. @throws {CliError} `start_failed` in place of a `StartError` */
export async function rethrowStartErrors<T>(start: () => Promise<T>): Promise<T> {
  const { StartError } = await import('../../server/errors.ts')
  try {
    return await start()
  } catch (error) {
    if (error instanceof StartError) throw new CliError('start_failed', error.message, { cause: error })
    throw error
  }
}

/** Describes the assistant in a few words, without secrets. */
export function assistantText({ assistant }: GatewayConfig): string {
  switch (assistant.kind) {
    case 'echo':
      return 'echo, repeats each message'
    case 'openai':
      return `${assistant.model} at ${hostOrPlaceholder(assistant.baseUrl)}`
    case 'http':
      return `http, calls ${hostOrPlaceholder(assistant.url)}`
    case 'command':
      return 'command, runs a program on this machine'
  }
}

/** Returns the host, the only part of a URL that can't hold a secret. */
const hostOrPlaceholder = (url: string): string => URL.parse(url)?.host ?? 'its server'
