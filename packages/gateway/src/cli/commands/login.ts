import { createApiCall } from '../api.ts'
import { type Command, PROGRAM, SERVER_ARGS, type ServerArgs } from '../command.ts'
import { removeCredentials, saveCredentials } from '../credentials.ts'
import { CliError, EXIT } from '../exit-code.ts'
import type { Io } from '../io.ts'
import { type Credentials, connectOAuth } from '../oauth-server.ts'
import { serverUrl } from '../server-address.ts'
import { jsonText, createPalette, plainLine } from '../text.ts'

interface LoginArgs extends ServerArgs {
  readonly scopes: string | undefined
}

interface Me {
  /** `null`: unknown. */
  readonly account: string | null
  readonly scopes: readonly string[]
  readonly user: { readonly email: string; readonly name: string } | null
}

/** The command `gatepost login`. */
export const login: Command<LoginArgs> = {
  name: 'login',
  summary: 'sign in to a server with your account',
  examples: [`${PROGRAM} login`, `${PROGRAM} login --url https://gate.example.org --scopes admin,channels:read`],
  args: {
    scopes: {
      kind: 'value',
      placeholder: 'list',
      describe:
        'channels:read, channels:write, channels:send, account, admin; comma-separated (default: all but admin)',
    },
    ...SERVER_ARGS,
  },
  async run(args, io) {
    const url = serverUrl(args.url, io.env)
    const server = await connectOAuth(io, url)
    const device = await server.begin(normalizeScopes(args.scopes))
    const { bold, dim } = createPalette(io.err)
    const { verification_uri_complete: link, verification_uri: page } = device
    const act = link === undefined ? 'enter' : 'confirm'
    io.err.write(`Open this page and ${act} the code ${bold(plainLine(device.user_code))}:\n\n`)
    io.err.write(`  ${bold(plainLine(link ?? page))}\n\n${dim('Waiting for confirmation. Press Ctrl-C to cancel.')}\n`)
    const { credentials, scopes } = await server.wait(device)
    await saveCredentials(io, url, credentials)
    // Reading the account needs the scope `account`.
    const isShort = scopes?.includes('account') === false
    const me = isShort ? { account: null, scopes, user: null } : await whoIs(io, url, credentials)
    const name = me.user?.email || me.account
    const as = name === null ? '' : ` as ${plainLine(name)}`
    io.out.write(
      args.json
        ? jsonText(me)
        : `Signed in to ${url}${as}. Scopes: ${me.scopes.map((one) => plainLine(one)).join(', ')}.\n`,
    )
    if (io.env['GATEPOST_TOKEN']?.trim()) io.err.write('GATEPOST_TOKEN is set and takes precedence.\n')
    return EXIT.ok
  },
}

const whoIs = (io: Io, url: string, { access_token: value }: Credentials): Promise<Me> =>
  createApiCall({ url, token: { found: true, value } }, io)('scopes', { method: 'GET', path: '/api/me', platform: '' })

const normalizeScopes = (given: string | undefined): string | undefined => given?.split(/[\s,]+/).join(' ')

/** The command `gatepost logout`. */
export const logout: Command<ServerArgs> = {
  name: 'logout',
  summary: 'sign out and revoke the tokens',
  examples: [`${PROGRAM} logout`, `${PROGRAM} logout --url https://gate.example.org`],
  args: SERVER_ARGS,
  async run(args, io) {
    const url = serverUrl(args.url, io.env)
    const ended = await removeCredentials(io, url, (kept) => revokeTokens(io, url, kept))
    if (ended?.revoked === false) {
      throw new CliError('not_revoked', `Signed out on this machine, but couldn't revoke the tokens at ${url}.`, {
        hints: [`Revoke the command line's access there: ${url}/accounts/applications/`],
        cause: ended.error,
      })
    }
    const text = ended === null ? `You weren't signed in to ${url}.` : `Signed out of ${url}.`
    io.out.write(args.json ? jsonText({ ok: true, signed_out: ended !== null }) : `${text}\n`)
    return EXIT.ok
  },
}

type Revocation = { readonly revoked: true } | { readonly revoked: false; readonly error: unknown }

async function revokeTokens(io: Io, url: string, kept: Credentials): Promise<Revocation> {
  try {
    await (await connectOAuth(io, url)).revoke(kept)
    return { revoked: true }
  } catch (error) {
    return { revoked: false, error }
  }
}
