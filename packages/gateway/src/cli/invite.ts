import { connectAccounts } from './account-api.ts'
import { PROGRAM, SERVER_ARGS, type Command, type ServerArgs } from './command.ts'
import { EXIT } from './exit-code.ts'
import { localTime } from './relative-time.ts'
import { jsonText, paletteOf, plainLine } from './text.ts'

interface Args extends ServerArgs {
  readonly email: string | undefined
  readonly staff: boolean
}

export const invite: Command<Args> = {
  name: 'invite',
  summary: 'make a link that lets somebody create an account',
  examples: [`${PROGRAM} invite`, `${PROGRAM} invite ann@example.org --staff`],
  args: {
    email: { kind: 'optional', describe: 'sends the link there as well' },
    staff: { kind: 'flag', describe: 'the account sees all others, and may invite' },
    ...SERVER_ARGS,
  },
  async run({ email, staff, ...args }, io) {
    const client = await connectAccounts(args, io)
    const made = await client.invite({ ...(email !== undefined && { email }), staff })
    if (args.json) {
      io.out.write(jsonText(made))
      return EXIT.ok
    }
    const { bold, dim } = paletteOf(io.out)
    const mailed = made.email === null ? '' : ` It is mailed to ${plainLine(made.email)}.`
    io.out.write(`${bold(plainLine(made.url))}\n`)
    io.err.write(`\n${dim(`It creates one account, until ${localTime(made.expires_at)}.${mailed}`)}\n`)
    return EXIT.ok
  },
}
