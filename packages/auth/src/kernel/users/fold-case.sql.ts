import { type QueryResult, type RawBuilder, sql, type SqlBool } from 'kysely'
import type { UserRows } from './user-rows.sql.ts'
import type { AuthDb } from './user.ts'

/**
 * Returns the form in which usernames and email addresses are compared: NFKC, in lower case.
 * @see Unicode Standard Annex 15
 */
export const foldCase = (text: string): string => text.normalize('NFKC').toLowerCase()

/** Returns whether a text has ASCII characters only. */
export const isAscii = (text: string): boolean => /^[\0-\u007f]*$/.test(text)

/** Values that are looked up ignoring case: those of two columns of the user table, and the email addresses. */
export type FoldedField = 'username' | 'email' | 'address'

/** Where the values of a `FoldedField` are. */
interface FoldedColumn {
  readonly table: RawBuilder<unknown>
  readonly id: RawBuilder<unknown>
  readonly value: RawBuilder<unknown>
  /** `id`, cast from the text in `gatepost_folded.key`. */
  readonly listedId: RawBuilder<unknown>
}

/** @param alias The table's alias in a join. */
function foldedColumn(rows: UserRows, field: FoldedField, alias?: string): FoldedColumn {
  const key = sql.ref('gatepost_folded.key')
  if (field !== 'address') {
    const [id, value] = [rows.column('id', alias), rows.column(field, alias)]
    return { table: rows.table, id, value, listedId: rows.castKey(key) }
  }
  const prefix = alias === undefined ? '' : `${alias}.`
  const [id, value] = [sql.ref(`${prefix}id`), sql.ref(`${prefix}email`)]
  return { table: sql.table('account_emailaddress'), id, value, listedId: sql`cast(${key} as bigint)` }
}

/**
 * Returns a condition that matches every value that `foldCase` turns into that of `text`, and maybe others: check the
 * results with `foldCase` again. It only needs indexes. Databases reliably lowercase only ASCII, so `gatepost_folded`
 * has the folded form of all other values.
 * @param alias The table's alias in a join.
 */
export function matchesFolded(rows: UserRows, field: FoldedField, text: string, alias?: string): RawBuilder<SqlBool> {
  const folded = foldCase(text)
  if (text === folded && isAscii(folded))
    return sql<SqlBool>`lower(${foldedColumn(rows, field, alias).value}) = ${folded}`
  const lowered = sql`(${folded}, lower(cast(${text} as text)))`
  if (isAscii(folded)) return sql<SqlBool>`lower(${foldedColumn(rows, field, alias).value}) in ${lowered}`
  const { table, id, value, listedId } = foldedColumn(rows, field)
  return sql<SqlBool>`${foldedColumn(rows, field, alias).id} in (
    select ${listedId} from gatepost_folded where field = ${field} and folded = ${folded}
    union select ${id} from ${table} where lower(${value}) in ${lowered})`
}

/** Keeps the folded form of a value that was inserted or changed. ASCII values need none. */
export async function saveFolded(db: AuthDb, field: FoldedField, key: string, value: string): Promise<void> {
  if (isAscii(value)) {
    await db.deleteFrom('gatepost_folded').where('field', '=', field).where('key', '=', key).execute()
    return
  }
  const folded = foldCase(value)
  await db
    .insertInto('gatepost_folded')
    .values({ field, key, folded })
    .onConflict((conflict) => conflict.columns(['field', 'key']).doUpdateSet({ folded }))
    .execute()
}

/**
 * Brings `gatepost_folded` up to date with rows that another program wrote, such as the old site on an adopted database.
 */
export async function refreshFolded(db: AuthDb, rows: UserRows): Promise<void> {
  for (const field of ['username', 'email', 'address'] as const) {
    if (field !== 'address' && !rows.has(field)) continue
    const { table, id, value, listedId } = foldedColumn(rows, field)
    await sql`delete from gatepost_folded where field = ${field} and not exists (
      select 1 from ${table} where ${id} = ${listedId} and octet_length(${value}) <> length(${value}))`.execute(db)
    await addUnlisted(db, field, { table, id, value, listedId })
  }
}

/** How many values `refreshFolded` reads at once. */
const BATCH = 1_000

async function addUnlisted(db: AuthDb, field: FoldedField, { table, id, value }: FoldedColumn): Promise<void> {
  for (let after: string | number | null = null; ; ) {
    const next = after === null ? sql`` : sql`and ${id} > ${after}`
    const found: QueryResult<{ id: string | number; value: string }> = await sql<{
      id: string | number
      value: string
    }>`
      select ${id} as id, ${value} as value from ${table}
      where octet_length(${value}) <> length(${value}) ${next} order by ${id} limit ${BATCH}`.execute(db)
    const keys = found.rows.map((row) => String(row.id))
    const listed = await db
      .selectFrom('gatepost_folded')
      .select(['key', 'folded'])
      .where('field', '=', field)
      .where('key', 'in', keys.length === 0 ? [''] : keys)
      .execute()
    const known = new Map(listed.map((row) => [row.key, row.folded]))
    for (const row of found.rows) {
      if (known.get(String(row.id)) !== foldCase(row.value)) await saveFolded(db, field, String(row.id), row.value)
    }
    const last = found.rows.at(-1)
    if (last === undefined || found.rows.length < BATCH) return
    after = last.id
  }
}

/** Returns whether a database can store this text unchanged. Other texts need no lookup. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** Truncates text. @param max Maximum length in code points, which is how databases count. */
export const truncateText = (text: string, max: number): string =>
  text.length <= max ? text : Array.from(text).slice(0, max).join('')
