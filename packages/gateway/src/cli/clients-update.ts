import { connectAccounts } from './account-api.ts'
import { CLIENT_ARGS, type ClientArgs, clientInput } from './client-args.ts'
import { clientsTable } from './clients-list.ts'
import { PROGRAM, SERVER_ARGS, type Command, type ServerArgs } from './command.ts'
import { EXIT, usageError } from './exit-code.ts'
import { jsonText } from './text.ts'

interface Args extends ServerArgs, ClientArgs {
  readonly id: string
  readonly name: string | undefined
}

export const clientsUpdate: Command<Args> = {
  name: 'clients update',
  summary: 'change a program; what is left out stays',
  examples: [`${PROGRAM} clients update 0a1b --redirect https://wiki.example.org/callback`],
  args: {
    id: { kind: 'required', describe: 'as the list shows it' },
    name: { kind: 'value', placeholder: 'name', describe: 'as people read it when they are asked' },
    ...CLIENT_ARGS,
    ...SERVER_ARGS,
  },
  async run(args, io) {
    const changes = { ...(args.name !== undefined && { name: args.name }), ...clientInput(args) }
    if (Object.keys(changes).length === 0) throw usageError('Say what to change, for example --redirect <uris>.')
    const changed = await (await connectAccounts(args, io)).changeClient(args.id, changes)
    io.out.write(args.json ? jsonText(changed) : clientsTable([changed], io.out))
    return EXIT.ok
  },
}
