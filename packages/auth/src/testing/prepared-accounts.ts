import { migrate } from '@gatepost/sql'
import type { Prepared } from '@gatepost/sql/testing'
import type { AuthOptions } from '../options.ts'
import { authMigrations, DEFAULT_SCHEMA, type SchemaSettings } from '../kernel/schema/migrations.ts'
import type { AuthTables } from '../kernel/schema/tables.ts'
import { resolveSettings } from '../kernel/settings/settings.ts'

/**
 * Returns the setup of a test database with the account tables.
 * @param nowMs The time of the migration, in milliseconds since the Unix epoch.
 */
export const preparedAccounts = (nowMs: number, schema: SchemaSettings = DEFAULT_SCHEMA): Prepared<AuthTables> => ({
  name: `accounts ${nowMs} ${JSON.stringify(schema)}`,
  run: async (database) => void (await migrate(database, { owner: 'auth', migrations: authMigrations(schema), nowMs })),
})

/**
 * Returns the setup of a test database with the account tables for these settings.
 * @throws {AuthError} `settings_invalid`
 */
export function preparedFor(given: AuthOptions<AuthTables>['settings'], nowMs: number): Prepared<AuthTables> {
  const { userTable, account, defaultAutoField } = resolveSettings(given).settings
  return preparedAccounts(nowMs, { userTable, uniqueEmail: account.uniqueEmail, keyType: defaultAutoField })
}
