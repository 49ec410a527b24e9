import { CliError, EXIT } from './exit-code.ts'
import type { Gateway } from '../serve.ts'
import type { GatewayConfig } from '../config/config.ts'
import type { Io } from './io.ts'
import type { LineSink } from '../log/log.ts'

/** Reads the configuration of `env`. The reader is loaded here. @throws {CliError} `config_invalid` with every problem */
export async function configurationOf(env: Io['env']): Promise<GatewayConfig> {
  const { readConfig, ConfigError } = await import('../config/config.ts')
  try {
    return readConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const [first = '', ...others] = error.problems
    throw new CliError('config_invalid', first, { exit: EXIT.usage, hints: others, cause: error })
  }
}

/** Starts the service. The server is loaded here. @throws {CliError} `start_failed` with a sentence for the operator */
export async function gatewayOf(config: GatewayConfig, sink: LineSink | undefined): Promise<Gateway> {
  const [{ startGateway }, { StartError }] = await Promise.all([import('../serve.ts'), import('../start-error.ts')])
  try {
    const gateway = await startGateway(config, sink ? { sink } : {})
    process.on('uncaughtExceptionMonitor', () => gateway.log.flush())
    return gateway
  } catch (error) {
    if (error instanceof StartError) throw new CliError('start_failed', error.message, { cause: error })
    throw error
  }
}

/** Resolves at Ctrl-C or a request to end. */
export async function untilAborted({ signal, err }: Io): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  if (err.isTty) err.write('\n') // what follows does not stand beside the terminal's ^C
}

/** Who answers, in a few words without a secret. */
export function assistantText({ assistant }: GatewayConfig): string {
  switch (assistant.kind) {
    case 'echo':
      return 'echo, says back what people write'
    case 'openai':
      return `${assistant.model} at ${hostOf(assistant.baseUrl)}`
    case 'http':
      return `http, asks ${hostOf(assistant.url)}`
    case 'command':
      return 'command, a program on this machine'
  }
}

/** Of a URL only what cannot hold a secret. */
const hostOf = (url: string): string => URL.parse(url)?.host ?? 'its server'
