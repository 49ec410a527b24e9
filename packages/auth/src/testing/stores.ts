import { migrate } from '@gatepost/sql'
import type { TestDatabase, testDatabases } from '@gatepost/sql/testing'
import { sql } from 'kysely'
import { createSealer, createSigner } from '../kernel/crypto/crypto.ts'
import { sqlEmailAddressStore, sqlEmailConfirmationStore, sqlPhoneStore } from '../account/contact-stores.sql.ts'
import type { EmailAddressStore, EmailConfirmationStore, PhoneStore } from '../account/email-address.ts'
import { authMigrations, listRequiredTables } from '../kernel/schema/migrations.ts'
import type { AuthTables } from '../kernel/schema/tables.ts'
import type { SessionStore } from '../kernel/sessions/session.ts'
import { createSessionStore } from '../kernel/sessions/session-store.sql.ts'
import { DEFAULT_USER_TABLE, type UserTable } from '../kernel/settings/user-table.ts'
import { preparedAccounts } from './prepared-accounts.ts'
import { systemRandom } from '../kernel/io.ts'
import type { UserStore } from '../kernel/users/user.ts'
import { sqlUserStore } from '../kernel/users/user-store.sql.ts'

/** The stores of accounts on their own database, without a kernel. */
export interface StoreWorld {
  readonly test: TestDatabase<AuthTables>
  readonly users: UserStore
  readonly emails: EmailAddressStore
  readonly confirmations: EmailConfirmationStore
  readonly phones: PhoneStore
  readonly sessions: SessionStore
  /** The logged messages. */
  readonly logged: string[]
  /** Removes all rows, which is faster than opening another database. */
  empty(): Promise<void>
  close(): Promise<void>
}

export interface StoreOptions {
  readonly userTable?: UserTable
  readonly uniqueEmail?: boolean
  readonly keys?: readonly [string, ...string[]]
}

const TWO_WEEKS = 1_209_600
const ONE_WEEK = 604_800

/** Creates a world of stores. @param before Runs on the empty database, to set up an existing site. */
export async function storeWorld(
  open: (typeof testDatabases)[number][1],
  options: StoreOptions = {},
  before?: (test: TestDatabase<AuthTables>) => Promise<void>,
): Promise<StoreWorld> {
  const { userTable = DEFAULT_USER_TABLE, uniqueEmail = true } = options
  const schema = { userTable, uniqueEmail }
  const test = await open<AuthTables>(before === undefined ? preparedAccounts(0, schema) : undefined)
  await before?.(test)
  await migrate(test.database, { owner: 'auth', migrations: authMigrations(schema), nowMs: 0 })
  return { test, ...storesOn(test, options) }
}

/** Creates stores on an existing database, as another process or other settings would have them. */
export function storesOn(test: TestDatabase<AuthTables>, options: StoreOptions = {}): Omit<StoreWorld, 'test'> {
  const { database } = test
  const { userTable = DEFAULT_USER_TABLE, uniqueEmail = true } = options
  const { keys = ['a made-up key that only tests use, long enough'] as const } = options
  const random = systemRandom
  const logged: string[] = []
  const line = (message: string): void => void logged.push(message)
  const log = { debug: line, info: line, warn: line, error: line }
  const users = sqlUserStore({ database, settings: { userTable }, random })
  const settings = { userTable, account: { uniqueEmail } }
  const [signer, sealer] = [createSigner(keys), createSealer(keys, random)]
  const lives = { userTable, sessionCookieAge: TWO_WEEKS, sessionIdleAge: ONE_WEEK }
  const sessions = createSessionStore({ database, settings: lives, signer, sealer, users, random, log })
  return {
    users,
    emails: sqlEmailAddressStore({ database, settings }),
    confirmations: sqlEmailConfirmationStore({ database, settings }),
    phones: sqlPhoneStore({ database, settings }),
    sessions,
    logged,
    empty: async () => empty(test, userTable),
    async close() {
      await sessions.settle()
      await test.close()
    },
  }
}

async function empty({ database }: TestDatabase<AuthTables>, userTable: UserTable): Promise<void> {
  const tables = listRequiredTables({ userTable, uniqueEmail: true }).map(({ name }) => sql.table(name))
  if (database.dialect === 'postgres') {
    await sql`truncate ${sql.join(tables)} restart identity`.execute(database.db)
    return
  }
  await database.transaction(async (tx) => {
    for (const table of tables) await sql`delete from ${table}`.execute(tx)
    await sql`delete from sqlite_sequence`.execute(tx)
  })
}
