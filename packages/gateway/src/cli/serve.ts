import { PROGRAM, type Command } from './command.ts'
import { EXIT } from './exit-code.ts'
import { SETTINGS } from '../config/settings.ts'
import { terminalSink } from './log-lines.ts'
import { assistantText, configurationOf, gatewayOf, untilAborted } from './run-gateway.ts'
import { pairs } from './table.ts'
import { paletteOf } from './text.ts'
import type { ChannelEntry } from '@gatepost/channels'
import type { Gateway } from '../serve.ts'
import type { GatewayConfig } from '../config/config.ts'
import type { Io } from './io.ts'

interface Args {
  readonly json: boolean
}

export const serve: Command<Args> = {
  name: 'serve',
  summary: 'run the service (npm start)',
  examples: [`${PROGRAM} serve`, `GATEPOST_PORT=8080 ${PROGRAM} serve`],
  args: { json: { kind: 'flag', describe: 'JSON log lines on standard error, nothing else' } },
  async run({ json }, io) {
    const config = await configurationOf(io.env)
    const sink = io.err.isTty && !json ? terminalSink(io.err) : undefined
    const gateway = await gatewayOf(config, sink)
    if (io.out.isTty && !json) io.out.write(await welcome(gateway, config, io))
    sink?.showAll()
    await untilAborted(io)
    await gateway.stop()
    return EXIT.ok
  },
}

/** Where to look and what to do next. */
async function welcome(gateway: Gateway, config: GatewayConfig, io: Io): Promise<string> {
  const { bold, cyan, dim } = paletteOf(io.out)
  const entries = await gateway.channels.list({ accountId: 'owner' })
  const configured = entries.filter(({ has_config }) => has_config)
  const facts = pairs(
    [
      ['Address', { text: gateway.url, paint: cyan }],
      ['API', { text: `${gateway.url}/api/docs`, paint: cyan }],
      ['Data', config.dataDir],
      ['Assistant', assistantText(config)],
      ['Channels', configured.length === 0 ? 'none yet' : configured.map(channelText).join(', ')],
    ],
    io.out,
    '  ',
  )
  const [what, command] =
    configured.length === 0 ? ['Next, connect a first channel', 'setup telegram'] : ['Look closer', 'status']
  const lines = [...exportLine(io.env), `${PROGRAM} ${command}`].map((line) => `    ${bold(line)}\n`).join('')
  return `\n  ${bold('Gatepost is running')}\n\n${facts}\n  ${what}, in another terminal:\n\n${lines}\n  ${dim('Ctrl-C stops it.')}\n\n`
}

/** What another terminal needs to find this server, when it was not started with the defaults. */
function exportLine(env: Io['env']): readonly string[] {
  const set = [SETTINGS.host, SETTINGS.port, SETTINGS.dataDir].flatMap(({ name }) => {
    const value = env[name]
    return value ? [`${name}=${/^[\w./:~-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`}`] : []
  })
  return set.length === 0 ? [] : [`export ${set.join(' ')}`]
}

const channelText = ({ platform, enabled }: ChannelEntry): string => (enabled ? platform : `${platform} (disabled)`)
