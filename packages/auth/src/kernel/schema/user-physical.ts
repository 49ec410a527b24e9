import type { UserColumns, UserTable } from '../settings/user-table.ts'
import type { ColumnType, PhysicalColumn, PhysicalIndex, PhysicalTable } from './physical.ts'

const KEY_TYPES = { integer: 'key4', bigint: 'key8', uuid: 'uuid', text: 'text_key' } as const satisfies Record<
  UserTable['idType'],
  ColumnType
>

type Form = Omit<PhysicalColumn, 'name'>
const flag: Form = { type: 'bool' }

/** By field of a user, in the order in which the columns stand. */
const FORMS: Readonly<Record<keyof UserColumns, Form>> = {
  id: { type: 'key4', primaryKey: true },
  password: { type: 'varchar(128)' },
  lastLogin: { type: 'time', nullable: true },
  isSuperuser: flag,
  username: { type: 'varchar(150)', unique: true },
  firstName: { type: 'varchar(150)' },
  lastName: { type: 'varchar(150)' },
  email: { type: 'varchar(254)' },
  isStaff: flag,
  isActive: flag,
  dateJoined: { type: 'time' },
}

/** The user table of these settings, as it is created where there is none. */
export function userPhysical({ table, idType, columns }: UserTable): PhysicalTable {
  const plain = table.slice(table.lastIndexOf('.') + 1)
  const found = Object.entries(FORMS).flatMap(([field, form]): PhysicalColumn[] => {
    const name = columns[field as keyof UserColumns] // FORMS has these keys
    if (name === null) return []
    return [{ ...form, name, ...(field === 'id' ? { type: KEY_TYPES[idType] } : {}) }]
  })
  const lowered = (name: string | null, unique: boolean): PhysicalIndex[] =>
    name === null
      ? []
      : [{ name: `${plain}_${name}_lower`, columns: [`lower(${name})`], ...(unique ? { unique } : {}) }]
  return {
    name: table,
    columns: found,
    indexes: [...lowered(columns.username, true), ...lowered(columns.email, false)],
  }
}
