import { type Database, migrate, openDatabase } from '@gatepost/sql'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { authMigrations } from '../schema/migrations.ts'
import type { AuthTables } from '../schema/tables.ts'
import { createLastSeenWriter } from './session-store.sql.ts'

const MINUTE = 60_000
const life = { sessionCookieAge: 1_000, sessionIdleAge: 500 }
let database: Database<AuthTables>
let logged: string[]

beforeEach(async () => {
  database = await openDatabase<AuthTables>({ file: ':memory:' })
  await migrate(database, { owner: 'auth', migrations: authMigrations(), nowMs: 0 })
  await sql`insert into gatepost_session (token_hash, id, created_at_ms, seen_at_ms, expires_at_ms, persistent, user_agent, version)
    values (x'01', 'a', 0, 0, 0, 1, '', 1), (x'02', 'b', 0, 0, 0, 1, '', 1)`.execute(database.db)
  logged = []
})
afterEach(async () => database.close())

const logLine = (message: string): void => void logged.push(message)
const log = { debug: logLine, info: logLine, warn: logLine, error: logLine }
const loadSeenColumns = async () =>
  (
    await database.db.selectFrom('gatepost_session').select(['seen_at_ms', 'expires_at_ms']).orderBy('id').execute()
  ).map((row) => [row.seen_at_ms, row.expires_at_ms])

it('writes when sessions were seen, and when they end by that, no later than their absolute life', async () => {
  const notes = createLastSeenWriter(database, life, log)
  notes.record('a', 0, MINUTE)
  notes.record('gone', 0, MINUTE)
  await notes.settle()
  expect(await loadSeenColumns()).toEqual([
    [MINUTE, 560_000],
    [0, 0],
  ])
  notes.record('b', 0, 600_000)
  await notes.settle()
  expect(await loadSeenColumns()).toEqual([
    [MINUTE, 560_000],
    [600_000, 1_000_000],
  ])
})

it('writes nothing older than the stored time', async () => {
  const notes = createLastSeenWriter(database, life, log)
  notes.record('a', 0, 5 * MINUTE)
  await notes.settle()
  notes.record('a', 0, 3 * MINUTE)
  await notes.settle()
  expect((await loadSeenColumns())[0]?.[0]).toBe(5 * MINUTE)
})

it('logs once that it cannot write, and retries a minute later', async () => {
  const notes = createLastSeenWriter(database, life, log)
  await sql`alter table gatepost_session rename to away`.execute(database.db)
  for (const nowMs of [MINUTE, MINUTE + 1, 2 * MINUTE - 1]) {
    notes.record('a', 0, nowMs)
    await notes.settle()
  }
  expect(logged).toHaveLength(1)
  await sql`alter table away rename to gatepost_session`.execute(database.db)
  notes.record('a', 0, 2 * MINUTE)
  await notes.settle()
  expect((await loadSeenColumns())[0]?.[0]).toBe(2 * MINUTE)
  expect(logged).toHaveLength(1)
})

it('does not wait for a time that a wrong clock once showed', async () => {
  const notes = createLastSeenWriter(database, life, log)
  await sql`alter table gatepost_session rename to away`.execute(database.db)
  notes.record('a', 0, 1_000 * MINUTE)
  await notes.settle()
  await sql`alter table away rename to gatepost_session`.execute(database.db)
  notes.record('a', 0, 5 * MINUTE)
  await notes.settle()
  expect((await loadSeenColumns())[0]?.[0]).toBe(5 * MINUTE)
})
