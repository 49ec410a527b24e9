import { CliError, EXIT } from './exit-code.ts'
import type { GatewayConfig } from '../config/config.ts'
import type { Io } from './io.ts'

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

/** What `start` gives. @throws {CliError} `start_failed` with a sentence for the operator, where it throws `StartError` */
export async function started<T>(start: () => Promise<T>): Promise<T> {
  const { StartError } = await import('../start-error.ts')
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
      return `${assistant.model} at ${hostOf(assistant.baseUrl)}`
    case 'http':
      return `http, asks ${hostOf(assistant.url)}`
    case 'command':
      return 'command, a program on this machine'
  }
}

/** Of a URL only what cannot hold a secret. */
const hostOf = (url: string): string => URL.parse(url)?.host ?? 'its server'
