import { sql, type RawBuilder } from 'kysely'
import type { Database } from './database.ts'

/** Encrypts a table's sealed texts again, with the newest key. */
export interface SealedTable {
  readonly name: string
  /** Returns the number of rows that have sealed texts. */
  count(): Promise<number>
  /** Processes the next rows in the order of their keys. @param after Key of the last row processed; `null`: start. */
  resealBatch(after: RowKey | null, limit: number): Promise<ResealedBatch>
}

/** A row's unique key. */
export type RowKey = string | number

/** The outcome of a batch, in rows. */
export interface ResealedBatch {
  /** Key of the last row; `null` after the end of the table. */
  readonly last: RowKey | null
  /** Rows read. */
  readonly seen: number
  /** Rows that were sealed with an older key. */
  readonly resealed: number
  /** Rows that no key can open. They're left unchanged. */
  readonly unreadable: number
}

/** Values of columns as text. */
type Texts<Column extends string> = Readonly<Record<Column, string | null>>

/** Options of `sealedTable`. */
export interface SealedTableOptions<Column extends string> {
  readonly table: string
  /** Unique column or expression that never changes. */
  readonly key: RawBuilder<unknown>
  /** Columns that depend on the secret key. */
  readonly columns: readonly Column[]
  /** Selects the rows that have sealed texts. Default: all. */
  readonly where?: RawBuilder<unknown>
  /** Another expression that `reseal` needs. */
  readonly related?: RawBuilder<unknown>
  /**
   * Returns the columns sealed with the newest key, or unchanged if they already are; `null` if no key can open one of
   * them.
   * @param related Value of the expression `related` as text; `null` without one.
   */
  reseal(row: Texts<Column>, key: RowKey, related: string | null): Texts<Column> | null
}

/** Creates a `SealedTable`. A row that changes between being read and written keeps that change. */
export function sealedTable<Tables, Column extends string>(
  { db }: Pick<Database<Tables>, 'db'>,
  { table, key, columns, where = sql`1 = 1`, related = sql`null`, reseal }: SealedTableOptions<Column>,
): SealedTable {
  type Row = Texts<Column> & { readonly row_key: RowKey; readonly related: string | null }
  const toText = (column: Column): RawBuilder<unknown> => sql`cast(${sql.ref(`${table}.${column}`)} as text)`
  const texts = sql.join(columns.map((column) => sql`${toText(column)} as ${sql.ref(column)}`))
  const from = sql.table(table)

  const write = async (row: Row, sealed: Texts<Column>): Promise<boolean> => {
    const set = sql.join(columns.map((column) => sql`${sql.ref(column)} = ${sealed[column]}`))
    const isUnchanged = columns.map((column) =>
      row[column] === null ? sql`${sql.ref(column)} is null` : sql`${toText(column)} = ${row[column]}`,
    )
    const done = await sql`update ${from} set ${set}
      where ${key} = ${row.row_key} and ${sql.join(isUnchanged, sql` and `)}`.execute(db)
    return done.numAffectedRows === 1n
  }

  return {
    name: table,
    async count() {
      const { rows } = await sql<{ count: number | string }>`
        select count(*) as count from ${from} where ${where}`.execute(db)
      return Number(rows[0]?.count ?? 0)
    },
    async resealBatch(after, limit) {
      const beyond = after === null ? sql`1 = 1` : sql`${key} > ${after}`
      const { rows } = await sql<Row>`
        select ${key} as row_key, cast(${related} as text) as related, ${texts}
        from ${from} where ${where} and ${beyond} order by ${key} limit ${limit}`.execute(db)
      let resealed = 0
      let unreadable = 0
      for (const row of rows) {
        const sealed = reseal(row, row.row_key, row.related)
        if (sealed === null) unreadable += 1
        else if (columns.some((column) => sealed[column] !== row[column]) && (await write(row, sealed))) resealed += 1
      }
      return {
        last: rows.length < limit ? null : (rows.at(-1)?.row_key ?? null),
        seen: rows.length,
        resealed,
        unreadable,
      }
    },
  }
}
