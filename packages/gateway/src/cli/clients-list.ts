import { type ClientView, connectAccounts } from './account-api.ts'
import { PROGRAM, SERVER_ARGS, type Command, type ServerArgs } from './command.ts'
import { EXIT } from './exit-code.ts'
import { type Column, table } from './table.ts'
import { jsonText, paletteOf, plainLine } from './text.ts'
import type { Output } from './output.ts'

export const clientsList: Command<ServerArgs> = {
  name: 'clients list',
  summary: 'list the programs that people sign in to through this server',
  examples: [`${PROGRAM} clients list`, `${PROGRAM} clients list --json`],
  args: SERVER_ARGS,
  async run(args, io) {
    const answer = await (await connectAccounts(args, io)).clients()
    if (args.json) io.out.write(jsonText(answer))
    else io.out.write(answer.clients.length === 0 ? 'No clients.\n' : clientsTable(answer.clients, io.out))
    return EXIT.ok
  },
}

const COLUMNS: readonly Column[] = [
  { title: 'Name' },
  { title: 'Type' },
  { title: 'Scopes', flexible: true },
  { title: 'Redirect URIs', flexible: true },
  { title: 'Id' },
]

/** Clients, one a line. */
export function clientsTable(clients: readonly ClientView[], output: Output): string {
  const { dim } = paletteOf(output)
  const rows = clients.map(({ id, name, type, scopes, redirect_uris }) => [
    plainLine(name),
    type,
    plainLine(scopes.join(', ')),
    plainLine(redirect_uris.join(' ')) || { text: 'none', paint: dim },
    plainLine(id),
  ])
  return table(COLUMNS, rows, output)
}
