import { apiCall } from './api.ts'
import { PROGRAM, SERVER_ARGS, type Command, type ServerArgs } from './command.ts'
import { keepCredentials } from './credentials.ts'
import { EXIT } from './exit-code.ts'
import { oauthServer } from './oauth-server.ts'
import { serverUrl } from './server-address.ts'
import { jsonText, paletteOf, plainLine } from './text.ts'

interface Args extends ServerArgs {
  readonly scopes: string | undefined
}

interface Me {
  readonly account: string
  readonly scopes: readonly string[]
  readonly user: { readonly email: string; readonly name: string } | null
}

export const login: Command<Args> = {
  name: 'login',
  summary: 'sign in at a server with your own account',
  examples: [`${PROGRAM} login`, `${PROGRAM} login --url https://gate.example.org --scopes admin,channels:read`],
  args: {
    scopes: {
      kind: 'value',
      placeholder: 'list',
      describe: 'channels:read, channels:write, channels:send, account, admin; with commas (default: all but admin)',
    },
    ...SERVER_ARGS,
  },
  async run(args, io) {
    const url = serverUrl(args.url, io.env)
    const server = await oauthServer(io, url)
    const device = await server.begin(scopeOf(args.scopes))
    const { bold, dim } = paletteOf(io.err)
    const page = device.verification_uri_complete ?? device.verification_uri
    io.err.write(`Open this page and confirm the code ${bold(plainLine(device.user_code))}:\n\n`)
    io.err.write(`  ${bold(plainLine(page))}\n\n${dim('Waiting for you … Ctrl-C gives up.')}\n`)
    await keepCredentials(io, url, await server.wait(device))
    const me = await (await apiCall(args, io)).call<Me>('scopes', { method: 'GET', path: '/api/me', platform: '' })
    if (args.json) io.out.write(jsonText(me))
    else
      io.out.write(`Signed in at ${url} as ${plainLine(me.user?.email || me.account)}, for ${me.scopes.join(', ')}.\n`)
    return EXIT.ok
  },
}

const scopeOf = (given: string | undefined): string | undefined =>
  given === undefined ? undefined : ['openid', ...given.split(',').map((scope) => scope.trim())].join(' ')
