import { PROGRAM, type Command } from '../command.ts'
import { CliError, EXIT, usageError } from '../exit-code.ts'
import { table } from '../table.ts'
import { jsonText, createPalette, pairs } from '../text.ts'
import type { Io } from '../io.ts'
import type { AdoptionReport } from '@gatepost/auth'

interface Args {
  readonly url: string
  readonly json: boolean
}

/** The command `gatepost auth check-database`. */
export const authCheckDatabase: Command<Args> = {
  name: 'auth check-database',
  summary: "check whether Gatepost can adopt an existing site's accounts; changes nothing",
  examples: [
    `${PROGRAM} auth check-database ./db.sqlite3`,
    `${PROGRAM} auth check-database postgres://reader@db.example.org/site`,
  ],
  args: {
    url: {
      kind: 'required',
      describe: 'postgres://… (password in PGPASSWORD), or the path of an SQLite file',
    },
    json: { kind: 'flag', describe: 'print the report as JSON' },
  },
  async run({ url, json }, io) {
    const report = await inspectDatabase(url, io)
    io.out.write(json ? jsonText(report) : reportText(report, io))
    return report.adoptable ? EXIT.ok : EXIT.failed
  },
}

/** @throws {CliError} `usage`, `settings_invalid`, `database_foreign`, `database_unavailable` */
async function inspectDatabase(url: string, io: Io): Promise<AdoptionReport> {
  const { checkDatabase, resolveSettings, settingsFromEnvironment } = await import('@gatepost/auth')
  const { readExistingDatabase } = await import('../../accounts/existing-database.ts')
  try {
    const { settings } = resolveSettings(settingsFromEnvironment(io.env))
    const { userTable, account } = settings
    const schema = { userTable, uniqueEmail: account.uniqueEmail }
    return await readExistingDatabase(url, (database) => checkDatabase(database, schema))
  } catch (error) {
    throw await toCliError(error)
  }
}

/** Returns the CLI's error for one of the database or of the accounts. */
export async function toCliError(error: unknown): Promise<unknown> {
  const { AuthError } = await import('@gatepost/auth')
  const { SqlError } = await import('@gatepost/sql')
  if (error instanceof AuthError || error instanceof SqlError) {
    return new CliError(error.code, error.message, { cause: error })
  }
  if (error instanceof Error && 'code' in error) {
    return usageError(`Couldn't open the database (${String(error.code)}).`)
  }
  return error
}

function reportText(report: AdoptionReport, io: Io): string {
  const { bold, green, red } = createPalette(io.out)
  const verdict = report.adoptable
    ? green('Gatepost can adopt this database as it is.')
    : red("Gatepost can't adopt this database as it is.")
  const lists: readonly (readonly [title: string, findings: AdoptionReport['conflicts']])[] = [
    ['Conflicts', report.conflicts],
    ['Will be added', report.additions],
    ['Harmless differences from a new database', report.differences],
  ]
  const parts = lists
    .filter(([, findings]) => findings.length > 0)
    .map(([title, findings]) => `${bold(title)}\n${findingsTable(findings, io)}`)
  return [`${verdict}\n`, countsText(report, io), ...parts].filter(Boolean).join('\n')
}

const findingsTable = (findings: AdoptionReport['conflicts'], io: Io): string =>
  table(
    [{ title: 'Table' }, { title: 'Column', optional: true }, { title: 'Finding', flexible: true }],
    findings.map(({ table: name, column, text }) => [name, column ?? '', text]),
    io.out,
  )

function countsText({ accounts, dialect, present }: AdoptionReport, io: Io): string {
  const facts: [string, string][] = [
    ['Database', dialect === 'postgres' ? 'PostgreSQL' : 'SQLite'],
    ['Existing tables', present.join(', ') || 'none'],
  ]
  if (accounts !== null) {
    const formats = Object.entries(accounts.passwords).map(([format, count]) => `${count} ${format}`)
    facts.push(
      ['Users', String(accounts.users)],
      ['Email addresses', `${accounts.addresses}, ${accounts.verifiedAddresses} verified`],
      ['Passwords', formats.join(', ') || 'none'],
    )
    const odd: readonly (readonly [string, number])[] = [
      ['Usernames that differ only in case', accounts.collidingUsernames],
      ['Users with several primary email addresses', accounts.severalPrimary],
      ['Email addresses verified by several users', accounts.severalVerified],
    ]
    for (const [name, count] of odd) if (count > 0) facts.push([name, String(count)])
  }
  return pairs(facts, io.out)
}
