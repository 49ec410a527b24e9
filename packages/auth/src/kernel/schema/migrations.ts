import { type Database, isUniqueViolation, migrate, type Migration } from '@gatepost/sql'
import { type Kysely, sql } from 'kysely'
import { AuthError } from '../../errors.ts'
import { DEFAULT_USER_TABLE, type UserColumns, type UserTable } from '../settings/user-table.ts'
import { refreshFolded } from '../users/fold-case.sql.ts'
import { userRows } from '../users/user-rows.sql.ts'
import type { AuthTables } from './tables.ts'
import { compareTable } from './compare.ts'
import { createIndex, createTable, type Dialect } from './ddl.ts'
import { inspectTable } from './inspect.sql.ts'
import {
  ACCOUNT_TABLES,
  column,
  type ColumnType,
  nullable,
  type PhysicalColumn,
  type PhysicalIndex,
  type PhysicalTable,
  unique,
  VERIFIED_EMAIL_INDEX,
} from './physical.ts'

/** The settings that the tables depend on. */
export interface SchemaSettings {
  readonly userTable: UserTable
  readonly uniqueEmail: boolean
  /** The integer key type of the package's new tables; if `null` or absent, each table's own default. */
  readonly keyType?: 'integer' | 'bigint' | null
}

/** The defaults, for a new database. */
export const DEFAULT_SCHEMA: SchemaSettings = { userTable: DEFAULT_USER_TABLE, uniqueEmail: true }

/** Returns the tables that these settings need, in order of creation. */
export function listRequiredTables(settings: SchemaSettings): readonly PhysicalTable[] {
  const account = ACCOUNT_TABLES.map((table) => ({
    ...table,
    columns: table.columns.map((column) => withKeyType(table, column, settings.keyType ?? null)),
    indexes: table.indexes.filter((index) => settings.uniqueEmail || index !== VERIFIED_EMAIL_INDEX),
  }))
  return [userPhysical(settings.userTable), ...account, ...OWN_TABLES]
}

/** Applies the configured key type. The site table belongs to Django and keeps its own. */
function withKeyType(
  table: PhysicalTable,
  column: PhysicalColumn,
  keyType: NonNullable<SchemaSettings['keyType']> | null,
): PhysicalColumn {
  if (keyType === null || table.name === SITE_TABLE || column.references === SITE_TABLE) return column
  const isKey = column.type === 'key4' || column.type === 'key8'
  if (isKey) return { ...column, type: keyType === 'bigint' ? 'key8' : 'key4' }
  return column.type === 'int4' && column.references !== undefined && keyType === 'bigint'
    ? { ...column, type: 'int8' }
    : column
}

const SITE_TABLE = 'django_site'

/**
 * Returns a relaxed schema for an existing table: usernames that differ only in case may already exist, and the
 * existing site may keep creating them.
 */
export const toAdoptedTable = (table: PhysicalTable): PhysicalTable => ({
  ...table,
  indexes: table.indexes.map((index) => {
    const { unique: _unique, ...plain } = index
    return index.columns.some((column) => column.startsWith('lower(')) ? plain : index
  }),
})

/**
 * Returns the migrations, which create missing tables, and missing indexes in existing tables. Run them with `migrate`
 * as owner `auth`.
 * @throws {AuthError} `database_foreign` if an existing table can't be used
 */
export const authMigrations = (settings: SchemaSettings = DEFAULT_SCHEMA): readonly Migration[] => [
  {
    name: '0001_accounts',
    async up(db, dialect) {
      for (const table of listRequiredTables(settings)) await createMissing(db, table, dialect, settings.userTable)
    },
  },
  {
    name: '0002_artifacts',
    async up(db, dialect) {
      await createOwn('gatepost_artifact', settings, db, dialect)
    },
  },
  {
    name: '0003_folded',
    async up(db, dialect) {
      await createOwn('gatepost_folded', settings, db, dialect)
      const accounts = db as unknown as Kysely<AuthTables> // its tables exist after the first migration
      await refreshFolded(accounts, userRows(settings.userTable, dialect))
    },
  },
  { name: '0004_state', up: (db, dialect) => createOwn('gatepost_state', settings, db, dialect) },
]

/** The settings that `migrateAccounts` depends on. */
export interface MigrationSettings {
  readonly userTable: UserTable
  readonly account: { readonly uniqueEmail: boolean }
  readonly defaultAutoField: 'integer' | 'bigint' | null
}

/**
 * Creates or updates the account tables, as `createAuth` does. Call it separately if the service's database role isn't
 * allowed to.
 * @param nowMs Time, milliseconds since the Unix epoch.
 * @returns The names of the applied migrations.
 * @throws {AuthError} `database_foreign` if an existing table can't be used
 * @throws {SqlError} as `migrate`
 */
export async function migrateAccounts<Tables>(
  database: Database<Tables>,
  { userTable, account, defaultAutoField }: MigrationSettings,
  nowMs: number,
): Promise<readonly string[]> {
  const schema = { userTable, uniqueEmail: account.uniqueEmail, keyType: defaultAutoField }
  return migrate(database, { owner: 'auth', migrations: authMigrations(schema), nowMs })
}

