import type { Database } from '@gatepost/sql'
import { type RawBuilder, sql } from 'kysely'
import { plainAddress } from '../kernel/http/request-headers.ts'
import type { AuthTables } from '../kernel/schema/tables.ts'
import { parseTime, timeText } from '../kernel/schema/values.ts'
import type { UserTable } from '../kernel/settings/user-table.ts'
import type { AuthDb, UserId } from '../kernel/users/user.ts'
import { type UserRows, userRows } from '../kernel/users/user-rows.sql.ts'
import type { UserSession } from './user-session.ts'

/** A session as its row says it. */
export type StoredUserSession = Omit<UserSession, 'isCurrent'>
/** A row that is to be written. */
export type NewUserSession = Omit<StoredUserSession, 'id'>
/** What a row holds of the last request. */
export type LastSeen = Pick<StoredUserSession, 'ip' | 'userAgent' | 'lastSeenAtMs'>

/** The statements on `usersessions_usersession`. */
export interface UserSessionRows {
  /** One indexed read, outside of transactions. */
  byKey(sessionKey: string): Promise<StoredUserSession | null>
  ofUser(db: AuthDb, userId: UserId): Promise<readonly StoredUserSession[]>
  byIds(db: AuthDb, userId: UserId, ids: readonly number[]): Promise<readonly StoredUserSession[]>
  /** Writes a row, over that of the same session. Without its user there is nothing to write. */
  put(db: AuthDb, session: NewUserSession): Promise<void>
  /** Writes rows of sessions that have none. */
  add(db: AuthDb, sessions: readonly NewUserSession[]): Promise<void>
  /** Writes while address and browser are still those of `before`. Answers whether it did. */
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
/** The column is not null. */
const NO_ADDRESS = '0.0.0.0'
const LONGEST_USER_AGENT = 200
/** Rows of one statement: databases take a limited number of parameters. */
const BATCH = 500

/** @param userTable Names of the user table. */
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

/** The address as it is shown. PostgreSQL has other spellings, and may say the length of the network after it. */
const formatIp = (ip: string): string => {
  const [address = ''] = ip.split('/', 1)
  return address === NO_ADDRESS ? '' : (plainAddress(address) ?? '')
}

/** What a row keeps of the name of a browser. */
export const truncateUserAgent = (userAgent: string): string => {
  const text = userAgent.replaceAll('\0', '').toWellFormed()
  return text.length <= LONGEST_USER_AGENT ? text : Array.from(text).slice(0, LONGEST_USER_AGENT).join('')
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

/** Values of a new row. PostgreSQL does not guess their types in a `select`. */
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
