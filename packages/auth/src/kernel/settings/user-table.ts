import { fromJson, isRecord, type Kind, type Reading } from './kind.ts'

/** The type of the user table's key, and so of every column that references it. */
export type UserIdType = 'integer' | 'bigint' | 'uuid' | 'text'

/**
 * The column for each user field. `null` if the table has none: reading then returns the field's default, and writing
 * does nothing.
 */
export interface UserColumns {
  readonly id: string
  readonly password: string
  readonly lastLogin: string | null
  readonly isSuperuser: string | null
  readonly username: string | null
  readonly firstName: string | null
  readonly lastName: string | null
  readonly email: string | null
  readonly isStaff: string | null
  readonly isActive: string | null
  readonly dateJoined: string | null
}

/** The user table. */
export interface UserTable {
  /** The table's name, optionally preceded by a schema and a dot. */
  readonly table: string
  readonly idType: UserIdType
  readonly columns: UserColumns
}

/** The accepted input: only the differences from the default. */
export interface UserTableInput {
  readonly table?: string
  readonly idType?: UserIdType
  readonly columns?: Partial<UserColumns>
}

/** Django's default user table. */
export const DEFAULT_USER_TABLE: UserTable = {
  table: 'auth_user',
  idType: 'integer',
  columns: {
    id: 'id',
    password: 'password',
    lastLogin: 'last_login',
    isSuperuser: 'is_superuser',
    username: 'username',
    firstName: 'first_name',
    lastName: 'last_name',
    email: 'email',
    isStaff: 'is_staff',
    isActive: 'is_active',
    dateJoined: 'date_joined',
  },
}

const ID_TYPES: readonly UserIdType[] = ['integer', 'bigint', 'uuid', 'text']
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/
const TABLE = /^([A-Za-z_][A-Za-z0-9_]{0,62}\.)?[A-Za-z_][A-Za-z0-9_]{0,62}$/
const TYPE =
  'an object with table, idType (integer, bigint, uuid, or text), and columns (field -> column name, or null)'

function readColumns(given: Readonly<Record<string, unknown>>): Reading<UserColumns> {
  const columns: Record<string, string | null> = { ...DEFAULT_USER_TABLE.columns }
  for (const [field, column] of Object.entries(given)) {
    if (!Object.hasOwn(DEFAULT_USER_TABLE.columns, field))
      return { problem: `must have columns among ${Object.keys(DEFAULT_USER_TABLE.columns).join(', ')}` }
    const mayLack = field !== 'id' && field !== 'password'
    if (!(column === null && mayLack) && !(typeof column === 'string' && NAME.test(column)))
      return { problem: `must name a column (letters, digits, underscores)${mayLack ? ' or null' : ''} for ${field}` }
    columns[field] = column
  }
  const names = Object.values(columns).filter((name) => name !== null)
  if (new Set(names).size < names.length) return { problem: 'must not use one column for two fields' }
  return { value: columns as unknown as UserColumns } // a copy of the defaults; keys and values are checked above
}

/** The user table, merged with the default. In the environment it's JSON. */
export const userTable: Kind<UserTable, UserTableInput> = {
  type: TYPE,
  example: { table: 'people', idType: 'uuid', columns: { username: null } },
  fromText: fromJson,
  read(value) {
    if (!isRecord(value)) return { problem: `must be ${TYPE}` }
    const { table = DEFAULT_USER_TABLE.table, idType = DEFAULT_USER_TABLE.idType, columns = {}, ...others } = value
    const known = ID_TYPES.find((name) => name === idType)
    if (
      typeof table !== 'string' ||
      !TABLE.test(table) ||
      !known ||
      !isRecord(columns) ||
      Object.keys(others).length > 0
    )
      return { problem: `must be ${TYPE}` }
    const reading = readColumns(columns)
    return 'problem' in reading ? reading : { value: { table, idType: known, columns: reading.value } }
  },
}
