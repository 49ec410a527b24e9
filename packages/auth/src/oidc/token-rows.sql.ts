import type { Kernel } from '../kernel/kernel.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Dialect } from '../kernel/schema/ddl.ts'
import { inTransaction, lockName } from '../kernel/schema/in-transaction.sql.ts'
import { parseJsonColumn, parseNullableTime, parseTime, timeText } from '../kernel/schema/values.ts'
import type { JsonObject } from '../kernel/settings/json-object.ts'
import { isRecord } from '../kernel/settings/kind.ts'
import { type UserRows, userRows } from '../kernel/users/user-rows.sql.ts'
import type { AuthDb, UserId } from '../kernel/users/user.ts'

const TABLE = 'allauth_idp_oidc_token'
const SWEEP_BATCH = 1_000
/** The member with the package's own data, separate from that of a migrated site. */
const OWN = 'gatepost'

/** `at`: access token, `rt`: refresh token. */
export type TokenType = 'at' | 'rt'

/** A stored token, without the token itself. */
export interface TokenRow {
  readonly id: number
  readonly type: TokenType
  readonly clientId: string
  /** `null` for a token of the client itself. */
  readonly userId: UserId | null
  readonly scopes: readonly string[]
  readonly createdAtMs: number
  /** `null` for no expiry, as for the refresh tokens of a migrated site. */
  readonly expiresAtMs: number | null
  /** The email address that the user chose for this client, or `null`. */
  readonly email: string | null
  /** The protocol engine's data; `null` for a token of a migrated site. */
  readonly details: JsonObject | null
}

/** A token to store under its hash. */
export interface NewTokenRow extends Omit<TokenRow, 'id'> {
  readonly hash: string
}

/** Reads and writes `allauth_idp_oidc_token`. Every call runs on the given handle. */
export interface TokenRows {
  /** Returns an unexpired token, or `null`. */
  byHash(db: AuthDb, type: TokenType, hash: string, nowMs: number): Promise<TokenRow | null>
  insert(db: AuthDb, row: NewTokenRow): Promise<void>
  /** Removes and returns a token. Only one of several concurrent callers gets it. */
  take(db: AuthDb, type: TokenType, hash: string): Promise<TokenRow | null>
  extend(db: AuthDb, id: number, expiresAtMs: number): Promise<void>
  /** Returns the user's unexpired tokens, oldest first. */
  ofUser(db: AuthDb, userId: UserId, nowMs: number): Promise<readonly TokenRow[]>
  /** Removes a client's tokens for a user. @param grantId If given, removes only this grant's tokens. */
  removeByClientAndUser(db: AuthDb, clientId: string, userId: UserId, grantId?: string): Promise<void>
  removeOfUser(db: AuthDb, userId: UserId): Promise<void>
  sweep(nowMs: number): Promise<number>
  /** Runs `work` in a transaction with a lock per user, so that storing and revoking tokens can't interleave. */
  withLock<R>(db: AuthDb, userId: UserId, work: (tx: AuthDb) => Promise<R>): Promise<R>
}

interface Row {
  readonly id: number
  readonly type: string
  readonly client_id: string | null
  readonly user_id: string | number | null
  readonly scopes: string
  readonly created_at: Date | string
  readonly expires_at: Date | string | null
  readonly data: unknown
}

const COLUMNS = ['id', 'type', 'client_id', 'user_id', 'scopes', 'created_at', 'expires_at', 'data'] as const

/** Creates the statements. */
export function tokenRows({ database, settings }: Pick<Kernel, 'database' | 'settings'>): TokenRows {
  const users = userRows(settings.userTable, database.dialect)
  return {
    ...tokenReads(database, users),
    ...removing(database, users),
    async insert(db, row) {
      const userId = row.userId === null ? null : users.key(row.userId)
      await db
        .insertInto(TABLE)
        .values(toTokenColumns(row, userId, database.dialect))
        .execute()
    },
    async extend(db, id, expiresAtMs) {
      const set = { expires_at: timeText(expiresAtMs, database.dialect) }
      await db.updateTable(TABLE).set(set).where('id', '=', id).execute()
    },
    withLock: (db, userId, work) =>
      inTransaction(database, db, async (tx) => {
        await lockName(database, tx, `oidc ${users.keyText(userId)}`)
        return work(tx)
      }),
  }
}

