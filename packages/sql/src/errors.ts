/** Every failure that this package names; the table in `docs/` is generated from this object. */
export const SQL_ERRORS = {
  database_unavailable: { status: 503, message: 'The database cannot be used at the moment.' },
  database_url_invalid: {
    status: 500,
    message: 'The database address is not valid: give postgres://user:password@host/name, or the path of a file.',
  },
  outer_handle_in_transaction: {
    status: 500,
    message: 'Inside a transaction only its own handle may be used, and no other transaction may be begun.',
  },
  transaction_unguarded: { status: 500, message: 'Begin transactions with Database.transaction.' },
  streaming_unsupported: { status: 500, message: 'Rows cannot be streamed: read them in pages.' },
  value_invalid: { status: 422, message: 'The database cannot store this value.' },
  row_exists: { status: 409, message: 'A row with this key is already there.' },
  integer_out_of_range: { status: 500, message: 'The database holds an integer past 2^53.' },
  migration_unknown: {
    status: 500,
    message: 'The database was migrated by a newer version of this program. Run that version.',
  },
  migration_out_of_order: { status: 500, message: 'A migration stands before one that has already been applied.' },
  presence_taken: { status: 500, message: 'This presence id is or was in use: take a new one for each process.' },
  presence_id_invalid: { status: 500, message: 'A presence id has 1 to 64 letters, digits, dashes or underscores.' },
} as const

/** The code of a `SqlError`. */
export type SqlErrorCode = keyof typeof SQL_ERRORS

/** `details` may reach a client: never an address, a password or a stored value. `cause` is the driver's own error. */
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

/** @see https://www.sqlite.org/rescode.html; the low byte of an extended code is the primary one */
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

/** @see PostgreSQL manual, appendix A; 40P01 (deadlock) and 40001 are the loser's of a race and pass on a second try */
const POSTGRES_UNAVAILABLE = /^(08|28|53|57P|58)|^(3D000|25006|40001|40P01|55P03|57014|XX001|XX002)$/
const POSTGRES_UNIQUE = '23505'

const SYSTEM_UNAVAILABLE =
  /^E(CONN(REFUSED|RESET|ABORTED)|PIPE|TIMEDOUT|(HOST|NET)UNREACH|ADDRNOTAVAIL|NOTFOUND|AI_AGAIN|ACCES|PERM|ROFS|NOSPC|DQUOT|[MN]FILE|IO|NOENT|NOTDIR|ISDIR)$/

/** What `pg` throws without a code when a connection is lost or cannot be had. */
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

/** A short stable word such as `SQLITE_FULL`, `57P03` or `ECONNREFUSED`; `null` when the database itself is well. */
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
 * Whether the database could not be used, so that the same statement may succeed later: it is locked, full, read-only,
 * unreachable or gone. Knows `SqlError` and the raw errors of `node:sqlite` and `pg`.
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof SqlError) return error.code === 'database_unavailable'
  return unavailableReason(error) !== null
}

/** Whether a row with this key is already there: by a constraint, or as `row_exists` of code that looked. */
export function isUniqueViolation(error: unknown): boolean {
  if (error instanceof SqlError) return error.code === 'row_exists'
  const raw = readDriverError(error)
  if (raw === null) return false
  return raw.errcode !== undefined ? SQLITE_UNIQUE.has(raw.errcode) : raw.isPostgres && raw.code === POSTGRES_UNIQUE
}

/** The error to throw for one of a driver: `database_unavailable` around those of `isUnavailable`, else the same one. */
export function toSqlError(error: unknown): unknown {
  const reason = unavailableReason(error)
  return reason === null ? error : new SqlError('database_unavailable', { reason }, { cause: error })
}

/** Whether another connection of SQLite holds the lock, so that waiting may help. */
export function isBusy(error: unknown): boolean {
  const raw = readDriverError(error instanceof SqlError ? error.cause : error)
  return raw?.errcode !== undefined && (raw.errcode & 0xff) === SQLITE_BUSY
}
