import type { Database } from '@gatepost/sql'
import { type RawBuilder, sql } from 'kysely'
import { plainAddress } from '../kernel/http/request-headers.ts'
import type { AuthTables } from '../kernel/schema/tables.ts'
import { parseTime, timeText } from '../kernel/schema/values.ts'
import type { UserTable } from '../kernel/settings/user-table.ts'
import type { AuthDb, UserId } from '../kernel/users/user.ts'
import { type UserRows, userRows } from '../kernel/users/user-rows.sql.ts'
import type { UserSession } from './user-session.ts'

/** A session as stored in its row. */
export type StoredUserSession = Omit<UserSession, 'isCurrent'>
/** A row to write. */
export type NewUserSession = Omit<StoredUserSession, 'id'>
/** The data of the last request in a row. */
export type LastSeen = Pick<StoredUserSession, 'ip' | 'userAgent' | 'lastSeenAtMs'>

/** Stores the rows of `usersessions_usersession`. */
export interface UserSessionRows {
  /** Reads one row by index, outside of transactions. */
  byKey(sessionKey: string): Promise<StoredUserSession | null>
  ofUser(db: AuthDb, userId: UserId): Promise<readonly StoredUserSession[]>
  byIds(db: AuthDb, userId: UserId, ids: readonly number[]): Promise<readonly StoredUserSession[]>
  /** Writes a row, replacing that of the same session. Does nothing if the user is gone. */
  put(db: AuthDb, session: NewUserSession): Promise<void>
  /** Adds rows for sessions that have none. */
  add(db: AuthDb, sessions: readonly NewUserSession[]): Promise<void>
  /** Updates a row if its IP address and browser are still those of `before`. Returns whether it did. */
  updateLastSeen(db: AuthDb, before: StoredUserSession, seen: LastSeen): Promise<boolean>
  remove(db: AuthDb, ids: readonly number[]): Promise<void>
}

interface Row {
  readonly id: number
  readonly created_at: Date | string
  readonly ip: string
  readonly last_seen_at: Date | string
  readonly session_key: string
  readonly user_agent: string
  readonly user_id: string | number
}

const COLUMNS = ['id', 'created_at', 'ip', 'last_seen_at', 'session_key', 'user_agent', 'user_id'] as const
/** Stored instead of an unknown address, because the column isn't nullable. */
const NO_ADDRESS = '0.0.0.0'
const MAX_USER_AGENT_LENGTH = 200
/** Maximum number of rows per statement, because databases limit the number of parameters. */
const BATCH = 500

/** Creates the store. @param userTable Names of the user table. */
export function userSessionRows(database: Database<AuthTables>, userTable: UserTable): UserSessionRows {
  const users = userRows(userTable, database.dialect)
  return { ...sessionRowReads(database, users), ...sessionRowWrites(database.dialect, users) }
}

type Reads = 'byKey' | 'ofUser' | 'byIds'

function sessionRowReads(database: Database<AuthTables>, users: UserRows): Pick<UserSessionRows, Reads> {
  const read = (row: Row): StoredUserSession => ({
    id: row.id,
    userId: users.id(row.user_id),
    sessionKey: row.session_key,
    ip: formatIp(row.ip),
    userAgent: row.user_agent,
    createdAtMs: parseTime(row.created_at),
    lastSeenAtMs: parseTime(row.last_seen_at),
  })
  const columns = sql.join(COLUMNS.map((name) => sql.ref(name)))
  const one = sql`select ${columns} from usersessions_usersession where session_key = ${''}`
  const byKey = database.prepareRead<Row>(one.compile(database.db).sql)
  const selected = (db: AuthDb, userId: UserId) =>
    db.selectFrom('usersessions_usersession').select(COLUMNS).where('user_id', '=', users.key(userId))
  return {
    async byKey(sessionKey) {
      const row = await byKey([sessionKey])
      return row === undefined ? null : read(row)
    },
    ofUser: async (db, userId) => (await selected(db, userId).orderBy('id').execute()).map(read),
    async byIds(db, userId, ids) {
      const found: StoredUserSession[] = []
      for (const some of splitIntoBatches(ids)) {
        found.push(...(await selected(db, userId).where('id', 'in', some).execute()).map(read))
      }
      return found
    },
  }
}

