import { connectAccounts, type TokenView } from '../api.ts'
import { type Command, PROGRAM, SERVER_ARGS, type ServerArgs } from '../command.ts'
import { EXIT, usageError } from '../exit-code.ts'
import type { Io } from '../io.ts'
import { localTime, relativeTime, jsonText, createPalette, plainLine } from '../text.ts'
import { table } from '../table.ts'

/** Selects the account of a token. */
export interface AccountArgs extends ServerArgs {
  readonly account: string | undefined
}
/** The option `--account`. */
export const ACCOUNT_ARG = {
  kind: 'value',
  placeholder: 'id',
  describe: 'account id (default: your own)',
} as const

interface CreateArgs extends AccountArgs {
  readonly name: string | undefined
  readonly scopes: string | undefined
  readonly expires: string | undefined
}

/** The command `gatepost token create`. */
export const tokenCreate: Command<CreateArgs> = {
  name: 'token create',
  summary: 'create a personal access token',
  examples: [
    `${PROGRAM} token create --name backup`,
    `${PROGRAM} token create --name monitor --scopes channels:read --expires 30d`,
  ],
  args: {
    name: { kind: 'value', placeholder: 'name', describe: 'name of the token' },
    scopes: {
      kind: 'value',
      placeholder: 'list',
      describe:
        'channels:read, channels:write, channels:send, account, admin; comma-separated (default: all channels:*)',
    },
    expires: { kind: 'value', placeholder: 'time', describe: '30d, 12h, 90m, or never (default: 90d)' },
    account: ACCOUNT_ARG,
    ...SERVER_ARGS,
  },
  async run(args, io) {
    if (args.name === undefined) throw usageError('Give the token a name: --name <name>.')
    const scopes = args.scopes?.split(',').map((scope) => scope.trim())
    const asked = {
      name: args.name,
      ...(scopes && { scopes }),
      ...(args.expires !== undefined && { expires_in: parseSeconds(args.expires) }),
    }
    const made = await (await connectAccounts(args, io)).createToken(asked, args.account)
    if (args.json) {
      io.out.write(jsonText(made))
      return EXIT.ok
    }
    const { bold, dim } = createPalette(io.out)
    const end = made.expires_at === null ? 'never expires' : `expires at ${localTime(made.expires_at)}`
    io.out.write(`${bold(plainLine(made.token))}\n`)
    io.err.write(
      `\n${dim(`Copy the token now. It won't be shown again. It ${end}. Scopes: ${made.scopes.join(', ')}.`)}\n`,
    )
    return EXIT.ok
  },
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { d: 86_400, h: 3_600, m: 60 }

/** @throws {CliError} `usage` */
function parseSeconds(text: string): number | null {
  if (text === 'never') return null
  const [, count = '', unit = ''] = /^(\d{1,5})([dhm])$/.exec(text) ?? []
  const seconds = Number(count) * (UNIT_SECONDS[unit] ?? 0)
  if (seconds === 0) throw usageError('--expires must be a duration such as 30d, 12h or 90m, or never.')
  return seconds
}

/** The command `gatepost token list`. */
export const tokenList: Command<AccountArgs> = {
  name: 'token list',
  summary: 'list personal access tokens',
  examples: [`${PROGRAM} token list`],
  args: { account: ACCOUNT_ARG, ...SERVER_ARGS },
  async run(args, io) {
    const answer = await (await connectAccounts(args, io)).tokens(args.account)
    if (args.json) io.out.write(jsonText(answer))
    else if (answer.tokens.length === 0) io.out.write(`No tokens. Create one: ${PROGRAM} token create\n`)
    else io.out.write(tokensTable(answer.tokens, io))
    return EXIT.ok
  },
}

function tokensTable(tokens: readonly TokenView[], io: Io): string {
  const { dim, red } = createPalette(io.out)
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

interface RevokeArgs extends AccountArgs {
  readonly id: string
}

/** The command `gatepost token revoke`. */
export const tokenRevoke: Command<RevokeArgs> = {
  name: 'token revoke',
  summary: 'revoke a personal access token',
  examples: [`${PROGRAM} token revoke <id>`],
  args: { id: { kind: 'required', describe: 'id as shown in the list' }, account: ACCOUNT_ARG, ...SERVER_ARGS },
  async run(args, io) {
    const answer = await (await connectAccounts(args, io)).revokeToken(args.id, args.account)
    io.out.write(args.json ? jsonText(answer) : 'Revoked.\n')
    return EXIT.ok
  },
}
