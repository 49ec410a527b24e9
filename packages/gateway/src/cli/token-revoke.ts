import { connectAccounts } from './account-api.ts'
import { PROGRAM, SERVER_ARGS, type Command } from './command.ts'
import { EXIT } from './exit-code.ts'
import { jsonText } from './text.ts'
import { ACCOUNT_ARG, type AccountArgs } from './token-create.ts'

interface Args extends AccountArgs {
  readonly id: string
}

export const tokenRevoke: Command<Args> = {
  name: 'token revoke',
  summary: 'revoke a personal access token at once',
  examples: [`${PROGRAM} token revoke <id>`],
  args: { id: { kind: 'required', describe: 'as the list shows it' }, account: ACCOUNT_ARG, ...SERVER_ARGS },
  async run(args, io) {
    const answer = await (await connectAccounts(args, io)).revokeToken(args.id, args.account)
    io.out.write(args.json ? jsonText(answer) : 'Revoked.\n')
    return EXIT.ok
  },
}
