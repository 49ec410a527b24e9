import { connect, type ApiClient } from './api.ts'
import { botName, reasonText, stateCell } from './channel-view.ts'
import { PLATFORM_ARGS, PROGRAM, type Command, type PlatformArgs } from './command.ts'
import { CliError, EXIT, type ExitCode } from './exit-code.ts'
import { jsonText, paletteOf } from './text.ts'
import { waitRunning } from './wait-running.ts'
import type { ChannelDetails } from '@gatepost/channels'
import type { Io } from './io.ts'

export const enable: Command<PlatformArgs> = {
  name: 'enable',
  summary: 'start a channel that has credentials',
  examples: [`${PROGRAM} enable telegram`],
  args: PLATFORM_ARGS,
  async run(args, io) {
    const client = await connect(args, io)
    try {
      const answer = await client.save(args.platform, { enabled: true })
      if (args.json) {
        io.out.write(jsonText(answer))
        return EXIT.ok
      }
    } catch (error) {
      if (!(error instanceof CliError) || error.code !== 'no_credentials' || !io.interactive || args.json) throw error
      const prompts = await io.prompts()
      prompts.info(error.message)
      if (!(await prompts.confirm('Set it up now?', true))) throw error
      const { setup } = await import('./setup.ts')
      return setup.run({ ...args, tokenFile: undefined, tokenStdin: false, baseUrl: undefined }, io)
    }
    return reportRunning(client, args.platform, io)
  },
}

/** Waits until the channel receives and says so; exit code 1 when it does not. */
export async function reportRunning(client: ApiClient, platform: string, io: Io): Promise<ExitCode> {
  const details = await waitRunning(client, platform, io)
  io.out.write(`${runningText(details, io)}\n`)
  return details.running ? EXIT.ok : EXIT.failed
}

/** One line: the platform, its state, the bot or the reason. */
export function runningText(details: ChannelDetails, io: Io): string {
  const palette = paletteOf(io.out)
  const cell = stateCell(details, details, palette)
  const state = typeof cell === 'string' ? cell : cell.paint(cell.text)
  const bot = botName(details)
  const reason = reasonText(details, io.clock.now())
  return `${palette.bold(details.platform)} is ${state}${bot ? ` as ${bot}` : ''}${reason ? `: ${reason}` : ''}`
}
