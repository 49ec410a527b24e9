import { type Database, SqlError } from '@gatepost/sql'
import { type RawBuilder, sql } from 'kysely'
import { AuthError } from '../../errors.ts'
import { uuidV4 } from '../crypto/random.ts'
import type { RandomBytes } from '../io.ts'
import { inTransaction, lockName, removeRows } from '../schema/in-transaction.sql.ts'
import type { AuthTables } from '../schema/tables.ts'
import { isTrue } from '../schema/values.ts'
import type { UserColumns, UserTable } from '../settings/user-table.ts'
import {
  foldCase,
  isAscii,
  isStorable,
  matchesFolded,
  refreshFolded,
  saveFolded,
  truncateText,
} from './fold-case.sql.ts'
import { type UserRow, userRows, type UserRows } from './user-rows.sql.ts'
import type { AuthDb, NewUser, User, UserChanges, UserId, UserStore } from './user.ts'

/** The inputs of `sqlUserStore`. */
interface UserStoreParts {
  readonly database: Database<AuthTables>
  readonly settings: { readonly userTable: UserTable }
  /** For keys that the database doesn't generate. */
  readonly random: RandomBytes
}

/** Port: `UserStore`. Never inserts two usernames that differ only in case, whatever the table's constraints. */
export function sqlUserStore({ database, settings, random }: UserStoreParts): UserStore {
  const { userTable } = settings
  const isCounted = userTable.idType === 'integer' || userTable.idType === 'bigint'
  const rows = userRows(userTable, database.dialect)
  const claim = async (tx: AuthDb, username: string | undefined, own: UserId | null): Promise<void> => {
    if (username === undefined || username === '' || !rows.has('username')) return
    await lockName(database, tx, foldCase(username))
    const others = await findNamesakes(tx, rows, username)
    if (others.some((other) => other.id !== own)) throw new SqlError('row_exists', { column: 'username' })
  }
  return {
    ...userQueries(rows),
    ...passwords(rows),
    insert: async (db, user, password, nowMs) =>
      inTransaction(database, db, async (tx) => {
        await claim(tx, user.username, null)
        const inserted = await insertUser(tx, rows, { ...user, id: isCounted ? null : uuidV4(random) }, password, nowMs)
        for (const field of FOLDED) {
          if (!isAscii(inserted[field])) await saveFolded(tx, field, rows.keyText(inserted.id), inserted[field])
        }
        return inserted
      }),
    async update(db, userId, changes) {
      const write = async (tx: AuthDb): Promise<User> => {
        await claim(tx, changes.username, userId)
        const updated = await update(tx, rows, userId, changes)
        for (const field of FOLDED) {
          if (changes[field] !== undefined) await saveFolded(tx, field, rows.keyText(userId), updated[field])
        }
        return updated
      }
      return FOLDED.every((field) => changes[field] === undefined) ? write(db) : inTransaction(database, db, write)
    },
    remove: async (db, userId) => inTransaction(database, db, async (tx) => remove(tx, rows, userId)),
    sweep: async () => refreshFolded(database.db, rows),
  }
}

const FOLDED = ['username', 'email'] as const

function userQueries(rows: UserRows): Pick<UserStore, 'byId' | 'byUsername' | 'byEmail' | 'any' | 'list'> {
  const { table } = rows
  const id = rows.column('id')
  return {
    async byId(db, userId) {
      const found = await sql<UserRow>`
        select ${rows.columns()} from ${table} where ${id} = ${rows.key(userId)}`.execute(db)
      return found.rows.map(rows.read)[0] ?? null
    },
    async byUsername(db, username) {
      const found = await findNamesakes(db, rows, username)
      return found.find((user) => user.username === username) ?? found[0] ?? null
    },
    byEmail: async (db, email, options) => findUsersByEmail(db, rows, email, options),
    async any(db) {
      return (await sql`select 1 from ${table} limit 1`.execute(db)).rows.length > 0
    },
    async list(db, { limit, after }) {
      const which = after === null ? sql`` : sql`where ${id} > ${rows.key(after)}`
      const found = await sql<UserRow>`
        select ${rows.columns()} from ${table} ${which} order by ${id} limit ${limit}`.execute(db)
      return found.rows.map(rows.read)
    },
  }
}

