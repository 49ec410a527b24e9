import { closeSync, openSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type Kysely,
  type QueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { isBusy, SqlError, toSqlError } from './errors.ts'
import type { TransactionScope } from './scope.ts'
import { type Bindable, toBindable } from './values.ts'

/** How long a statement waits for a lock of another connection before it fails. */
const BUSY_TIMEOUT_MS = 5_000
/** Of this, the part in which SQLite waits by itself and blocks the process. */
const BLOCKING_MS = 10
const RETRY_MS = 10
const STATEMENT_CACHE_SIZE = 500

interface CachedStatement {
  readonly statement: StatementSync
  readonly returnsRows: boolean
}

/** `node:sqlite` binds every number as a real: in a text column 3 would become `3.0`. */
function toSqliteValue(value: unknown): Bindable {
  const bindable = toBindable(value)
  return typeof bindable === 'number' && Number.isSafeInteger(bindable) ? BigInt(bindable) : bindable
}

function toReadError(error: unknown): unknown {
  return error instanceof Error && 'code' in error && error.code === 'ERR_OUT_OF_RANGE'
    ? new SqlError('integer_out_of_range', {}, { cause: error })
    : toSqlError(error)
}

interface SqliteResult {
  readonly rows: Record<string, unknown>[]
  readonly changes: number | bigint
}

/** One SQLite connection, prepared statements by their text, and a queue of those who want it for themselves. */
class SqliteHandle {
  readonly #db: DatabaseSync
  readonly #busyTimeoutMs: number
  readonly #statements = new Map<string, CachedStatement>()
  readonly #waiting: (() => void)[] = []
  #held = false
  /** How long the present holder has waited for its turn, in milliseconds. */
  #queuedMs = 0

  constructor(db: DatabaseSync, busyTimeoutMs: number) {
    this.#db = db
    this.#busyTimeoutMs = busyTimeoutMs
  }

  /**
   * Resolves, in the order of asking, when the caller holds the connection alone, outside any transaction.
   * @throws {SqlError} `database_unavailable` once the database is closed
   */
  async acquire(): Promise<void> {
    const askedAtMs = performance.now()
    if (this.#held) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#held = true
    this.#queuedMs = performance.now() - askedAtMs
    try {
      if (!this.#db.isOpen) throw new SqlError('database_unavailable', { reason: 'closed' })
      if (this.#db.isTransaction) this.exec('rollback') // left open by a rollback that failed
    } catch (error) {
      this.release()
      throw error
    }
  }

  release(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#held = false
    else next()
  }

  get inTransaction(): boolean {
    return this.#db.isTransaction
  }

  exec(sql: string): void {
    try {
      this.#db.exec(sql)
    } catch (error) {
      throw toSqlError(error)
    }
  }

  run(sql: string, parameters: readonly unknown[]): SqliteResult {
    const bound = parameters.map(toSqliteValue)
    try {
      const { statement, returnsRows } = this.#prepare(sql)
      if (!returnsRows) return { rows: [], changes: statement.run(...bound).changes }
      const rows = statement.all(...bound)
      return { rows, changes: rows.length }
    } catch (error) {
      throw toReadError(error)
    }
  }

  /**
   * As `run`, for a statement outside a transaction: a locked one has had no effect, and is tried again until the busy
   * timeout, in which the wait for the connection counts too: many that wait for one lock give up together. The process
   * goes on meanwhile, so that the holder of the lock may be in the same process.
   */
  async runPatiently(sql: string, parameters: readonly unknown[]): Promise<SqliteResult> {
    return retryWhileBusy(() => this.run(sql, parameters), this.#busyTimeoutMs - this.#queuedMs)
  }

  /**
   * A read of one row, prepared at its first use and kept for good. With a transaction under way, or a lock of another
   * connection, it waits as any other statement does.
   * @param before Runs before every read and may throw.
   */
  reader(
    sql: string,
    before: () => void,
  ): (parameters: readonly unknown[]) => Promise<Record<string, unknown> | undefined> {
    let statement: StatementSync | null = null
    return async (parameters) => {
      before()
      if (!this.#db.isOpen || this.#db.isTransaction) return this.#readInTurn(sql, parameters)
      try {
        statement ??= this.#db.prepare(sql)
        return statement.get(...parameters.map(toSqliteValue))
      } catch (error) {
        if (isBusy(error)) return this.#readInTurn(sql, parameters)
        throw toReadError(error)
      }
    }
  }

  async #readInTurn(sql: string, parameters: readonly unknown[]): Promise<Record<string, unknown> | undefined> {
    await this.acquire()
    try {
      return (await this.runPatiently(sql, parameters)).rows[0]
    } finally {
      this.release()
    }
  }

  /** Call it when holding the connection. */
  close(): void {
    this.#statements.clear()
    this.#db.close()
  }

  #prepare(sql: string): CachedStatement {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#db.prepare(sql)
    const cached = { statement, returnsRows: statement.columns().length > 0 }
    if (this.#statements.size >= STATEMENT_CACHE_SIZE) {
      const oldest = this.#statements.keys().next()
      if (!oldest.done) this.#statements.delete(oldest.value)
    }
    this.#statements.set(sql, cached)
    return cached
  }
}

/**
 * Opens `file`, created 0600 (SQLite gives `-wal` and `-shm` the mode of the file), in WAL mode with foreign keys.
 * @param busyTimeoutMs How long a statement waits for a lock that another connection holds.
 * @throws {SqlError} `database_unavailable`
 */
export async function openSqlite(file: string, busyTimeoutMs: number = BUSY_TIMEOUT_MS): Promise<SqliteHandle> {
  let opened: DatabaseSync | null = null
  try {
    if (file !== ':memory:') createPrivate(file)
    const db = new DatabaseSync(file, { timeout: BLOCKING_MS, enableForeignKeyConstraints: true })
    opened = db
    await retryWhileBusy(() => db.exec('pragma journal_mode = wal'), busyTimeoutMs)
    db.exec('pragma synchronous = normal')
    return new SqliteHandle(db, busyTimeoutMs)
  } catch (error) {
    opened?.close()
    throw toSqlError(error)
  }
}

/**
 * `wx` opens nothing when the file is there already: closing a descriptor of an open database would drop the locks that
 * this process holds on it.
 * @see https://www.sqlite.org/howtocorrupt.html section 2.2
 */
function createPrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

async function retryWhileBusy<T>(attempt: () => T, timeoutMs: number): Promise<T> {
  const beganAtMs = performance.now()
  for (;;) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() - beganAtMs >= timeoutMs) throw error
      await delay(RETRY_MS)
    }
  }
}

/** `supportsMultipleConnections` keeps Kysely's own mutex away, in which a misused outer handle would wait for ever. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #handle: SqliteHandle
  constructor(handle: SqliteHandle) {
    this.#handle = handle
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { sql, parameters } = query
    const handle = this.#handle
    const result = handle.inTransaction ? handle.run(sql, parameters) : await handle.runPatiently(sql, parameters)
    return {
      rows: result.rows as R[], // the row type is what the caller of Kysely declared
      numAffectedRows: BigInt(result.changes),
    }
  }

  streamQuery(): AsyncIterableIterator<never> {
    throw new SqlError('streaming_unsupported')
  }
}

class SqliteDriver implements Driver {
  readonly #handle: SqliteHandle
  readonly #connection: SqliteConnection
  readonly #scope: TransactionScope
  constructor(handle: SqliteHandle, scope: TransactionScope) {
    this.#handle = handle
    this.#connection = new SqliteConnection(handle)
    this.#scope = scope
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    this.#scope.refuseInside()
    await this.#handle.acquire()
    return this.#connection
  }

  async beginTransaction(): Promise<void> {
    this.#scope.refuseUnguarded()
    await this.#handle.runPatiently('begin immediate', [])
  }

  async commitTransaction(): Promise<void> {
    this.#handle.run('commit', [])
  }

  /** A full disk or an I/O error has rolled back already. */
  async rollbackTransaction(): Promise<void> {
    if (this.#handle.inTransaction) this.#handle.run('rollback', [])
  }

  async releaseConnection(): Promise<void> {
    this.#handle.release()
  }

  /** The handle belongs to `openDatabase`, which closes it. */
  async destroy(): Promise<void> {}
}

/** Returns the Kysely dialect of SQLite on a handle, with the transactions of `scope`. */
export function sqliteDialect(handle: SqliteHandle, scope: TransactionScope): Dialect {
  return {
    createAdapter: (): DialectAdapter => new TransactionalSqliteAdapter(),
    createDriver: (): Driver => new SqliteDriver(handle, scope),
    createIntrospector: (db: Kysely<unknown>): DatabaseIntrospector => new SqliteIntrospector(db),
    createQueryCompiler: (): QueryCompiler => new SqliteQueryCompiler(),
  }
}
