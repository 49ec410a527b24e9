import { connect } from './api.ts'
import { PLATFORM_ARGS, PROGRAM, type Command, type PlatformArgs } from './command.ts'
import { CliError, EXIT } from './exit-code.ts'
import { jsonText } from './text.ts'
import { setUp } from './setup/set-up.ts'
import { reportRunning } from './wait-running.ts'

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
      return setUp(args, io)
    }
    return reportRunning(client, args.platform, io)
  },
}
