import { type Database, migrate, openDatabase } from '@gatepost/sql'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { authMigrations } from '../schema/migrations.ts'
import type { AuthTables } from '../schema/tables.ts'
import { DEFAULT_USER_TABLE } from '../settings/user-table.ts'
import { systemRandom } from '../io.ts'
import { userRows } from '../users/user-rows.sql.ts'
import { sqlUserStore } from '../users/user-store.sql.ts'
import { sessionRows } from './session-rows.sql.ts'

let database: Database<AuthTables>
beforeAll(async () => {
  database = await openDatabase<AuthTables>({ file: ':memory:' })
  await migrate(database, { owner: 'auth', migrations: authMigrations(), nowMs: 0 })
})
afterAll(async () => database.close())

const explainQuery = async (statement: string): Promise<string> => {
  const plan = await sql<{
    detail: string
  }>`${sql.raw(`explain query plan ${statement.replaceAll('?', 'null')}`)}`.execute(database.db)
  return plan.rows.map(({ detail }) => detail).join('; ')
}

it('reads a session and its user by their keys', async () => {
  const statements: string[] = []
  const watched: Database<AuthTables> = {
    ...database,
    prepareRead(statement) {
      statements.push(statement)
      return database.prepareRead(statement)
    },
  }
  sessionRows(watched, userRows(DEFAULT_USER_TABLE, 'sqlite'))
  expect(statements).toHaveLength(4) // by token and by id
  for (const statement of statements) {
    const plan = await explainQuery(statement)
    const byToken = statement.includes('token_hash = ?')
    expect(plan).toMatch(
      byToken ? /SEARCH s USING PRIMARY KEY \(token_hash=\?\)/ : /SEARCH s USING INDEX \w+ \(id=\?\)/,
    )
    expect(plan).toMatch(/SEARCH u USING INTEGER PRIMARY KEY \(rowid=\?\)/)
    expect(plan).not.toMatch(/SCAN/)
  }
})

it('reads users by name and by address without reading all', async () => {
  const statements: string[] = []
  const db = database.db.withPlugin({
    transformQuery: ({ node, queryId }) => {
      statements.push(database.db.getExecutor().compileQuery(node, queryId).sql)
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const users = sqlUserStore({ database, settings: { userTable: DEFAULT_USER_TABLE }, random: systemRandom })
  for (const [username, email] of [
    ['ada', 'ada@example.org'],
    ['Ada', 'Ada@Example.org'],
  ] as const) {
    await users.byUsername(db, username)
    await users.byEmail(db, email, { preferVerified: false, activeOnly: false })
  }
  expect(statements).toHaveLength(6)
  for (const statement of statements) expect(await explainQuery(statement)).not.toMatch(/SCAN/)
})
