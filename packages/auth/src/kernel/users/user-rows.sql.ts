import { CompiledQuery, type QueryResult, type RawBuilder, sql } from 'kysely'
import type { Dialect } from '../schema/ddl.ts'
import { isTrue, parseNullableTime, timeText } from '../schema/values.ts'
import type { UserColumns, UserTable } from '../settings/user-table.ts'
import type { User, UserId, AuthDb } from './user.ts'

/** The user columns of a row, whatever their names in the table. Columns that the table lacks are absent. */
export interface UserRow {
  readonly u_id: string | number
  readonly u_password: string | null
  readonly u_lastLogin?: Date | string | null
  readonly u_isSuperuser?: unknown
  readonly u_username?: string | null
  readonly u_firstName?: string | null
  readonly u_lastName?: string | null
  readonly u_email?: string | null
  readonly u_isStaff?: unknown
  readonly u_isActive?: unknown
  readonly u_dateJoined?: Date | string | null
}

type Field = keyof UserColumns

/** The user table for SQL. Only this knows its column names and how its keys are stored. */
export interface UserRows {
  readonly table: RawBuilder<unknown>
  readonly run: RunCached
  /** All columns, under the names of `UserRow`. @param alias The table's alias in a join. */
  columns(alias?: string): RawBuilder<UserRow>
  /** Returns a column. @throws {Error} if the table has no such column; check with `has` first */
  column(field: Field, alias?: string): RawBuilder<unknown>
  has(field: Field): boolean
  /** Returns a user's key in this database, or `null`, which matches no row, if the ID can't be a key. */
  key(id: UserId): string | number | null
  /** Returns the key as text, as our own tables store it. */
  keyText(id: UserId): string
  id(key: string | number): UserId
  parseId(text: string): UserId
  /** Casts a key from one of our own tables for comparison with the column `id`. */
  castKey(text: RawBuilder<unknown>): RawBuilder<unknown>
  read(row: UserRow): User
  /** Returns the value to write for a field. */
  write(field: Field, value: User[keyof User]): string | number | null
}

const LARGEST: Readonly<Record<'integer' | 'bigint', number>> = {
  integer: 2 ** 31 - 1,
  bigint: Number.MAX_SAFE_INTEGER,
}
const KEY_TYPES = { integer: 'integer', bigint: 'bigint', uuid: 'uuid' } as const
const UUID = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/
const toDashedUuid = (uuid: string): string => UUID.exec(uuid.toLowerCase())?.slice(1).join('-') ?? uuid

/** An unusable password begins with an exclamation mark. */
const isUsablePassword = (encoded: string): boolean => encoded !== '' && !encoded.startsWith('!')

/** Creates the `UserRows` of a user table in this dialect. */
export function userRows({ table, idType, columns }: UserTable, dialect: Dialect): UserRows {
  const named = Object.entries(columns).filter(
    (entry): entry is [Field, string] => entry[1] !== null, // its keys are those of UserColumns
  )
  const ref = (name: string, alias?: string): RawBuilder<unknown> =>
    sql.ref(alias === undefined ? name : `${alias}.${name}`)
  const compactUuid = idType === 'uuid' && dialect === 'sqlite'
  const id = (key: string | number): UserId => (idType === 'uuid' ? toDashedUuid(String(key)) : key)
  const isNumber = idType === 'integer' || idType === 'bigint'

  const key = (userId: UserId): string | number | null => {
    if (isNumber) {
      return typeof userId === 'number' && Number.isInteger(userId) && Math.abs(userId) <= LARGEST[idType]
        ? userId
        : null
    }
    if (typeof userId !== 'string' || userId.includes('\0')) return null
    if (idType === 'text') return userId
    if (!UUID.test(userId.toLowerCase())) return null
    return compactUuid ? userId.toLowerCase().replaceAll('-', '') : toDashedUuid(userId)
  }
  return {
    table: sql.table(table),
    run: cachedStatements(),
    columns: (alias) =>
      sql<UserRow>`${sql.join(named.map(([field, name]) => sql`${ref(name, alias)} as ${sql.ref(`u_${field}`)}`))}`,
    column(field, alias) {
      const name = columns[field]
      if (name === null) throw new Error(`the user table has no column for ${field}`)
      return ref(name, alias)
    },
    has: (field) => columns[field] !== null,
    key,
    keyText: (userId) => String(key(userId) ?? ''),
    id,
    parseId: (text) => (isNumber ? Number(text) : id(text)),
    castKey: (text) => (idType === 'text' || compactUuid ? text : sql`cast(${text} as ${sql.raw(KEY_TYPES[idType])})`),
    read: (row) => readUser(row, id),
    write(_field, value) {
      if (typeof value === 'boolean') return value ? 1 : 0
      return typeof value === 'number' ? timeText(value, dialect) : value
    },
  }
}

function readUser(row: UserRow, id: (key: string | number) => UserId): User {
  return {
    id: id(row.u_id),
    username: row.u_username ?? '',
    email: row.u_email ?? '',
    firstName: row.u_firstName ?? '',
    lastName: row.u_lastName ?? '',
    isActive: row.u_isActive === undefined || isTrue(row.u_isActive),
    isStaff: isTrue(row.u_isStaff),
    isSuperuser: isTrue(row.u_isSuperuser),
    lastLoginMs: parseNullableTime(row.u_lastLogin ?? null),
    dateJoinedMs: parseNullableTime(row.u_dateJoined ?? null) ?? 0,
    hasUsablePassword: isUsablePassword(row.u_password ?? ''),
  }
}

/**
 * Runs a statement with a cached text. Building a hot statement takes longer than SQLite needs to run it.
 * @param name Key of the cached text.
 * @param make Builds the statement with placeholder values, in the order of `parameters`.
 */
type RunCached = <Row>(
  db: AuthDb,
  name: string,
  make: () => RawBuilder<Row>,
  parameters: readonly unknown[],
) => Promise<QueryResult<Row>>

/** Creates the cache for one database. It stays small because names are constants in the code. */
function cachedStatements(): RunCached {
  const texts = new Map<string, string>()
  return async <Row>(db: AuthDb, name: string, make: () => RawBuilder<Row>, parameters: readonly unknown[]) => {
    const text = texts.get(name) ?? make().compile(db).sql
    texts.set(name, text)
    return db.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]))
  }
}