async function createOwn(name: string, settings: SchemaSettings, db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const table = OWN_TABLES.find((own) => own.name === name)
  if (table !== undefined) await createMissing(db, table, dialect, settings.userTable)
}

async function createMissing(
  db: Kysely<unknown>,
  table: PhysicalTable,
  dialect: Dialect,
  user: UserTable,
): Promise<void> {
  const found = await inspectTable(db, table.name, dialect)
  if (found === null) {
    for (const statement of createTable(table, dialect, user)) await sql.raw(statement).execute(db)
    return
  }
  const { conflicts, missingIndexes } = compareTable(found, toAdoptedTable(table), dialect, user)
  const [conflict] = conflicts
  if (conflict !== undefined) {
    const { column, text } = conflict
    throw new AuthError('database_foreign', {
      details: { table: table.name, ...(column === null ? {} : { column }), text },
    })
  }
  for (const index of missingIndexes) await createMissingIndex(db, table.name, index)
}

async function createMissingIndex(db: Kysely<unknown>, table: string, index: PhysicalIndex): Promise<void> {
  try {
    await sql.raw(createIndex(table, index)).execute(db)
  } catch (cause) {
    if (!isUniqueViolation(cause)) throw cause
    const text = `the table has duplicate rows for ${index.columns.join(' and ')}, which must be unique`
    throw new AuthError('database_foreign', { details: { table, text }, cause })
  }
}

const KEY_TYPES = { integer: 'key4', bigint: 'key8', uuid: 'uuid', text: 'text_key' } as const satisfies Record<
  UserTable['idType'],
  ColumnType
>

type Form = Omit<PhysicalColumn, 'name'>
const flag: Form = { type: 'bool' }

/** The columns of the user table by field, in column order. */
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

/** Returns the user table to create for these settings if none exists. */
function userPhysical({ table, idType, columns }: UserTable): PhysicalTable {
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

/** The package's own tables, in addition to the account tables. Times are milliseconds since the Unix epoch. */
const OWN_TABLES: readonly PhysicalTable[] = [
  {
    name: 'gatepost_session',
    columns: [
      { name: 'token_hash', type: 'bytes', primaryKey: true },
      unique('id', 'text'),
      nullable('user_id', 'text'),
      nullable('fingerprint', 'text'),
      nullable('authenticated_at_ms', 'int8'),
      column('created_at_ms', 'int8'),
      column('seen_at_ms', 'int8'),
      column('expires_at_ms', 'int8'),
      column('persistent', 'int4'),
      nullable('ip', 'text'),
      column('user_agent', 'text'),
      column('version', 'int4'),
      nullable('data', 'text'),
    ],
    indexes: [
      { name: 'gatepost_session_user_id', columns: ['user_id'], where: '"user_id" is not null' },
      { name: 'gatepost_session_expires_at_ms', columns: ['expires_at_ms'] },
    ],
    withoutRowid: true,
  },
  {
    name: 'gatepost_rate',
    columns: [
      { name: 'key', type: 'text', primaryKey: true },
      column('stamps', 'text'),
      column('expires_at_ms', 'int8'),
    ],
    indexes: [{ name: 'gatepost_rate_expires_at_ms', columns: ['expires_at_ms'] }],
    withoutRowid: true,
  },
  {
    name: 'gatepost_mail',
    columns: [
      { name: 'id', type: 'text', primaryKey: true },
      column('message', 'text'),
      column('attempts', 'int4'),
      column('due_at_ms', 'int8'),
      column('created_at_ms', 'int8'),
      nullable('claimed_until_ms', 'int8'),
    ],
    indexes: [{ name: 'gatepost_mail_due_at_ms', columns: ['due_at_ms'] }],
  },
  {
    name: 'gatepost_phone',
    columns: [{ name: 'user_id', type: 'text', primaryKey: true }, column('phone', 'text'), column('verified', 'int4')],
    indexes: [
      { name: 'gatepost_phone_phone', columns: ['phone'] },
      { name: 'gatepost_phone_verified', columns: ['phone'], unique: true, where: '"verified" = 1' },
    ],
  },
  {
    name: 'gatepost_folded',
    columns: [column('field', 'text'), column('key', 'text'), column('folded', 'text')],
    indexes: [
      { name: 'gatepost_folded_field_key', columns: ['field', 'key'], unique: true },
      { name: 'gatepost_folded_field_folded', columns: ['field', 'folded'] },
    ],
  },
  {
    name: 'gatepost_state',
    columns: [{ name: 'name', type: 'text', primaryKey: true }, column('value', 'text')],
    indexes: [],
  },
  {
    name: 'gatepost_artifact',
    columns: [
      { name: 'key', type: 'text', primaryKey: true },
      { ...unique('lookup', 'text'), nullable: true },
      nullable('grant_id', 'text'),
      column('payload', 'text'),
      nullable('consumed_at_ms', 'int8'),
      column('expires_at_ms', 'int8'),
    ],
    indexes: [
      { name: 'gatepost_artifact_grant_id', columns: ['grant_id'], where: '"grant_id" is not null' },
      { name: 'gatepost_artifact_expires_at_ms', columns: ['expires_at_ms'] },
    ],
  },
]
