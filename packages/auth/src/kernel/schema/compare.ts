import type { UserTable } from '../settings/user-table.ts'
import { type Dialect, typeName } from './ddl.ts'
import { normalizeCondition, type FoundColumn, type FoundTable } from './inspect.sql.ts'
import type { PhysicalColumn, PhysicalIndex, PhysicalTable } from './physical.ts'

/** A difference between an existing table or column and the required one. */
export interface Finding {
  readonly table: string
  readonly column: string | null
  readonly text: string
}

/** The differences between an existing table and the required one. */
export interface Comparison {
  /** Indexes to create. */
  readonly missingIndexes: readonly PhysicalIndex[]
  /** Differences that make the table unusable. */
  readonly conflicts: readonly Finding[]
  /** Harmless differences. */
  readonly differences: readonly Finding[]
}

/** Compares an existing table with the required one. */
export function compareTable(found: FoundTable, wanted: PhysicalTable, dialect: Dialect, user: UserTable): Comparison {
  const conflicts: Finding[] = []
  const differences: Finding[] = []
  const say = (list: Finding[], column: string | null, text: string): unknown =>
    list.push({ table: wanted.name, column, text })
  for (const column of wanted.columns) {
    const there = found.columns.get(column.name)
    if (there === undefined) say(conflicts, column.name, 'the column is missing')
    else
      compareColumn(there, column, typeName(column.type, dialect, user), dialect, {
        conflict: (text) => say(conflicts, column.name, text),
        difference: (text) => say(differences, column.name, text),
      })
    if (column.references === undefined) continue
    const key = found.foreignKeys.find((foreign) => foreign.column === column.name)
    if (key === undefined) say(differences, column.name, 'there is no foreign key')
    else if (!key.deferred) say(differences, column.name, 'the foreign key is not deferred')
  }
  const names = new Set(wanted.columns.map(({ name }) => name))
  for (const [name, column] of found.columns) {
    if (names.has(name)) continue
    if (column.nullable || column.filled) say(differences, name, 'the column is not known, and left alone')
    else
      say(conflicts, name, 'a column that is not known must have a default or be nullable, so that rows can be added')
  }
  const missingIndexes = wanted.indexes.filter((index) => !hasIndex(found, index))
  for (const { name, unique, primaryKey } of wanted.columns) {
    if (unique !== true && primaryKey !== true) continue
    if (hasIndex(found, { name, columns: [name], unique: true })) continue
    say(conflicts, name, 'the column must be unique')
  }
  return { missingIndexes, conflicts, differences }
}

function hasIndex(found: FoundTable, wanted: PhysicalIndex): boolean {
  const where = wanted.where === undefined ? null : normalizeCondition(wanted.where)
  return found.indexes.some(
    (index) =>
      (wanted.unique !== true || index.unique) &&
      index.where === where &&
      (wanted.unique === true
        ? sameSet(index.columns, wanted.columns)
        : wanted.columns.every((column, position) => index.columns[position] === column.toLowerCase())),
  )
}

const sameSet = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && right.every((name) => left.includes(name.toLowerCase()))

interface Say {
  readonly conflict: (text: string) => void
  readonly difference: (text: string) => void
}

function compareColumn(there: FoundColumn, column: PhysicalColumn, wanted: string, dialect: Dialect, say: Say): void {
  const fit = compareType(there.type, wanted, dialect)
  if (fit === 'no') say.conflict(`its type is ${there.type}, not ${wanted}`)
  if (fit === 'nearly') say.difference(`its type is ${there.type}, not ${wanted}`)
  if (column.primaryKey === true) {
    if ((column.type === 'key4' || column.type === 'key8') && !there.filled) say.conflict('the key is not generated')
    return
  }
  if (column.nullable === true && !there.nullable) say.conflict('the column must be nullable')
  if (column.nullable !== true && there.nullable) say.difference('the column is nullable')
}

const FAMILIES: readonly ReadonlySet<string>[] = [
  new Set(['integer', 'bigint', 'int', 'serial', 'bigserial', 'integer unsigned', 'smallint']),
  new Set(['bool', 'boolean']),
  new Set(['datetime', 'timestamp', 'timestamp with time zone']),
]
const parseColumnLength = (type: string): number => Number(/^(?:var)?char\((\d+)\)$/.exec(type)?.[1] ?? Number.NaN)

/** Compares column types. SQLite doesn't enforce lengths. */
function compareType(type: string, wanted: string, dialect: Dialect): 'yes' | 'nearly' | 'no' {
  if (type === wanted) return 'yes'
  if (FAMILIES.some((family) => family.has(type) && family.has(wanted))) return 'nearly'
  if (!wanted.startsWith('varchar')) return 'no'
  if (type === 'text') return 'nearly'
  const length = parseColumnLength(type)
  if (Number.isNaN(length)) return 'no'
  return dialect === 'sqlite' || length > parseColumnLength(wanted) ? 'nearly' : 'no'
}
