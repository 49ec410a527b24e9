import { connectAccounts } from './account-api.ts'
import { accountsTable } from './accounts-list.ts'
import { PROGRAM, SERVER_ARGS, type Command, type ServerArgs } from './command.ts'
import { EXIT, usageError } from './exit-code.ts'
import { jsonText } from './text.ts'

interface Args extends ServerArgs {
  readonly id: string
  readonly staff: boolean | undefined
  readonly active: boolean | undefined
}

export const accountsUpdate: Command<Args> = {
  name: 'accounts update',
  summary: 'make somebody staff or not, disable or enable their account',
  examples: [`${PROGRAM} accounts update u2 --staff`, `${PROGRAM} accounts update u2 --no-active`],
  args: {
    id: { kind: 'required', describe: 'as the list shows it' },
    staff: {
      kind: 'switch',
      describe: 'they see all accounts, and may invite',
      describeNo: 'they see their own alone',
    },
    active: {
      kind: 'switch',
      describe: 'they may sign in again',
      describeNo: 'signed out at once, tokens refused; the channels go on running',
    },
    ...SERVER_ARGS,
  },
  async run({ id, staff, active, ...args }, io) {
    if (staff === undefined && active === undefined)
      throw usageError('Say what to change: --staff or --no-staff, --active or --no-active.')
    const change = { ...(staff !== undefined && { staff }), ...(active !== undefined && { active }) }
    const changed = await (await connectAccounts(args, io)).changeAccount(id, change)
    io.out.write(args.json ? jsonText(changed) : accountsTable([changed], io.out))
    return EXIT.ok
  },
}