function passwords(rows: UserRows): Pick<UserStore, 'loadPasswordHash' | 'setPassword'> {
  const { table } = rows
  const id = rows.column('id')
  const column = rows.column('password')
  const encoded = sql`coalesce(${column}, '')`
  return {
    async loadPasswordHash(db, userId) {
      const statement = () => sql<{ password: string }>`select ${encoded} as password from ${table} where ${id} = ${0}`
      const found = await rows.run(db, 'password', statement, [rows.key(userId)])
      return found.rows[0]?.password ?? null
    },
    async setPassword(db, userId, renewed, expected) {
      const unchanged = expected === undefined ? sql`` : sql` and ${encoded} = ${expected}`
      const done = await sql`
        update ${table} set ${column} = ${renewed} where ${id} = ${rows.key(userId)}${unchanged}`.execute(db)
      return done.numAffectedRows === 1n
    },
  }
}

async function remove(tx: AuthDb, rows: UserRows, userId: UserId): Promise<void> {
  const own = rows.keyText(userId)
  await tx.deleteFrom('gatepost_session').where('user_id', '=', own).execute()
  await tx.deleteFrom('gatepost_phone').where('user_id', '=', own).execute()
  const addresses = sql<string>`(select cast(id as text) from account_emailaddress where user_id = ${rows.key(userId)})`
  await tx.deleteFrom('gatepost_folded').where('field', '=', 'address').where('key', 'in', addresses).execute()
  await tx.deleteFrom('gatepost_folded').where('field', 'in', FOLDED).where('key', '=', own).execute()
  const key = rows.column('id')
  await removeRows(tx, { table: 'user', target: rows.table, key, which: sql`${key} = ${rows.key(userId)}` })
}

type Changeable = Exclude<keyof UserColumns, 'id' | 'password'>

/** Maximum lengths of the columns, in characters. */
const LENGTHS: Readonly<Partial<Record<Changeable, number>>> = {
  username: 150,
  firstName: 150,
  lastName: 150,
  email: 254,
}

/** Returns the columns to write and their values, without fields that the table has no column for. */
function toUserColumns(
  rows: UserRows,
  user: UserChanges & Partial<Pick<User, 'dateJoinedMs'>>,
): (readonly [column: RawBuilder<unknown>, value: unknown, name: string])[] {
  const values: Readonly<Record<Changeable, User[keyof User] | undefined>> = {
    username: user.username,
    email: user.email?.toLowerCase(),
    firstName: user.firstName,
    lastName: user.lastName,
    isActive: user.isActive,
    isStaff: user.isStaff,
    isSuperuser: user.isSuperuser,
    lastLogin: user.lastLoginMs,
    dateJoined: user.dateJoinedMs,
  }
  return Object.entries(values).flatMap(([name, value]) => {
    const field = name as Changeable // `values` has these keys
    if (value === undefined || !rows.has(field)) return []
    const fitting = typeof value === 'string' ? truncateText(value, LENGTHS[field] ?? value.length) : value
    return [[rows.column(field), rows.write(field, fitting), name] as const]
  })
}

async function insertUser(
  tx: AuthDb,
  rows: UserRows,
  user: NewUser & { readonly id: string | null },
  password: string,
  nowMs: number,
): Promise<User> {
  const fields = toUserColumns(rows, {
    username: user.username ?? '',
    email: user.email ?? '',
    firstName: user.firstName ?? '',
    lastName: user.lastName ?? '',
    isActive: user.isActive ?? true,
    isStaff: user.isStaff ?? false,
    isSuperuser: user.isSuperuser ?? false,
    lastLoginMs: null,
    dateJoinedMs: nowMs,
  })
  fields.push([rows.column('password'), password, 'password'])
  if (user.id !== null) fields.push([rows.column('id'), rows.key(user.id), 'id'])
  const inserted = await sql<UserRow>`
    insert into ${rows.table} (${sql.join(fields.map(([column]) => column))})
    values (${sql.join(fields.map(([, value]) => value))}) returning ${rows.columns()}`.execute(tx)
  return readOnly(rows, inserted.rows)
}

