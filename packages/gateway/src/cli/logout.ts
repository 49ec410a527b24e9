import { PROGRAM, SERVER_ARGS, type Command, type ServerArgs } from './command.ts'
import { credentialsFor, forgetCredentials } from './credentials.ts'
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
    const kept = await credentialsFor(io, url)
    if (kept !== null) {
      const failed = await revoked(io, url, kept)
      await forgetCredentials(io, url)
      if (failed !== null) {
        throw new CliError('not_revoked', `Signed out here, but ${url} could not be told.`, {
          hints: [`End the access of the command line there: ${url}/accounts/applications/`],
          cause: failed.error,
        })
      }
    }
    const text = kept === null ? `Nobody was signed in at ${url}.` : `Signed out at ${url}.`
    io.out.write(args.json ? jsonText({ ok: true, signed_out: kept !== null }) : `${text}\n`)
    return EXIT.ok
  },
}

/** `null`: the server knows. */
async function revoked(io: Io, url: string, kept: Credentials): Promise<{ readonly error: unknown } | null> {
  try {
    await (await oauthServer(io, url)).revoke(kept)
    return null
  } catch (error) {
    return { error }
  }
}
