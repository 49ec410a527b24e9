import { type ClientInput, type ClientView, connectAccounts } from '../api.ts'
import { type ArgSpecs, type Command, PROGRAM, SERVER_ARGS, type ServerArgs } from '../command.ts'
import { EXIT, usageError } from '../exit-code.ts'
import { jsonText, createPalette, plainLine, type Output } from '../text.ts'
import { type Column, table } from '../table.ts'

export const clientsList: Command<ServerArgs> = {
  name: 'clients list',
  summary: 'list the programs that people sign in to through this server',
  examples: [`${PROGRAM} clients list`, `${PROGRAM} clients list --json`],
  args: SERVER_ARGS,
  async run(args, io) {
    const answer = await (await connectAccounts(args, io)).clients()
    if (args.json) io.out.write(jsonText(answer))
    else io.out.write(answer.clients.length === 0 ? 'No clients.\n' : clientsTable(answer.clients, io.out))
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

/** Clients, one a line. */
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

/** What may be said of a client. Lists have commas between their parts. */
export interface ClientArgs {
  readonly redirect: string | undefined
  readonly logoutRedirect: string | undefined
  readonly scopes: string | undefined
  readonly grants: string | undefined
  readonly skipConsent: boolean | undefined
}
export const CLIENT_ARGS: ArgSpecs<ClientArgs> = {
  redirect: { kind: 'value', placeholder: 'uris', describe: 'where people come back to; with commas' },
  logoutRedirect: { kind: 'value', placeholder: 'uris', describe: 'where a sign-out that it starts may lead' },
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
    describe: 'nobody is asked: for programs of your own alone',
    describeNo: 'people are asked',
  },
}

const GRANTS: Readonly<Record<string, string>> = {
  authorization_code: 'authorization_code',
  refresh_token: 'refresh_token',
  client_credentials: 'client_credentials',
  device_code: 'urn:ietf:params:oauth:grant-type:device_code',
}

/** What was said, as the API takes it. @throws {CliError} `usage` */
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
  if (grant === undefined) throw usageError(`--grants takes ${Object.keys(GRANTS).join(', ')}.`)
  return grant
}

interface CreateArgs extends ServerArgs, ClientArgs {
  readonly name: string
  readonly public: boolean
}

export const clientsCreate: Command<CreateArgs> = {
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
    const { bold, dim } = createPalette(io.out)
    io.out.write(`client_id      ${bold(plainLine(made.id))}\n`)
    if (made.secret !== null) io.out.write(`client_secret  ${bold(plainLine(made.secret))}\n`)
    const note = made.secret === null ? 'A public client has no secret.' : 'The secret is shown this once.'
    io.err.write(`\n${dim(note)}\n`)
    return EXIT.ok
  },
}

interface UpdateArgs extends ServerArgs, ClientArgs {
  readonly id: string
  readonly name: string | undefined
}

export const clientsUpdate: Command<UpdateArgs> = {
  name: 'clients update',
  summary: 'change a program; what is left out stays',
  examples: [`${PROGRAM} clients update 0a1b --redirect https://wiki.example.org/callback`],
  args: {
    id: { kind: 'required', describe: 'as the list shows it' },
    name: { kind: 'value', placeholder: 'name', describe: 'as people read it when they are asked' },
    ...CLIENT_ARGS,
    ...SERVER_ARGS,
  },
  async run(args, io) {
    const changes = { ...(args.name !== undefined && { name: args.name }), ...clientInput(args) }
    if (Object.keys(changes).length === 0) throw usageError('Say what to change, for example --redirect <uris>.')
    const changed = await (await connectAccounts(args, io)).changeClient(args.id, changes)
    io.out.write(args.json ? jsonText(changed) : clientsTable([changed], io.out))
    return EXIT.ok
  },
}

interface RenewSecretArgs extends ServerArgs {
  readonly id: string
}

export const clientsRenewSecret: Command<RenewSecretArgs> = {
  name: 'clients renew-secret',
  summary: 'give a program a new secret; the old one is not taken any more',
  examples: [`${PROGRAM} clients renew-secret 0a1b`],
  args: { id: { kind: 'required', describe: 'as the list shows it' }, ...SERVER_ARGS },
  async run(args, io) {
    const made = await (await connectAccounts(args, io)).renewClientSecret(args.id)
    if (args.json) {
      io.out.write(jsonText(made))
      return EXIT.ok
    }
    const { bold, dim } = createPalette(io.out)
    io.out.write(`${bold(plainLine(made.secret))}\n`)
    io.err.write(`\n${dim('It is shown this once.')}\n`)
    return EXIT.ok
  },
}

interface RemoveArgs extends ServerArgs {
  readonly id: string
}

export const clientsRemove: Command<RemoveArgs> = {
  name: 'clients remove',
  summary: 'remove a program with everything that it was allowed',
  examples: [`${PROGRAM} clients remove 0a1b`],
  args: { id: { kind: 'required', describe: 'as the list shows it' }, ...SERVER_ARGS },
  async run(args, io) {
    const done = await (await connectAccounts(args, io)).removeClient(args.id)
    io.out.write(args.json ? jsonText(done) : `${plainLine(args.id)} is removed.\n`)
    return EXIT.ok
  },
}
