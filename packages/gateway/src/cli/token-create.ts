import { connectAccounts } from './account-api.ts'
import { PROGRAM, SERVER_ARGS, type Command, type ServerArgs } from './command.ts'
import { EXIT, usageError } from './exit-code.ts'
import { localTime } from './relative-time.ts'
import { jsonText, paletteOf, plainLine } from './text.ts'

/** Which account a token belongs to. */
export interface AccountArgs extends ServerArgs {
  readonly account: string | undefined
}
export const ACCOUNT_ARG = {
  kind: 'value',
  placeholder: 'id',
  describe: 'of this account (default: your own)',
} as const

interface Args extends AccountArgs {
  readonly name: string | undefined
  readonly scopes: string | undefined
  readonly expires: string | undefined
}

export const tokenCreate: Command<Args> = {
  name: 'token create',
  summary: 'make a personal access token for a program',
  examples: [
    `${PROGRAM} token create --name backup`,
    `${PROGRAM} token create --name monitor --scopes channels:read --expires 30d`,
  ],
  args: {
    name: { kind: 'value', placeholder: 'name', describe: 'what it is for' },
    scopes: {
      kind: 'value',
      placeholder: 'list',
      describe: 'channels:read, channels:write, channels:send, account, admin; with commas (default: all of channels)',
    },
    expires: { kind: 'value', placeholder: 'time', describe: '30d, 12h, 90m, or never (default: 90d)' },
    account: ACCOUNT_ARG,
    ...SERVER_ARGS,
  },
  async run(args, io) {
    if (args.name === undefined) throw usageError('Say what the token is for: --name <name>.')
    const scopes = args.scopes?.split(',').map((scope) => scope.trim())
    const asked = {
      name: args.name,
      ...(scopes && { scopes }),
      ...(args.expires !== undefined && { expires_in: secondsOf(args.expires) }),
    }
    const made = await (await connectAccounts(args, io)).createToken(asked, args.account)
    if (args.json) {
      io.out.write(jsonText(made))
      return EXIT.ok
    }
    const { bold, dim } = paletteOf(io.out)
    const end = made.expires_at === null ? 'until it is revoked' : `until ${localTime(made.expires_at)}`
    io.out.write(`${bold(plainLine(made.token))}\n`)
    io.err.write(`\n${dim(`It is shown this once. It is valid ${end}, for ${made.scopes.join(', ')}.`)}\n`)
    return EXIT.ok
  },
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { d: 86_400, h: 3_600, m: 60 }

/** @throws {CliError} `usage` */
function secondsOf(text: string): number | null {
  if (text === 'never') return null
  const [, count = '', unit = ''] = /^(\d{1,5})([dhm])$/.exec(text) ?? []
  const seconds = Number(count) * (UNIT_SECONDS[unit] ?? 0)
  if (seconds === 0) throw usageError('--expires must be a time such as 30d, 12h or 90m, or never.')
  return seconds
}
