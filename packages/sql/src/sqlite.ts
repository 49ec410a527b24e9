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
import { isBusy, isSyncFailure, SqlError, toSqlError } from './errors.ts'
import type { TransactionScope } from './scope.ts'
import { type Bindable, toBindable } from './values.ts'

/** How long a statement waits for another connection's lock, in ms. */
const BUSY_TIMEOUT_MS = 5_000
/** How long SQLite itself waits each time, blocking the process, in ms. */
const BLOCKING_MS = 10
const RETRY_MS = 10
const STATEMENT_CACHE_SIZE = 500

interface CachedStatement {
  readonly statement: StatementSync
  readonly returnsRows: boolean
}

/** Converts a parameter. `node:sqlite` binds numbers as reals: in a text column, 3 would become `3.0`. */
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

/** An SQLite connection with cached statements and a queue for exclusive use. */
export class SqliteHandle {
  readonly #db: DatabaseSync
  readonly #busyTimeoutMs: number
  readonly #statements = new Map<string, CachedStatement>()
  readonly #waiting: (() => void)[] = []
  #held = false
  /** How long the current holder was queued, in ms. */
  #queuedMs = 0
  readonly #failure = Promise.withResolvers<SqlError>()
  #hasFailed = false

  constructor(db: DatabaseSync, busyTimeoutMs: number) {
    this.#db = db
    this.#busyTimeoutMs = busyTimeoutMs
  }

  /** Resolves with the error of the first sync to disk that failed. */
  get failed(): Promise<SqlError> {
    return this.#failure.promise
  }

  /** Records that a sync to disk has failed: nothing more is read or written. */
  fail(cause: unknown): void {
    this.#hasFailed = true
    this.#failure.resolve(new SqlError('database_unavailable', { reason: 'sync_failed' }, { cause }))
  }

  /** @throws {SqlError} `database_unavailable` once a sync to disk has failed */
  assertSynced(): void {
    if (this.#hasFailed) throw new SqlError('database_unavailable', { reason: 'sync_failed' })
  }

  /** Resolves, in order, once the caller has exclusive use of the connection, to close it. */
  async acquireToClose(): Promise<void> {
    if (this.#held) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#held = true
  }

  /**
   * Resolves, in order, once the caller has exclusive use of the connection, outside any transaction.
   * @throws {SqlError} `database_unavailable` once the database is closed or has failed
   */
  async acquire(): Promise<void> {
    const askedAtMs = performance.now()
    await this.acquireToClose()
    this.#queuedMs = performance.now() - askedAtMs
    try {
      this.assertSynced()
      if (!this.#db.isOpen) throw new SqlError('database_unavailable', { reason: 'closed' })
      if (this.#db.isTransaction) this.exec('rollback') // left open by a rollback that failed
    } catch (error) {
      this.release()
      throw error
    }
  }

  /** Ends exclusive use of the connection. */
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
      if (isSyncFailure(error)) this.fail(error)
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
      if (isSyncFailure(error)) this.fail(error)
      throw toReadError(error)
    }
  }

  /**
   * Like `run`, for statements outside transactions. When the database is locked, the statement has had no effect and is
   * retried until the busy timeout, which includes the time in the queue, so that all waiters of a lock give up
   * together. Doesn't block, because the lock holder may be in the same process.
   */
  async runWithRetry(sql: string, parameters: readonly unknown[]): Promise<SqliteResult> {
    return retryWhileBusy(() => this.run(sql, parameters), this.#busyTimeoutMs - this.#queuedMs)
  }

  /**
   * Returns a read of one row, prepared on first use and kept. During a transaction, or when another connection holds a
   * lock, it waits like any other statement.
   * @param before Runs before every read and may throw.
   */
  createReader(
    sql: string,
    before: () => void,
  ): (parameters: readonly unknown[]) => Promise<Record<string, unknown> | undefined> {
    let statement: StatementSync | null = null
    return async (parameters) => {
      before()
      this.assertSynced()
      if (!this.#db.isOpen || this.#db.isTransaction) return this.#queueRead(sql, parameters)
      try {
        statement ??= this.#db.prepare(sql)
        return statement.get(...parameters.map(toSqliteValue))
      } catch (error) {
        if (isBusy(error)) return this.#queueRead(sql, parameters)
        throw toReadError(error)
      }
    }
  }

  async #queueRead(sql: string, parameters: readonly unknown[]): Promise<Record<string, unknown> | undefined> {
    await this.acquire()
    try {
      return (await this.runWithRetry(sql, parameters)).rows[0]
    } finally {
      this.release()
    }
  }

  /** Closes the database. Requires exclusive use of the connection. */
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
 * Opens `file` in WAL mode with foreign keys, creating it with mode 0600 (SQLite uses the same mode for `-wal` and `-shm`).
 * @param busyTimeoutMs How long a statement waits for another connection's lock, in ms.
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
    await retryWhileBusy(() => recoverLog(db), busyTimeoutMs)
    return new SqliteHandle(db, busyTimeoutMs)
  } catch (error) {
    opened?.close()
    throw toSqlError(error)
  }
}

/**
 * Copies a write-ahead log that a killed process left behind into the database, and syncs that. What can be read of the
 * log need not be on disk, and syncing the log again wouldn't write it if an earlier sync failed. Copies less while
 * another process has the database open.
 * @see https://www.sqlite.org/pragma.html#pragma_wal_checkpoint
 */
function recoverLog(db: DatabaseSync): void {
  db.exec('pragma wal_checkpoint(truncate)')
}

/**
 * Creates the file unless it exists. `wx` doesn't open existing files: closing a descriptor of an open database would
 * release this process's locks on it.
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

/** `supportsMultipleConnections` disables Kysely's mutex, in which a misused outer handle would deadlock. */
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
    const result = handle.inTransaction ? handle.run(sql, parameters) : await handle.runWithRetry(sql, parameters)
    return {
      rows: result.rows as R[], // the caller of Kysely guarantees the row type
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
    this.#scope.assertOutside()
    await this.#handle.acquire()
    return this.#connection
  }

  async beginTransaction(): Promise<void> {
    this.#scope.assertGuarded()
    await this.#handle.runWithRetry('begin immediate', [])
  }

  async commitTransaction(): Promise<void> {
    this.#handle.assertSynced()
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
