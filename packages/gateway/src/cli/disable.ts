import { connect } from './api.ts'
import { PLATFORM_ARGS, PROGRAM, type Command, type PlatformArgs } from './command.ts'
import { EXIT } from './exit-code.ts'
import { jsonText, paletteOf, plainLine } from './text.ts'

export const disable: Command<PlatformArgs> = {
  name: 'disable',
  summary: 'stop a channel; its credentials are kept',
  examples: [`${PROGRAM} disable telegram`],
  args: PLATFORM_ARGS,
  async run(args, io) {
    const client = await connect(args, io)
    const answer = await client.disable(args.platform)
    const { bold, dim } = paletteOf(io.out)
    const platform = plainLine(args.platform)
    io.out.write(
      args.json
        ? jsonText(answer)
        : `${bold(platform)} is disabled.\n${dim(`Start it again: ${PROGRAM} enable ${platform}`)}\n`,
    )
    return EXIT.ok
  },
}
