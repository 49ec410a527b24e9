import { join } from 'node:path'
import type { GatewayConfig } from '../../config/config.ts'
import { SETTINGS } from '../../config/settings.ts'
import type { Gateway } from '../../serve.ts'
import { type Command, PROGRAM } from '../command.ts'
import { CliError, EXIT } from '../exit-code.ts'
import type { Io } from '../io.ts'
import { terminalSink } from '../log-lines.ts'
import { pairs } from '../table.ts'
import { createPalette } from '../text.ts'

interface Args {
  readonly json: boolean
}

export const serve: Command<Args> = {
  name: 'serve',
  summary: 'run the service (npm start)',
  examples: [`${PROGRAM} serve`, `GATEPOST_PORT=8080 ${PROGRAM} serve`],
  args: { json: { kind: 'flag', describe: 'JSON log lines on standard error, nothing else' } },
  async run({ json }, io) {
    const config = await loadConfiguration(io.env)
    const sink = io.err.isTty && !json ? terminalSink(io.err) : undefined
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

/** The link to the first account, where nobody sits at a terminal; it goes past the log and its file. */
function announceFirst({ firstAccountUrl: url }: Gateway, json: boolean, io: Io): void {
  if (url === null) return
  if (json) io.err.write(`${JSON.stringify({ level: 'info', msg: FIRST_ACCOUNT, first_account_url: url })}\n`)
  else io.out.write(`${FIRST_ACCOUNT}: ${url}\n`)
}

const FIRST_ACCOUNT = 'Create the first account (this link works once, within 24 hours)'

/** Where to look and what to do next. */
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
    channels === NONE ? ['Next, connect a first channel', 'setup telegram'] : ['Look closer', 'status']
  const lines = [...exportLine(io.env), `${PROGRAM} ${command}`].map((line) => `    ${bold(line)}\n`).join('')
  const { firstAccountUrl } = gateway
  const first = firstAccountUrl === null ? '' : `\n  ${FIRST_ACCOUNT}:\n\n    ${bold(firstAccountUrl)}\n`
  return `\n  ${bold('Gatepost is running')}\n\n${facts}${first}\n  ${what}, in another terminal:\n\n${lines}\n  ${dim('Ctrl-C stops it.')}\n\n`
}

/** What another terminal needs to find this server, when it was not started with the defaults. */
function exportLine(env: Io['env']): readonly string[] {
  const set = [SETTINGS.host, SETTINGS.port, SETTINGS.dataDir].flatMap(({ name }) => {
    const value = env[name]
    return value ? [`${name}=${/^[\w./:~-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`}`] : []
  })
  return set.length === 0 ? [] : [`export ${set.join(' ')}`]
}

const NONE = 'none yet'

/** The configured channels, or why they cannot be read: the service runs all the same. */
async function channelsText(gateway: Gateway): Promise<string> {
  try {
    const entries = await gateway.channels.list({ accountId: 'owner' })
    const configured = entries.filter(({ has_config }) => has_config)
    if (configured.length === 0) return NONE
    return configured.map(({ platform, enabled }) => (enabled ? platform : `${platform} (disabled)`)).join(', ')
  } catch (error) {
    return error instanceof Error ? error.message : 'not known'
  }
}

/** Reads the configuration of `env`. The reader is loaded here. @throws {CliError} `config_invalid` with every problem */
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

/** What `start` gives. @throws {CliError} `start_failed` with a sentence for the operator, where it throws `StartError` */
export async function rethrowStartErrors<T>(start: () => Promise<T>): Promise<T> {
  const { StartError } = await import('../../server/errors.ts')
  try {
    return await start()
  } catch (error) {
    if (error instanceof StartError) throw new CliError('start_failed', error.message, { cause: error })
    throw error
  }
}

/** Who answers, in a few words without a secret. */
export function assistantText({ assistant }: GatewayConfig): string {
  switch (assistant.kind) {
    case 'echo':
      return 'echo, says back what people write'
    case 'openai':
      return `${assistant.model} at ${hostOrPlaceholder(assistant.baseUrl)}`
    case 'http':
      return `http, asks ${hostOrPlaceholder(assistant.url)}`
    case 'command':
      return 'command, a program on this machine'
  }
}

/** Of a URL only what cannot hold a secret. */
const hostOrPlaceholder = (url: string): string => URL.parse(url)?.host ?? 'its server'
