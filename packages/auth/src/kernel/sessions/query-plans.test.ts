import { type Database, migrate, openDatabase } from '@gatepost/sql'
import { testDatabases } from '@gatepost/sql/testing'
import { CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { authMigrations } from '../schema/migrations.ts'
import type { AuthTables } from '../schema/tables.ts'
import { DEFAULT_USER_TABLE } from '../settings/user-table.ts'
import { userRows } from '../users/user-rows.sql.ts'
import { preparedAccounts } from '../../testing/prepared-accounts.ts'
import { storesOn } from '../../testing/stores.ts'
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

describe.each(testDatabases)('a lookup on %s', (dialect, open) => {
  it.each([
    ['ada', 'ada@example.org'],
    ['Ada', 'Ada@Example.org'],
    ['ÄLVA', 'älva@example.org'],
    ['ｍike', 'ｍike@example.org'],
    ['Ωmega', 'Ωmega@Example.org'],
  ])('finds %s and %s without reading all', async (username, email) => {
    const test = await open<AuthTables>(preparedAccounts(0))
    onTestFinished(async () => test.close())
    const statements: CompiledQuery[] = []
    const db = test.database.db.withPlugin({
      transformQuery: ({ node, queryId }) => {
        statements.push(test.database.db.getExecutor().compileQuery(node, queryId))
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const { users, emails } = storesOn(test)
    await users.byUsername(db, username)
    await users.byEmail(db, email, { preferVerified: false, activeOnly: false })
    await emails.isTaken(db, email, null)
    expect(statements).toHaveLength(5)
    await test.database.transaction(async (tx) => {
      if (dialect === 'postgres') await sql`set local enable_seqscan = off`.execute(tx)
      const explain = dialect === 'postgres' ? 'explain' : 'explain query plan'
      for (const { sql: text, parameters } of statements) {
        const plan = await tx.executeQuery(CompiledQuery.raw(`${explain} ${text}`, [...parameters]))
        expect(JSON.stringify(plan.rows)).not.toMatch(/SCAN (?!gatepost_folded|\(sub|\d)|Seq Scan/)
      }
    })
  })
})
