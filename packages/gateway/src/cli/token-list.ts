import { connectAccounts, type TokenView } from './account-api.ts'
import { PROGRAM, SERVER_ARGS, type Command } from './command.ts'
import { EXIT } from './exit-code.ts'
import { relativeTime } from './relative-time.ts'
import { table } from './table.ts'
import { jsonText, paletteOf, plainLine } from './text.ts'
import { ACCOUNT_ARG, type AccountArgs } from './token-create.ts'
import type { Io } from './io.ts'

export const tokenList: Command<AccountArgs> = {
  name: 'token list',
  summary: 'list the personal access tokens and when each was used last',
  examples: [`${PROGRAM} token list`],
  args: { account: ACCOUNT_ARG, ...SERVER_ARGS },
  async run(args, io) {
    const answer = await (await connectAccounts(args, io)).tokens(args.account)
    if (args.json) io.out.write(jsonText(answer))
    else if (answer.tokens.length === 0) io.out.write(`There are no tokens. Make one: ${PROGRAM} token create\n`)
    else io.out.write(tokensTable(answer.tokens, io))
    return EXIT.ok
  },
}

function tokensTable(tokens: readonly TokenView[], io: Io): string {
  const { dim, red } = paletteOf(io.out)
  const nowMs = io.clock.now()
  const rows = tokens.map(({ id, name, scopes, expires_at, last_used_at }) => [
    plainLine(name),
    scopes.join(' '),
    last_used_at === null ? { text: 'never', paint: dim } : relativeTime(last_used_at, nowMs),
    expires_at === null
      ? 'never'
      : expires_at <= nowMs
        ? { text: 'expired', paint: red }
        : relativeTime(expires_at, nowMs),
    plainLine(id),
  ])
  const columns = [
    { title: 'Name', flexible: true },
    { title: 'Scopes', flexible: true },
    { title: 'Last used' },
    { title: 'Expires' },
    { title: 'Id' },
  ] as const
  return table(columns, rows, io.out)
}
