import { connectAccounts } from './account-api.ts'
import { accountsTable } from './accounts-list.ts'
import { PROGRAM, SERVER_ARGS, type Command, type ServerArgs } from './command.ts'
import { EXIT } from './exit-code.ts'
import { jsonText } from './text.ts'

interface Args extends ServerArgs {
  readonly id: string
}

export const accountsResetMfa: Command<Args> = {
  name: 'accounts reset-mfa',
  summary: 'remove the second factors of somebody who has lost them, and sign them out',
  examples: [`${PROGRAM} accounts reset-mfa u2`],
  args: { id: { kind: 'required', describe: 'as the list shows it' }, ...SERVER_ARGS },
  async run({ id, ...args }, io) {
    const account = await (await connectAccounts(args, io)).resetAuthenticators(id)
    io.out.write(args.json ? jsonText(account) : `${accountsTable([account], io.out)}\nNo second factors any more.\n`)
    return EXIT.ok
  },
}
