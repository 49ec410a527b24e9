import { type ClientInput, type ClientView, connectAccounts } from '../api.ts'
import { type ArgSpecs, type Command, PROGRAM, SERVER_ARGS, type ServerArgs } from '../command.ts'
import { EXIT, usageError } from '../exit-code.ts'
import { jsonText, createPalette, plainLine, type Output } from '../text.ts'
import { type Column, table } from '../table.ts'

/** The command `gatepost clients list`. */
export const clientsList: Command<ServerArgs> = {
  name: 'clients list',
  summary: 'list the OAuth clients of this server',
  examples: [`${PROGRAM} clients list`, `${PROGRAM} clients list --json`],
  args: SERVER_ARGS,
  async run(args, io) {
    const answer = await (await connectAccounts(args, io)).clients()
    if (args.json) io.out.write(jsonText(answer))
    else io.out.write(answer.clients.length === 0 ? 'No OAuth clients.\n' : clientsTable(answer.clients, io.out))
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

/** Formats OAuth clients as a table. */
export function clientsTable(clients: readonly ClientView[], output: Output): string {
  const { dim } = createPalette(output)
  const rows = clients.map(({ id, name, type, scopes, redirect_uris }) => [
    plainLine(name),
    type,
    plainLine(scopes.join(', ')),
    plainLine(redirect_uris.join(' ')) || { text: 'none', paint: dim },
    plainLine(id),
  ])
  return table(COLUMNS, rows, output)
}

/** Options that describe an OAuth client. Lists are comma-separated. */
export interface ClientArgs {
  readonly redirect: string | undefined
  readonly logoutRedirect: string | undefined
  readonly scopes: string | undefined
  readonly grants: string | undefined
  readonly skipConsent: boolean | undefined
}
/** Options of `ClientArgs`. */
export const CLIENT_ARGS: ArgSpecs<ClientArgs> = {
  redirect: { kind: 'value', placeholder: 'uris', describe: 'redirect URIs, comma-separated' },
  logoutRedirect: { kind: 'value', placeholder: 'uris', describe: 'redirect URIs after sign-out, comma-separated' },
  scopes: {
    kind: 'value',
    placeholder: 'list',
    describe: 'openid, email, profile, channels:read, channels:write, channels:send, account, admin',
  },
  grants: {
    kind: 'value',
    placeholder: 'list',
    describe: 'authorization_code, refresh_token, client_credentials, device_code',
  },
  skipConsent: {
    kind: 'switch',
    describe: 'skip the consent page; only for your own programs',
    describeNo: 'show the consent page',
  },
}

const GRANTS: Readonly<Record<string, string>> = {
  authorization_code: 'authorization_code',
  refresh_token: 'refresh_token',
  client_credentials: 'client_credentials',
  device_code: 'urn:ietf:params:oauth:grant-type:device_code',
}

/** Converts the options to the API's input. @throws {CliError} `usage` */
export function clientInput({ redirect, logoutRedirect, scopes, grants, skipConsent }: ClientArgs): ClientInput {
  return {
    ...(redirect !== undefined && { redirect_uris: splitList(redirect) }),
    ...(logoutRedirect !== undefined && { post_logout_redirect_uris: splitList(logoutRedirect) }),
    ...(scopes !== undefined && { scopes: splitList(scopes) }),
    ...(grants !== undefined && { grant_types: splitList(grants).map(parseGrant) }),
    ...(skipConsent !== undefined && { skip_consent: skipConsent }),
  }
}

const splitList = (text: string): readonly string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

function parseGrant(name: string): string {
  const grant = GRANTS[name]
  if (grant === undefined) throw usageError(`--grants accepts ${Object.keys(GRANTS).join(', ')}.`)
  return grant
}

interface CreateArgs extends ServerArgs, ClientArgs {
  readonly name: string
  readonly public: boolean
}

/** The command `gatepost clients create`. */
export const clientsCreate: Command<CreateArgs> = {
  name: 'clients create',
  summary: 'register an OAuth client',
  examples: [
    `${PROGRAM} clients create Wiki --redirect https://wiki.example.org/callback --scopes openid,email`,
    `${PROGRAM} clients create Backup --grants client_credentials --scopes channels:read`,
  ],
  args: {
    name: { kind: 'required', describe: 'name shown on the consent page' },
    public: { kind: 'flag', describe: "a program on users' devices, which can't keep a secret" },
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
    const { bold, dim } = createPalette(io.out)
    io.out.write(`client_id      ${bold(plainLine(made.id))}\n`)
    if (made.secret !== null) io.out.write(`client_secret  ${bold(plainLine(made.secret))}\n`)
    const note =
      made.secret === null ? 'A public client has no secret.' : "Copy the secret now. It won't be shown again."
    io.err.write(`\n${dim(note)}\n`)
    return EXIT.ok
  },
}

interface UpdateArgs extends ServerArgs, ClientArgs {
  readonly id: string
  readonly name: string | undefined
}

/** The command `gatepost clients update`. */
export const clientsUpdate: Command<UpdateArgs> = {
  name: 'clients update',
  summary: 'change an OAuth client',
  examples: [`${PROGRAM} clients update 0a1b --redirect https://wiki.example.org/callback`],
  args: {
    id: { kind: 'required', describe: 'id as shown in the list' },
    name: { kind: 'value', placeholder: 'name', describe: 'name shown on the consent page' },
    ...CLIENT_ARGS,
    ...SERVER_ARGS,
  },
  async run(args, io) {
    const changes = { ...(args.name !== undefined && { name: args.name }), ...clientInput(args) }
    if (Object.keys(changes).length === 0)
      throw usageError('Nothing to change. Use an option such as --redirect <uris>.')
    const changed = await (await connectAccounts(args, io)).changeClient(args.id, changes)
    io.out.write(args.json ? jsonText(changed) : clientsTable([changed], io.out))
    return EXIT.ok
  },
}

interface RenewSecretArgs extends ServerArgs {
  readonly id: string
}

/** The command `gatepost clients renew-secret`. */
export const clientsRenewSecret: Command<RenewSecretArgs> = {
  name: 'clients renew-secret',
  summary: "replace an OAuth client's secret",
  examples: [`${PROGRAM} clients renew-secret 0a1b`],
  args: { id: { kind: 'required', describe: 'id as shown in the list' }, ...SERVER_ARGS },
  async run(args, io) {
    const made = await (await connectAccounts(args, io)).renewClientSecret(args.id)
    if (args.json) {
      io.out.write(jsonText(made))
      return EXIT.ok
    }
    const { bold, dim } = createPalette(io.out)
    io.out.write(`${bold(plainLine(made.secret))}\n`)
    io.err.write(`\n${dim("Copy the secret now. It won't be shown again.")}\n`)
    return EXIT.ok
  },
}

interface RemoveArgs extends ServerArgs {
  readonly id: string
}

/** The command `gatepost clients remove`. */
export const clientsRemove: Command<RemoveArgs> = {
  name: 'clients remove',
  summary: 'remove an OAuth client and revoke its access',
  examples: [`${PROGRAM} clients remove 0a1b`],
  args: { id: { kind: 'required', describe: 'id as shown in the list' }, ...SERVER_ARGS },
  async run(args, io) {
    const done = await (await connectAccounts(args, io)).removeClient(args.id)
    io.out.write(args.json ? jsonText(done) : `Removed ${plainLine(args.id)}.\n`)
    return EXIT.ok
  },
}
