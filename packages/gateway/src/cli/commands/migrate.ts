import { join } from 'node:path'
import { toCliError } from './check-database.ts'
import { PROGRAM, type Command } from '../command.ts'
import { EXIT } from '../exit-code.ts'
import type { Io } from '../io.ts'
import { jsonText } from '../text.ts'
import { loadConfiguration } from './serve.ts'

interface Args {
  readonly url: string | null
  readonly json: boolean
}

/** The command `gatepost auth migrate`. */
export const authMigrate: Command<Args> = {
  name: 'auth migrate',
  summary: 'create or update the tables, as the role that owns them; the service then needs no such permissions',
  examples: [`${PROGRAM} auth migrate`, `${PROGRAM} auth migrate postgres://owner@db.example.org/site`],
  args: {
    url: {
      kind: 'optional',
      describe: "postgres://… (password in PGPASSWORD), or an SQLite file's path; by default, the service's database",
    },
    json: { kind: 'flag', describe: 'print the result as JSON' },
  },
  async run({ url, json }, io) {
    const applied = await migrateAll(url, io)
    const text = applied.length === 0 ? 'Everything is already migrated.' : `Applied: ${applied.join(', ')}`
    io.out.write(json ? jsonText({ applied }) : `${text}\n`)
    return EXIT.ok
  },
}

/** @throws {CliError} `config_invalid`, `settings_invalid`, `database_foreign`, `database_unavailable`, `migration_denied` */
async function migrateAll(url: string | null, io: Io): Promise<readonly string[]> {
  const config = await loadConfiguration(io.env)
  const { resolveSettings } = await import('@gatepost/auth')
  const { migrateAccounts } = await import('@gatepost/auth/adoption')
  const { channelMigrations } = await import('@gatepost/channels')
  const { migrate } = await import('@gatepost/sql')
  const { gatewayMigrations } = await import('../../accounts/schema.ts')
  const { openExistingDatabase } = await import('../../accounts/existing-database.ts')
  try {
    const { settings } = resolveSettings(config.accountSettings())
    const where = url ?? config.databaseUrl?.reveal() ?? join(config.dataDir, 'gatepost.db')
    const database = await openExistingDatabase(where)
    try {
      const nowMs = Date.now()
      return [
        ...(await migrate(database, { owner: 'channels', migrations: channelMigrations, nowMs })),
        ...(await migrate(database, { owner: 'gateway', migrations: gatewayMigrations, nowMs })),
        ...(await migrateAccounts(database, settings, nowMs)),
      ]
    } finally {
      await database.close()
    }
  } catch (error) {
    throw await toCliError(error)
  }
}
