import { connectAccounts } from './account-api.ts'
import { PROGRAM, SERVER_ARGS, type Command, type ServerArgs } from './command.ts'
import { EXIT } from './exit-code.ts'
import { jsonText, paletteOf, plainLine } from './text.ts'

interface Args extends ServerArgs {
  readonly id: string
}

export const clientsRenewSecret: Command<Args> = {
  name: 'clients renew-secret',
  summary: 'give a program a new secret; the old one is not taken any more',
  examples: [`${PROGRAM} clients renew-secret 0a1b`],
  args: { id: { kind: 'required', describe: 'as the list shows it' }, ...SERVER_ARGS },
  async run(args, io) {
    const made = await (await connectAccounts(args, io)).renewClientSecret(args.id)
    if (args.json) {
      io.out.write(jsonText(made))
      return EXIT.ok
    }
    const { bold, dim } = paletteOf(io.out)
    io.out.write(`${bold(plainLine(made.secret))}\n`)
    io.err.write(`\n${dim('It is shown this once.')}\n`)
    return EXIT.ok
  },
}
