import { type AccountView, connectAccounts } from '../api.ts'
import { PROGRAM, SERVER_ARGS, LIMIT_ARG, parseLimit, type Command, type ServerArgs } from '../command.ts'
import { EXIT, usageError } from '../exit-code.ts'
import { localTime, jsonText, createPalette, plainLine, type Output } from '../text.ts'
import { table } from '../table.ts'

interface ListArgs extends ServerArgs {
  readonly limit: string | undefined
  readonly after: string | undefined
}

/** The command `gatepost accounts list`. */
export const accountsList: Command<ListArgs> = {
  name: 'accounts list',
  summary: 'list accounts and their users',
  examples: [`${PROGRAM} accounts list`, `${PROGRAM} accounts list --limit 100 --json`],
  args: {
    limit: LIMIT_ARG,
    after: { kind: 'value', placeholder: 'cursor', describe: 'show the page after this cursor' },
    ...SERVER_ARGS,
  },
  async run(args, io) {
    const limit = parseLimit(args)
    const page = await (await connectAccounts(args, io)).accounts({ limit, after: args.after })
    if (args.json) {
      io.out.write(jsonText(page))
      return EXIT.ok
    }
    io.out.write(page.items.length === 0 ? 'No accounts.\n' : accountsTable(page.items, io.out))
    if (page.next !== null) io.out.write(`\nMore: ${PROGRAM} accounts list --after ${plainLine(page.next)}\n`)
    return EXIT.ok
  },
}

/** Formats accounts as a table. */
export function accountsTable(accounts: readonly AccountView[], output: Output): string {
  const { dim, red } = createPalette(output)
  const rows = accounts.map(({ id, user }) =>
    user === null
      ? [plainLine(id), { text: 'no user', paint: dim }]
      : [
          plainLine(id),
          plainLine(user.email),
          plainLine(user.name),
          user.staff ? 'yes' : { text: 'no', paint: dim },
          user.active ? 'yes' : { text: 'no', paint: red },
        ],
  )
  const columns = [
    { title: 'Id' },
    { title: 'Email', flexible: true },
    { title: 'Name', flexible: true, optional: true },
    { title: 'Staff' },
    { title: 'Active' },
  ] as const
  return table(columns, rows, output)
}

interface UpdateArgs extends ServerArgs {
  readonly id: string
  readonly staff: boolean | undefined
  readonly active: boolean | undefined
}

/** The command `gatepost accounts update`. */
export const accountsUpdate: Command<UpdateArgs> = {
  name: 'accounts update',
  summary: 'change staff permissions, or enable or disable an account',
  examples: [`${PROGRAM} accounts update u2 --staff`, `${PROGRAM} accounts update u2 --no-active`],
  args: {
    id: { kind: 'required', describe: 'id as shown in the list' },
    staff: {
      kind: 'switch',
      describe: 'grant access to all accounts and to invitations',
      describeNo: 'limit access to the own account',
    },
    active: {
      kind: 'switch',
      describe: 'allow signing in again',
      describeNo: 'sign out at once and reject tokens; channels keep running',
    },
    ...SERVER_ARGS,
  },
  async run({ id, staff, active, ...args }, io) {
    if (staff === undefined && active === undefined)
      throw usageError('Nothing to change. Use --staff or --no-staff, --active or --no-active.')
    const change = { ...(staff !== undefined && { staff }), ...(active !== undefined && { active }) }
    const changed = await (await connectAccounts(args, io)).changeAccount(id, change)
    io.out.write(args.json ? jsonText(changed) : accountsTable([changed], io.out))
    return EXIT.ok
  },
}

interface ResetMfaArgs extends ServerArgs {
  readonly id: string
}

/** The command `gatepost accounts reset-mfa`. */
export const accountsResetMfa: Command<ResetMfaArgs> = {
  name: 'accounts reset-mfa',
  summary: "remove a user's second factors, and sign the user out everywhere",
  examples: [`${PROGRAM} accounts reset-mfa u2`],
  args: { id: { kind: 'required', describe: 'id as shown in the list' }, ...SERVER_ARGS },
  async run({ id, ...args }, io) {
    const account = await (await connectAccounts(args, io)).resetAuthenticators(id)
    io.out.write(args.json ? jsonText(account) : `${accountsTable([account], io.out)}\nAll second factors removed.\n`)
    return EXIT.ok
  },
}

interface InviteArgs extends ServerArgs {
  readonly email: string | undefined
  readonly staff: boolean
}

/** The command `gatepost invite`. */
export const invite: Command<InviteArgs> = {
  name: 'invite',
  summary: 'create an invitation link',
  examples: [`${PROGRAM} invite`, `${PROGRAM} invite ann@example.org --staff`],
  args: {
    email: { kind: 'optional', describe: 'also send the link to this email address' },
    staff: { kind: 'flag', describe: 'grant access to all accounts and to invitations' },
    ...SERVER_ARGS,
  },
  async run({ email, staff, ...args }, io) {
    const client = await connectAccounts(args, io)
    const made = await client.invite({ ...(email !== undefined && { email }), staff })
    if (args.json) {
      io.out.write(jsonText(made))
      return EXIT.ok
    }
    const { bold, dim } = createPalette(io.out)
    const mailed = made.email === null ? '' : ` The link was sent to ${plainLine(made.email)}.`
    io.out.write(`${bold(plainLine(made.url))}\n`)
    io.err.write(`\n${dim(`The link creates one account and expires at ${localTime(made.expires_at)}.${mailed}`)}\n`)
    return EXIT.ok
  },
}
