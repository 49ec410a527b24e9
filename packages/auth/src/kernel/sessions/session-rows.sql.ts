import { hash } from 'node:crypto'
import type { Database, PreparedRead } from '@gatepost/sql'
import { type RawBuilder, sql } from 'kysely'
import type { AuthTables } from '../schema/tables.ts'
import type { AuthDb } from '../users/user.ts'
import type { UserRow, UserRows } from '../users/user-rows.sql.ts'

/** How long sessions last, in seconds. */
export interface SessionLife {
  readonly sessionCookieAge: number
  readonly sessionIdleAge: number
}

/** The columns that a session check reads. */
export interface CheckedRow extends UserRow {
  readonly s_id: string
  readonly s_fingerprint: string | null
  readonly s_authenticated_at_ms: number | null
  readonly s_created_at_ms: number
  readonly s_seen_at_ms: number
}

/** A stored session. The user columns are null if it has no user. */
export interface StoredRow extends CheckedRow {
  readonly s_token_hash: Uint8Array
  readonly s_user_id: string | null
  readonly s_persistent: number
  readonly s_version: number
  readonly s_data: string | null
}

/** The columns to change. */
export type SessionChanges = Partial<
  Pick<
    AuthTables['gatepost_session'],
    | 'token_hash'
    | 'user_id'
    | 'fingerprint'
    | 'authenticated_at_ms'
    | 'created_at_ms'
    | 'seen_at_ms'
    | 'expires_at_ms'
    | 'persistent'
    | 'data'
  >
>

/** Returns whether a text has the form of a token: 32 bytes in base64url. */
export const isToken = (token: string): boolean => token.length === 43 && /^[\w-]+$/.test(token)

/** Returns the SHA-256 of a token's text, which is what's stored. */
export const tokenHash = (token: string): Buffer => hash('sha256', token, 'buffer')

/** Returns whether a session has exceeded neither its idle nor its absolute lifetime. */
export const isAlive = (
  row: Pick<CheckedRow, 's_created_at_ms' | 's_seen_at_ms'>,
  life: SessionLife,
  nowMs: number,
): boolean =>
  nowMs < row.s_created_at_ms + life.sessionCookieAge * 1000 && nowMs < row.s_seen_at_ms + life.sessionIdleAge * 1000

/** Returns when a session expires if it isn't used again, in milliseconds since the Unix epoch. */
export const sessionExpiryMs = (createdAtMs: number, seenAtMs: number, life: SessionLife): number =>
  Math.min(createdAtMs + life.sessionCookieAge * 1000, seenAtMs + life.sessionIdleAge * 1000)

/** The statements on `gatepost_session`. */
export interface SessionRows {
  /** Reads a session with its user by token hash, in one indexed read. */
  readonly checked: PreparedRead<CheckedRow>
  readonly stored: PreparedRead<StoredRow>
  /** The same reads by session ID. */
  readonly checkedById: PreparedRead<CheckedRow>
  readonly storedById: PreparedRead<StoredRow>
  byId(db: AuthDb, id: string): Promise<StoredRow | null>
  insert(db: AuthDb, row: AuthTables['gatepost_session']): Promise<void>
  /** Updates the row if it has this version. Returns whether it did. */
  update(db: AuthDb, id: string, version: number, changes: SessionChanges): Promise<boolean>
  /** Deletes the row. Returns whether it did. @param version If given, deletes it only if it has this version. */
  remove(db: AuthDb, id: string, version?: number): Promise<boolean>
}

/** Prepares the statements. @param users The user table. */
export function sessionRows(database: Database<AuthTables>, users: UserRows): SessionRows {
  const joined = sql`${users.table} u on ${users.column('id', 'u')} = ${users.castKey(sql.ref('s.user_id'))}`
  const checked = sql`s.id as s_id, s.fingerprint as s_fingerprint, s.authenticated_at_ms as s_authenticated_at_ms,
    s.created_at_ms as s_created_at_ms, s.seen_at_ms as s_seen_at_ms`
  const stored = sql`${checked}, s.token_hash as s_token_hash, s.user_id as s_user_id, s.persistent as s_persistent,
    s.version as s_version, s.data as s_data, ${users.columns('u')}`
  const anyHash = Buffer.alloc(32)
  const prepared = <Row>(query: ReturnType<typeof sql<Row>>): PreparedRead<Row> =>
    database.prepareRead<Row>(query.compile(database.db).sql)
  const checkedWhere = (condition: RawBuilder<unknown>): PreparedRead<CheckedRow> =>
    prepared(sql<CheckedRow>`select ${checked}, ${users.columns('u')}
      from gatepost_session s join ${joined} where ${condition}`)
  const storedWhere = (condition: RawBuilder<unknown>): PreparedRead<StoredRow> =>
    prepared(sql<StoredRow>`select ${stored} from gatepost_session s left join ${joined} where ${condition}`)
  const ofToken = sql`s.token_hash = ${anyHash}`
  const ofId = sql`s.id = ${''}`
  return {
    checked: checkedWhere(ofToken),
    stored: storedWhere(ofToken),
    checkedById: checkedWhere(ofId),
    storedById: storedWhere(ofId),
    async byId(db, id) {
      const found = await sql<StoredRow>`select ${stored}
        from gatepost_session s left join ${joined} where s.id = ${id}`.execute(db)
      return found.rows[0] ?? null
    },
    async insert(db, row) {
      const names = Object.keys(row)
      const statement = (): RawBuilder<unknown> =>
        sql`insert into gatepost_session (${sql.join(names.map((name) => sql.ref(name)))})
          values (${sql.join(names.map(() => 0))})`
      await users.run(db, `session ${names.join()}`, statement, Object.values(row))
    },
    async update(db, id, version, changes) {
      const query = db.updateTable('gatepost_session').set({ ...changes, version: version + 1 })
      const done = await query.where('id', '=', id).where('version', '=', version).executeTakeFirst()
      return done.numUpdatedRows === 1n
    },
    async remove(db, id, version) {
      const query = db.deleteFrom('gatepost_session').where('id', '=', id)
      const done = await (version === undefined ? query : query.where('version', '=', version)).executeTakeFirst()
      return done.numDeletedRows === 1n
    },
  }
}
