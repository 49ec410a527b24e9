import { connectAccounts } from './account-api.ts'
import { CLIENT_ARGS, type ClientArgs, clientInput } from './client-args.ts'
import { PROGRAM, SERVER_ARGS, type Command, type ServerArgs } from './command.ts'
import { EXIT } from './exit-code.ts'
import { jsonText, paletteOf, plainLine } from './text.ts'

interface Args extends ServerArgs, ClientArgs {
  readonly name: string
  readonly public: boolean
}

export const clientsCreate: Command<Args> = {
  name: 'clients create',
  summary: 'register a program that people sign in to through this server',
  examples: [
    `${PROGRAM} clients create Wiki --redirect https://wiki.example.org/callback --scopes openid,email`,
    `${PROGRAM} clients create Backup --grants client_credentials --scopes channels:read`,
  ],
  args: {
    name: { kind: 'required', describe: 'as people read it when they are asked' },
    public: { kind: 'flag', describe: 'a program on devices of people, which can keep no secret' },
    ...CLIENT_ARGS,
    ...SERVER_ARGS,
  },
  async run(args, io) {
    const client = await connectAccounts(args, io)
    const asked = { name: args.name, ...(args.public && { type: 'public' }), ...clientInput(args) }
    const made = await client.createClient(asked)
    if (args.json) {
      io.out.write(jsonText(made))
      return EXIT.ok
    }
    const { bold, dim } = paletteOf(io.out)
    io.out.write(`client_id      ${bold(plainLine(made.id))}\n`)
    if (made.secret !== null) io.out.write(`client_secret  ${bold(plainLine(made.secret))}\n`)
    const note = made.secret === null ? 'A public client has no secret.' : 'The secret is shown this once.'
    io.err.write(`\n${dim(note)}\n`)
    return EXIT.ok
  },
}
