import { CliError, EXIT } from '../exit-code.ts'
import { configurationOf } from '../run-gateway.ts'
import type { HelperMode } from './helper-mode.ts'

/**
 * `SCAN_URL:<url>` and `EXPIRE_IN:<seconds>`, and at the end `APP_ID:<id>` and `APP_SECRET:<secret>`: whoever started it
 * posts them. It asks the platform itself, because the service never answers a secret.
 */
export const feishuMode: HelperMode = {
  platform: 'feishu',
  isAsked: ({ background }) => background,
  async run(_args, io) {
    const { runSetup, SetupFailure } = await import('@gatepost/channels')
    const { hosts } = await configurationOf(io.env)
    const quiet = (): void => undefined
    const platformIo = {
      fetch: io.fetch,
      clock: io.clock,
      random: Math.random,
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
      host: (setting: string, fallback: string) => hosts[setting] ?? fallback,
    }
    let shown = ''
    const show = ({ url, expiresAtMs }: { url?: string; expiresAtMs?: number }): void => {
      if (url === undefined || url === shown) return
      shown = url
      const seconds = Math.round(((expiresAtMs ?? io.clock.now()) - io.clock.now()) / 1_000)
      io.out.write(`SCAN_URL:${url}\nEXPIRE_IN:${seconds}\n`)
    }
    try {
      const found = await runSetup({ platform: 'feishu', kind: 'qr', io: platformIo, show }, io.signal)
      const [id, secret] = [found?.['app_id'], found?.['app_secret']]
      if (!isWord(id) || !isWord(secret)) throw new CliError('setup_failed', 'Feishu gave no credentials.')
      io.out.write(`APP_ID:${id}\nAPP_SECRET:${secret}\n`)
      return EXIT.ok
    } catch (error) {
      if (error instanceof SetupFailure) throw new CliError(error.code, error.message, { cause: error })
      throw error
    }
  },
}

/** It stands in a line of its own. */
const isWord = (value: unknown): value is string => typeof value === 'string' && /^\S+$/.test(value)