async function update(db: AuthDb, rows: UserRows, userId: UserId, changes: UserChanges): Promise<User> {
  const fields = toUserColumns(rows, changes)
  const which = sql`where ${rows.column('id')} = ${0}`
  const statement = (): RawBuilder<UserRow> =>
    fields.length === 0
      ? sql<UserRow>`select ${rows.columns()} from ${rows.table} ${which}`
      : sql<UserRow>`update ${rows.table} set ${sql.join(fields.map(([column]) => sql`${column} = ${0}`))} ${which}
          returning ${rows.columns()}`
  const names = fields.map(([, , name]) => name).join()
  const values = [...fields.map(([, value]) => value), rows.key(userId)]
  return readOnly(rows, (await rows.run(db, `update ${names}`, statement, values)).rows)
}

function readOnly(rows: UserRows, [row]: readonly UserRow[]): User {
  if (row === undefined) throw new AuthError('not_found')
  return rows.read(row)
}

/** Returns all users with this username, ignoring case, ordered by ID. */
async function findNamesakes(db: AuthDb, rows: UserRows, username: string): Promise<readonly User[]> {
  if (!rows.has('username') || !isStorable(username)) return []
  const folded = foldCase(username)
  const statement = () =>
    sql<UserRow>`select ${rows.columns()} from ${rows.table}
      where ${matchesFolded(rows, 'username', username)} order by ${rows.column('id')}`
  // The usual condition, `lower(username) = ?`, has one parameter.
  const isUsual = isAscii(folded) && username === folded
  const found = await (isUsual ? rows.run(db, 'username', statement, [folded]) : statement().execute(db))
  return found.rows.map(rows.read).filter((user) => foldCase(user.username) === folded)
}

/** Port: `UserStore.byEmail`. Verified owners come first, each user once. */
async function findUsersByEmail(
  db: AuthDb,
  rows: UserRows,
  email: string,
  { preferVerified, activeOnly }: { readonly preferVerified: boolean; readonly activeOnly: boolean },
): Promise<readonly User[]> {
  if (email === '' || !isStorable(email)) return []
  const folded = foldCase(email)
  const inAddresses = await sql<UserRow & { readonly address: string; readonly verified: unknown }>`
    select ${rows.columns('u')}, e.email as address, e.verified as verified
    from account_emailaddress e join ${rows.table} u on ${rows.column('id', 'u')} = e.user_id
    where ${matchesFolded(rows, 'address', email, 'e')} order by e.id`.execute(db)
  const owners = inAddresses.rows.filter(({ address }) => foldCase(address) === folded)
  const verified = owners.filter((owner) => isTrue(owner.verified))
  const others = owners.filter((owner) => !isTrue(owner.verified))
  const isEnough = preferVerified && verified.length > 0
  const found: readonly UserRow[] = isEnough
    ? verified
    : [...verified, ...others, ...(await findMirroredUsers(db, rows, email, folded))]
  const users = new Map(found.map((row) => [row.u_id, row]))
  return [...users.values()].map(rows.read).filter((user) => !activeOnly || user.isActive)
}

async function findMirroredUsers(
  db: AuthDb,
  rows: UserRows,
  email: string,
  folded: string,
): Promise<readonly UserRow[]> {
  if (!rows.has('email')) return []
  const found = await sql<UserRow>`
    select ${rows.columns()} from ${rows.table}
    where ${matchesFolded(rows, 'email', email)} order by ${rows.column('id')}`.execute(db)
  return found.rows.filter((row) => foldCase(row.u_email ?? '') === folded)
}
