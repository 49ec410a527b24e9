import { connectAccounts } from './account-api.ts'
import { PROGRAM, SERVER_ARGS, type Command, type ServerArgs } from './command.ts'
import { EXIT } from './exit-code.ts'
import { jsonText, plainLine } from './text.ts'

interface Args extends ServerArgs {
  readonly id: string
}

export const clientsRemove: Command<Args> = {
  name: 'clients remove',
  summary: 'remove a program with everything that it was allowed',
  examples: [`${PROGRAM} clients remove 0a1b`],
  args: { id: { kind: 'required', describe: 'as the list shows it' }, ...SERVER_ARGS },
  async run(args, io) {
    const done = await (await connectAccounts(args, io)).removeClient(args.id)
    io.out.write(args.json ? jsonText(done) : `${plainLine(args.id)} is removed.\n`)
    return EXIT.ok
  },
}