function sessionRowWrites(dialect: Database<AuthTables>['dialect'], users: UserRows): Omit<UserSessionRows, Reads> {
  const cells = insertedValues(dialect, (userId) => users.castKey(sql`${users.keyText(userId)}`))
  return {
    async put(db, session) {
      await sql`insert into usersessions_usersession (${INSERTED})
        select ${sql.join(cells(session))} where exists (
          select 1 from ${users.table} where ${users.column('id')} = ${users.key(session.userId)})
        on conflict (session_key) do update set ${REPLACED}`.execute(db)
    },
    async add(db, sessions) {
      for (const some of splitIntoBatches(sessions)) {
        const values = some.map((session) => sql`(${sql.join(cells(session))})`)
        await sql`insert into usersessions_usersession (${INSERTED}) values ${sql.join(values)}
          on conflict (session_key) do nothing`.execute(db)
      }
    },
    async updateLastSeen(db, before, { ip, userAgent, lastSeenAtMs }) {
      const query = db
        .updateTable('usersessions_usersession')
        .set({
          ip: ip || NO_ADDRESS,
          user_agent: truncateUserAgent(userAgent),
          last_seen_at: timeText(lastSeenAtMs, dialect),
        })
        .where('id', '=', before.id)
        .where('ip', '=', before.ip || NO_ADDRESS)
        .where('user_agent', '=', before.userAgent)
      return (await query.executeTakeFirst()).numUpdatedRows === 1n
    },
    async remove(db, ids) {
      for (const some of splitIntoBatches(ids)) {
        await db.deleteFrom('usersessions_usersession').where('id', 'in', some).execute()
      }
    },
  }
}

/** Returns an address for display. PostgreSQL spells some differently, and may append the network length. */
const formatIp = (ip: string): string => {
  const [address = ''] = ip.split('/', 1)
  return address === NO_ADDRESS ? '' : (plainAddress(address) ?? '')
}

/** Returns the user agent as stored: truncated, and without characters that databases refuse. */
export const truncateUserAgent = (userAgent: string): string => {
  const text = userAgent.replaceAll('\0', '').toWellFormed()
  return text.length <= MAX_USER_AGENT_LENGTH ? text : Array.from(text).slice(0, MAX_USER_AGENT_LENGTH).join('')
}

const WRITTEN = [
  ['created_at', 'timestamptz'],
  ['ip', 'inet'],
  ['last_seen_at', 'timestamptz'],
  ['session_key', 'text'],
  ['user_agent', 'text'],
  ['data', 'jsonb'],
] as const
const INSERTED = sql.join([...WRITTEN.map(([name]) => sql.ref(name)), sql.ref('user_id')])
const REPLACED = sql.join(
  ['created_at', 'ip', 'last_seen_at', 'user_agent', 'user_id'].map(
    (name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`,
  ),
)

/** Returns a function for the values of a new row, cast because PostgreSQL doesn't infer their types in a `select`. */
function insertedValues(
  dialect: Database<AuthTables>['dialect'],
  key: (userId: UserId) => RawBuilder<unknown>,
): (session: NewUserSession) => readonly RawBuilder<unknown>[] {
  return ({ createdAtMs, ip, lastSeenAtMs, sessionKey, userAgent, userId }) => {
    const values = [
      timeText(createdAtMs, dialect),
      ip || NO_ADDRESS,
      timeText(lastSeenAtMs, dialect),
      sessionKey,
      truncateUserAgent(userAgent),
      '{}',
    ]
    const typed = WRITTEN.map(([, type], at) =>
      dialect === 'sqlite' ? sql`${values[at]}` : sql`cast(${values[at]} as ${sql.raw(type)})`,
    )
    return [...typed, key(userId)]
  }
}

function splitIntoBatches<T>(all: readonly T[]): readonly (readonly T[])[] {
  const count = Math.ceil(all.length / BATCH)
  return Array.from({ length: count }, (_, at) => all.slice(at * BATCH, (at + 1) * BATCH))
}
