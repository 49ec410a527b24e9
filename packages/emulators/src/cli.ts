#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { EMULATED_PLATFORMS, type EmulatedPlatform, startEmulators } from './family.ts'
import { connectTelegramControl } from './telegram/control/over-http.ts'

const { values, positionals } = parseArgs({
  options: { port: { type: 'string', default: '0' }, history: { type: 'string', default: '10000' } },
  allowPositionals: true,
})

/** Returns the named platforms; default Telegram. @throws {RangeError} when a name is unknown */
function parsePlatforms(name = 'telegram', ...more: readonly string[]): readonly EmulatedPlatform[] {
  if (name === 'all' && more.length === 0) return EMULATED_PLATFORMS
  return [name, ...more].map((argument) => {
    const platform = EMULATED_PLATFORMS.find((known) => known === argument)
    if (!platform)
      throw new RangeError(`Unknown platform: ${argument}. Use "all" or any of: ${EMULATED_PLATFORMS.join(', ')}`)
    return platform
  })
}

const port = Number(values.port)
if (!Number.isInteger(port) || port < 0 || port > 65_530)
  throw new RangeError('--port must be an integer from 0 to 65530')
const history = Number(values.history)
if (!Number.isInteger(history) || history < 1) throw new RangeError('--history must be an integer of at least 1')
const running = await startEmulators(parsePlatforms(...positionals), { port, history })

for (const { platform, url, page, controlPath, environment, control } of running) {
  const bot = platform === 'telegram' ? (await connectTelegramControl(url).bots())[0] : await control.bot()
  process.stdout.write(
    `${JSON.stringify({ platform, url, page, control: `${url}${controlPath}`, environment, bot })}\n`,
  )
}

const stop = (): void => {
  void Promise.all(running.map((emulator) => emulator.close())).then(() => process.exit(0))
}
process.once('SIGINT', stop)
process.once('SIGTERM', stop)
