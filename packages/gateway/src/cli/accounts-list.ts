import { type AccountView, connectAccounts } from './account-api.ts'
import { PROGRAM, SERVER_ARGS, type Command, type ServerArgs } from './command.ts'
import { EXIT } from './exit-code.ts'
import { LIMIT_ARG, limitOf } from './page-args.ts'
import { table } from './table.ts'
import { jsonText, paletteOf, plainLine } from './text.ts'
import type { Output } from './output.ts'

interface Args extends ServerArgs {
  readonly limit: string | undefined
  readonly after: string | undefined
}

export const accountsList: Command<Args> = {
  name: 'accounts list',
  summary: 'list the accounts and whose they are',
  examples: [`${PROGRAM} accounts list`, `${PROGRAM} accounts list --limit 100 --json`],
  args: {
    limit: LIMIT_ARG,
    after: { kind: 'value', placeholder: 'mark', describe: 'the page after this one, as the last page named it' },
    ...SERVER_ARGS,
  },
  async run(args, io) {
    const limit = limitOf(args)
    const page = await (await connectAccounts(args, io)).accounts({ limit, after: args.after })
    if (args.json) {
      io.out.write(jsonText(page))
      return EXIT.ok
    }
    io.out.write(page.items.length === 0 ? 'No accounts.\n' : accountsTable(page.items, io.out))
    if (page.next !== null) io.out.write(`\nMore: ${PROGRAM} accounts list --after ${plainLine(page.next)}\n`)
    return EXIT.ok
  },
}

/** Accounts, one a line. */
export function accountsTable(accounts: readonly AccountView[], output: Output): string {
  const { dim, red } = paletteOf(output)
  const rows = accounts.map(({ id, user }) =>
    user === null
      ? [plainLine(id), { text: 'nobody', paint: dim }]
      : [
          plainLine(id),
          plainLine(user.email),
          plainLine(user.name),
          user.staff ? 'yes' : { text: 'no', paint: dim },
          user.active ? 'yes' : { text: 'no', paint: red },
        ],
  )
  const columns = [
    { title: 'Id' },
    { title: 'Address', flexible: true },
    { title: 'Name', flexible: true, optional: true },
    { title: 'Staff' },
    { title: 'Active' },
  ] as const
  return table(columns, rows, output)
}
