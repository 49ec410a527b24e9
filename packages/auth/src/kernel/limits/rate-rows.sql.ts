import type { Database } from '@gatepost/sql'
import { CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely'
import type { AuthTables } from '../schema/tables.ts'

/** A row as it is stored; an absent one is an empty list. */
export interface RateRow {
  readonly key: string
  /** JSON, an array of milliseconds since the Unix epoch. */
  readonly stamps: string
}

/** What a row is to become. */
export interface RateChange {
  readonly before: RateRow
  readonly stamps: string
  readonly expiresAtMs: number
}

/** Rows of `gatepost_rate`, read and exchanged together. */
export interface RateRows {
  /** In the order of `keys`. */
  read(keys: readonly string[]): Promise<readonly RateRow[]>
  /** Makes all changes when every row is still as it was before, else none. Answers which. */
  exchange(changes: readonly RateChange[]): Promise<boolean>
}

/**
 * Every sign-in passes here several times, so that the texts of the statements are made once for each number of rows.
 * On SQLite a statement is alone with the database. On PostgreSQL it is not: the rows, also those that are not there yet,
 * are locked first, in the order of their keys.
 */
export function sqlRateRows(database: Database<AuthTables>): RateRows {
  const { db, dialect } = database
  const readText = cachedText(db, readStatement)
  const lockText = cachedText(db, lockStatement)
  const exchangeText = cachedText(db, exchangeStatement)

  const exchangeOn = async (on: Kysely<AuthTables>, changes: readonly RateChange[]): Promise<boolean> => {
    const rows = changes.flatMap(({ before, stamps, expiresAtMs }) => [before.key, stamps, expiresAtMs])
    const conditions = changes.flatMap(({ before }) => [before.key, before.stamps])
    const query = CompiledQuery.raw(exchangeText(changes.length), [...rows, ...conditions])
    return ((await on.executeQuery(query)).numAffectedRows ?? 0n) > 0n
  }
  return {
    async read(keys) {
      const { rows } = await db.executeQuery<RateRow>(CompiledQuery.raw(readText(keys.length), [...keys]))
      return keys.map((key) => rows.find((row) => row.key === key) ?? { key, stamps: '[]' })
    },
    async exchange(changes) {
      if (dialect === 'sqlite') return exchangeOn(db, changes)
      const sorted = changes.toSorted((a, b) => (a.before.key < b.before.key ? -1 : 1))
      return database.transaction(async (tx) => {
        const keys = sorted.map(({ before }) => before.key)
        await tx.executeQuery(CompiledQuery.raw(lockText(keys.length), keys))
        return exchangeOn(tx, sorted)
      })
    },
  }
}

type Statement = (count: number) => RawBuilder<unknown>

const cachedText = (db: Kysely<AuthTables>, statement: Statement): ((count: number) => string) => {
  const texts = new Map<number, string>()
  return (count) => {
    const known = texts.get(count)
    if (known !== undefined) return known
    const text = statement(count).compile(db).sql
    texts.set(count, text)
    return text
  }
}

const times = (count: number, part: RawBuilder<unknown>, separator: string): RawBuilder<unknown> =>
  sql.join(
    Array.from({ length: count }, () => part),
    sql.raw(separator),
  )

const readStatement: Statement = (count) =>
  sql`select key, stamps from gatepost_rate where key in (${times(count, sql`${''}`, ', ')})`

const lockStatement: Statement = (count) => sql`
  insert into gatepost_rate (key, stamps, expires_at_ms) values ${times(count, sql`(${''}, '[]', 0)`, ', ')}
  on conflict (key) do update set expires_at_ms = gatepost_rate.expires_at_ms`

const exchangeStatement: Statement = (count) => sql`
  insert into gatepost_rate (key, stamps, expires_at_ms)
  select * from (values ${times(count, sql`(cast(${''} as text), cast(${''} as text), cast(${0} as bigint))`, ', ')}) as changed
  where ${times(count, sql`coalesce((select stamps from gatepost_rate where key = ${''}), '[]') = ${''}`, ' and ')}
  on conflict (key) do update set stamps = excluded.stamps, expires_at_ms = excluded.expires_at_ms`
