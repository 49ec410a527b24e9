import { PROGRAM, SERVER_ARGS, type Command, type ServerArgs } from './command.ts'
import { forgetCredentials } from './credentials.ts'
import { CliError, EXIT } from './exit-code.ts'
import { type Credentials, oauthServer } from './oauth-server.ts'
import { serverUrl } from './server-address.ts'
import { jsonText } from './text.ts'
import type { Io } from './io.ts'

export const logout: Command<ServerArgs> = {
  name: 'logout',
  summary: 'sign out again: the tokens end here and at the server',
  examples: [`${PROGRAM} logout`, `${PROGRAM} logout --url https://gate.example.org`],
  args: SERVER_ARGS,
  async run(args, io) {
    const url = serverUrl(args.url, io.env)
    const ended = await forgetCredentials(io, url, (kept) => revoked(io, url, kept))
    if (ended?.told === false) {
      throw new CliError('not_revoked', `Signed out here, but ${url} could not be told.`, {
        hints: [`End the access of the command line there: ${url}/accounts/applications/`],
        cause: ended.error,
      })
    }
    const text = ended === null ? `Nobody was signed in at ${url}.` : `Signed out at ${url}.`
    io.out.write(args.json ? jsonText({ ok: true, signed_out: ended !== null }) : `${text}\n`)
    return EXIT.ok
  },
}

type Told = { readonly told: true } | { readonly told: false; readonly error: unknown }

async function revoked(io: Io, url: string, kept: Credentials): Promise<Told> {
  try {
    await (await oauthServer(io, url)).revoke(kept)
    return { told: true }
  } catch (error) {
    return { told: false, error }
  }
}
