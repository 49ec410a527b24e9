/** All errors of this package. The table in `docs/` is generated from this object. */
export const SQL_ERRORS = {
  database_unavailable: { status: 503, message: "The database isn't available at the moment." },
  database_url_invalid: {
    status: 500,
    message: 'The database address is invalid. Use postgres://user:password@host/name, or the path of a file.',
  },
  outer_handle_in_transaction: {
    status: 500,
    message: "Inside a transaction, use its own handle and don't start another transaction.",
  },
  transaction_unguarded: { status: 500, message: 'Start transactions with Database.transaction.' },
  streaming_unsupported: { status: 500, message: "Rows can't be streamed. Read them in pages." },
  value_invalid: { status: 422, message: "The database can't store this value." },
  row_exists: { status: 409, message: 'A row with this key already exists.' },
  integer_out_of_range: { status: 500, message: 'The database contains an integer above 2^53.' },
  migration_unknown: {
    status: 500,
    message: 'The database was migrated by a newer version of this program. Run that version.',
  },
  migration_out_of_order: { status: 500, message: 'A migration precedes one that was already applied.' },
  migration_denied: {
    status: 500,
    message: "The database role isn't allowed to create or change tables. Migrate with the role that owns them.",
  },
  presence_taken: { status: 500, message: 'This presence id is or was in use. Use a new one for each process.' },
  presence_id_invalid: {
    status: 500,
    message: 'A presence id must have 1 to 64 letters, digits, dashes or underscores.',
  },
} as const

/** The code of a `SqlError`. */
export type SqlErrorCode = keyof typeof SQL_ERRORS

/**
 * An error of this package. `details` may reach a client, so it must not contain an address, a password, or a stored
 * value. `cause` is the driver's error.
 */
export class SqlError extends Error {
  override readonly name = 'SqlError'
  readonly code: SqlErrorCode
  readonly status: number
  readonly details: Readonly<Record<string, string | number>>
  constructor(code: SqlErrorCode, details: SqlError['details'] = {}, options?: ErrorOptions) {
    super(SQL_ERRORS[code].message, options)
    this.code = code
    this.status = SQL_ERRORS[code].status
    this.details = details
  }
}

/**
 * Result codes by number. The low byte of an extended code is the primary one.
 * @see https://www.sqlite.org/rescode.html
 */
const SQLITE_UNAVAILABLE: ReadonlyMap<number, string> = new Map([
  [3, 'SQLITE_PERM'],
  [5, 'SQLITE_BUSY'],
  [6, 'SQLITE_LOCKED'],
  [7, 'SQLITE_NOMEM'],
  [8, 'SQLITE_READONLY'],
  [10, 'SQLITE_IOERR'],
  [11, 'SQLITE_CORRUPT'],
  [13, 'SQLITE_FULL'],
  [14, 'SQLITE_CANTOPEN'],
  [15, 'SQLITE_PROTOCOL'],
  [26, 'SQLITE_NOTADB'],
])
const SQLITE_BUSY = 5
const SQLITE_UNIQUE: ReadonlySet<number> = new Set([1555, 2067, 2579])

/**
 * Error codes that mean unavailable. 40P01 (deadlock) and 40001 (lost race) succeed on retry.
 * @see PostgreSQL manual, appendix A
 */
const POSTGRES_UNAVAILABLE = /^(08|28|53|57P|58)|^(3D000|25006|40001|40P01|55P03|57014|XX001|XX002)$/
const POSTGRES_UNIQUE = '23505'

const SYSTEM_UNAVAILABLE =
  /^E(CONN(REFUSED|RESET|ABORTED)|PIPE|TIMEDOUT|(HOST|NET)UNREACH|ADDRNOTAVAIL|NOTFOUND|AI_AGAIN|ACCES|PERM|ROFS|NOSPC|DQUOT|[MN]FILE|IO|NOENT|NOTDIR|ISDIR)$/

/** Messages of `pg` errors without a code, thrown when a connection is lost or can't be opened. */
const CONNECTION_LOST =
  /^(Connection terminated|timeout e(xceeded|xpired)|Client has encountered a connection error|Client was closed|Cannot use a pool after)/

interface DriverError {
  readonly message: string
  readonly code: string | undefined
  readonly errcode: number | undefined
  readonly isPostgres: boolean
}

function readDriverError(error: unknown): DriverError | null {
  if (!(error instanceof Error)) return null
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  const errcode = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined
  return { message: error.message, code, errcode, isPostgres: 'severity' in error }
}

/** Returns a stable reason such as `SQLITE_FULL`, `57P03` or `ECONNREFUSED`, or `null` when the database is available. */
function unavailableReason(error: unknown): string | null {
  const raw = readDriverError(error)
  if (raw === null) return null
  if (raw.errcode !== undefined) return SQLITE_UNAVAILABLE.get(raw.errcode & 0xff) ?? null
  if (raw.code !== undefined) {
    const known = raw.isPostgres ? POSTGRES_UNAVAILABLE.test(raw.code) : SYSTEM_UNAVAILABLE.test(raw.code)
    return known ? raw.code : null
  }
  return CONNECTION_LOST.test(raw.message) ? 'connection_lost' : null
}

/**
 * Returns whether an error means that the database is unavailable (locked, full, read-only, unreachable or missing), so
 * that the statement may succeed later. Accepts `SqlError` and raw errors of `node:sqlite` and `pg`.
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof SqlError) return error.code === 'database_unavailable'
  return unavailableReason(error) !== null
}

/** Returns whether an error means that a row with this key exists: a constraint violation, or `row_exists`. */
export function isUniqueViolation(error: unknown): boolean {
  if (error instanceof SqlError) return error.code === 'row_exists'
  const raw = readDriverError(error)
  if (raw === null) return false
  return raw.errcode !== undefined ? SQLITE_UNIQUE.has(raw.errcode) : raw.isPostgres && raw.code === POSTGRES_UNIQUE
}

/** Wraps a driver's error in `database_unavailable` if `isUnavailable`, and returns any other error unchanged. */
export function toSqlError(error: unknown): unknown {
  const reason = unavailableReason(error)
  return reason === null ? error : new SqlError('database_unavailable', { reason }, { cause: error })
}

/** SQLite's codes for a failed fsync of a file and of its folder. */
const SQLITE_SYNC_FAILED: ReadonlySet<number> = new Set([1034, 1290])

/** Returns whether SQLite reports that a sync to disk failed. */
export function isSyncFailure(error: unknown): boolean {
  const raw = readDriverError(error)
  return raw?.errcode !== undefined && SQLITE_SYNC_FAILED.has(raw.errcode)
}

/** Returns whether an error means that another SQLite connection holds the lock, so that waiting may help. */
export function isBusy(error: unknown): boolean {
  const raw = readDriverError(error instanceof SqlError ? error.cause : error)
  return raw?.errcode !== undefined && (raw.errcode & 0xff) === SQLITE_BUSY
}
