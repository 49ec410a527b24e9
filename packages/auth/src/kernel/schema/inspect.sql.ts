import { type Kysely, sql } from 'kysely'
import { type Dialect, quoteTable } from './ddl.ts'

/** A table as reported by the database. */
export interface FoundTable {
  readonly columns: ReadonlyMap<string, FoundColumn>
  /** Includes the primary key and unique constraints. */
  readonly indexes: readonly FoundIndex[]
  readonly foreignKeys: readonly { readonly column: string; readonly table: string; readonly deferred: boolean }[]
}
/** A column as it exists in the database. */
export interface FoundColumn {
  /** In lower case, e.g. `varchar(150)`. */
  readonly type: string
  readonly nullable: boolean
  /** Whether the column has a default or is generated, so that a row can be inserted without it. */
  readonly filled: boolean
}
/** An index as it exists in the database. */
export interface FoundIndex {
  /** Columns in lower case, or expressions without quotes and spaces, e.g. `lower(email)`. */
  readonly columns: readonly string[]
  readonly unique: boolean
  /** The condition of a partial index without quotes, spaces, brackets, and casts; otherwise `null`. */
  readonly where: string | null
}

/** Returns the table with this name, or `null` if it doesn't exist. */
export async function inspectTable<T>(db: Kysely<T>, name: string, dialect: Dialect): Promise<FoundTable | null> {
  return dialect === 'sqlite' ? inspectSqliteTable(db, name) : inspectPostgresTable(db, name)
}

/**
 * Normalizes a condition, since databases write them differently: `"primary"`, `(verified)::boolean`, `type = ANY
 * (ARRAY['totp'::varchar])`.
 */
export const normalizeCondition = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/::(character varying|[a-z]+)(\(\d+\))?(\[\])?/g, '')
    .replaceAll(/=\s*any\s*\(\s*\(?\s*array\[(.*?)\]\s*\)?\s*\)/g, 'in($1)')
    .replaceAll(/["\s()[\]`]/g, '')

const normalizeExpression = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/::(character varying|[a-z]+)(\(\d+\))?/g, '')
    .replaceAll(/["\s`]/g, '')
    .replaceAll(/\(\((\w+)\)\)/g, '($1)')

interface SqliteColumn {
  name: string
  type: string
  notnull: number
  dflt_value: string | null
  pk: number
}

async function inspectSqliteTable<T>(db: Kysely<T>, name: string): Promise<FoundTable | null> {
  const columns =
    await sql<SqliteColumn>`select name, type, "notnull", dflt_value, pk from pragma_table_info(${name})`.execute(db)
  if (columns.rows.length === 0) return null
  const keys = await sql<{
    table: string
    from: string
  }>`select "table", "from" from pragma_foreign_key_list(${name})`.execute(db)
  const created = await sql<{
    sql: string
  }>`select sql from sqlite_master where type = 'table' and name = ${name}`.execute(db)
  const ddl = created.rows[0]?.sql ?? ''
  const primary = columns.rows.filter(({ pk }) => pk > 0).map((column) => column.name)
  const isDeferred = /deferrable\s+initially\s+deferred/i.test(ddl)
  return {
    columns: new Map(
      columns.rows.map((column) => [
        column.name,
        {
          type: column.type.toLowerCase().trim(),
          nullable: column.notnull === 0 && column.pk === 0,
          filled: column.dflt_value !== null || (column.pk > 0 && /^integer$/i.test(column.type)),
        },
      ]),
    ),
    indexes: [
      { columns: primary.map((column) => column.toLowerCase()), unique: true, where: null },
      ...(await sqliteIndexes(db, name)),
    ],
    foreignKeys: keys.rows.map(({ from, table }) => ({ column: from, table, deferred: isDeferred })),
  }
}

async function sqliteIndexes<T>(db: Kysely<T>, table: string): Promise<readonly FoundIndex[]> {
  const listed = await sql<{ name: string; unique: number; sql: string | null }>`
    select l.name, l."unique", m.sql from pragma_index_list(${table}) l
    left join sqlite_master m on m.type = 'index' and m.name = l.name`.execute(db)
  return Promise.all(
    listed.rows.map(async ({ name, unique, sql: text }) => {
      const columns = await sql<{ name: string | null }>`
        select name from pragma_index_info(${name}) order by seqno`.execute(db)
      const written = /\((.*)\)\s*(?:where\s(.*))?$/is.exec((text ?? '').replace(/^.*?\bon\b/is, ''))
      const where = /\)\s*where\s+(.*)$/is.exec(text ?? '')?.[1]
      const listedColumns = columns.rows.map((column) => column.name)
      const isExpression = listedColumns.includes(null)
      return {
        columns: isExpression
          ? [normalizeExpression((written?.[1] ?? '').trim())]
          : listedColumns.map((column) => (column ?? '').toLowerCase()),
        unique: unique === 1,
        where: where === undefined ? null : normalizeCondition(where),
      }
    }),
  )
}

async function inspectPostgresTable<T>(db: Kysely<T>, name: string): Promise<FoundTable | null> {
  const found = await sql<{ oid: number | null }>`select to_regclass(${quoteTable(name)})::oid as oid`.execute(db)
  const oid = found.rows[0]?.oid
  if (oid === null || oid === undefined) return null
  const columns = await sql<{ name: string; type: string; nullable: boolean; filled: boolean }>`
    select attname as name, format_type(atttypid, atttypmod) as type, not attnotnull as nullable,
      (atthasdef or attidentity <> '') as filled
    from pg_attribute where attrelid = ${oid} and attnum > 0 and not attisdropped`.execute(db)
  const indexes = await sql<{ columns: string[]; unique: boolean; where: string | null }>`
    select array(select pg_get_indexdef(i.indexrelid, k, true) from generate_series(1, i.indnkeyatts) k) as columns,
      i.indisunique as unique, pg_get_expr(i.indpred, i.indrelid) as where
    from pg_index i where i.indrelid = ${oid} and i.indisvalid`.execute(db)
  const keys = await sql<{ column: string; table: string; deferred: boolean }>`
    select a.attname as column, c.confrelid::regclass::text as table, c.condeferred as deferred
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    where c.conrelid = ${oid} and c.contype = 'f' and array_length(c.conkey, 1) = 1`.execute(db)
  return {
    columns: new Map(
      columns.rows.map(({ name: column, type, nullable, filled }) => [
        column,
        { type: type.replace('character varying', 'varchar'), nullable, filled },
      ]),
    ),
    indexes: indexes.rows.map((index) => ({
      columns: index.columns.map(normalizeExpression),
      unique: index.unique,
      where: index.where === null ? null : normalizeCondition(index.where),
    })),
    foreignKeys: keys.rows.map((key) => ({ ...key, table: key.table.replaceAll('"', '') })),
  }
}