function tokenReads({ dialect }: Kernel['database'], users: UserRows): Pick<TokenRows, 'byHash' | 'take' | 'ofUser'> {
  const read = (row: Row): TokenRow | null => readRow(row, parseJsonColumn(row.data, dialect), (key) => users.id(key))
  const live = (db: AuthDb, nowMs: number) =>
    db
      .selectFrom(TABLE)
      .select(COLUMNS)
      .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', timeText(nowMs, dialect))]))
  return {
    async byHash(db, type, hash, nowMs) {
      const now = timeText(nowMs, dialect)
      const found = await users.run(db, 'oidc token', () => selectTokenByHash(type, hash, now), [type, hash, now])
      const [row] = found.rows
      return row === undefined ? null : read(row)
    },
    async take(db, type, hash) {
      const query = db.deleteFrom(TABLE).where('type', '=', type).where('hash', '=', hash).returning(COLUMNS)
      const row = await query.executeTakeFirst()
      return row === undefined ? null : read(row)
    },
    async ofUser(db, userId, nowMs) {
      const rows = await live(db, nowMs).where('user_id', '=', users.key(userId)).orderBy('created_at').execute()
      return rows.flatMap((row) => read(row) ?? [])
    },
  }
}

const selectTokenByHash = (type: TokenType, hash: string, now: string): RawBuilder<Row> =>
  sql<Row>`select ${sql.join(COLUMNS.map((name) => sql.ref(name)))} from ${sql.table(TABLE)}
    where type = ${type} and hash = ${hash} and (expires_at is null or expires_at > ${now})`

type Removing = Pick<TokenRows, 'removeByClientAndUser' | 'removeOfUser' | 'sweep'>

function removing(database: Kernel['database'], users: UserRows): Removing {
  const { dialect } = database
  return {
    async removeByClientAndUser(db, clientId, userId, grantId) {
      const rows = await db
        .selectFrom(TABLE)
        .select(['id', 'data'])
        .where('client_id', '=', clientId)
        .where('user_id', '=', users.key(userId))
        .execute()
      const ids = rows
        .filter(
          ({ data }) => grantId === undefined || readOwnData(parseJsonColumn(data, dialect))?.['grantId'] === grantId,
        )
        .map(({ id }) => id)
      if (ids.length > 0) await db.deleteFrom(TABLE).where('id', 'in', ids).execute()
    },
    async removeOfUser(db, userId) {
      await db.deleteFrom(TABLE).where('user_id', '=', users.key(userId)).execute()
    },
    sweep: (nowMs) => sweep(database, timeText(nowMs, dialect)),
  }
}

const readOwnData = (data: unknown): JsonObject | null => {
  const own = isRecord(data) ? data[OWN] : undefined
  return isRecord(own) ? own : null
}

/** Reads a row; `null` if it has no client or an unknown type. */
function readRow(row: Row, data: unknown, idOf: (key: string | number) => UserId): TokenRow | null {
  if (row.client_id === null || (row.type !== 'at' && row.type !== 'rt')) return null
  const email = isRecord(data) ? data['email'] : undefined
  return {
    id: row.id,
    type: row.type,
    clientId: row.client_id,
    userId: row.user_id === null ? null : idOf(row.user_id),
    scopes: row.scopes.split('\n').filter((scope) => scope !== ''),
    createdAtMs: parseTime(row.created_at),
    expiresAtMs: parseNullableTime(row.expires_at),
    email: typeof email === 'string' ? email : null,
    details: readOwnData(data),
  }
}

function toTokenColumns(row: NewTokenRow, userId: string | number | null, dialect: Dialect) {
  const data = { ...(row.email === null ? {} : { email: row.email }), [OWN]: row.details }
  return {
    type: row.type,
    hash: row.hash,
    client_id: row.clientId,
    user_id: userId,
    scopes: row.scopes.join('\n'),
    created_at: timeText(row.createdAtMs, dialect),
    expires_at: row.expiresAtMs === null ? null : timeText(row.expiresAtMs, dialect),
    data: JSON.stringify(data),
  }
}

async function sweep(database: Kernel['database'], now: string): Promise<number> {
  for (let swept = 0; ; ) {
    const expired = database.db
      .selectFrom(TABLE)
      .select('id')
      .where('expires_at', '<=', now)
      .limit(SWEEP_BATCH)
      .$if(database.dialect === 'postgres', (query) => query.forUpdate().skipLocked())
    const { numDeletedRows } = await database.db.deleteFrom(TABLE).where('id', 'in', expired).executeTakeFirstOrThrow()
    swept += Number(numDeletedRows)
    if (numDeletedRows < SWEEP_BATCH) return swept
  }
}
