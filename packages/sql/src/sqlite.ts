import { closeSync, openSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { isUnavailable, SqlError, toSqlError } from './errors.ts'
import { type Bindable, toBindable } from './values.ts'

export const BUSY_TIMEOUT_MS = 5_000
const STATEMENT_CACHE_SIZE = 500

interface CachedStatement {
  readonly statement: StatementSync
  readonly returnsRows: boolean
}

export interface SqliteResult {
  readonly rows: Record<string, unknown>[]
  readonly changes: number | bigint
  readonly lastInsertRowid: number | bigint
}

/** One SQLite connection, prepared statements by their text, and a queue of those who want it for themselves. */
export class SqliteHandle {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, CachedStatement>()
  readonly #waiting: (() => void)[] = []
  #held = false

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  /** Resolves, in the order of asking, when the caller holds the connection alone. */
  async acquire(): Promise<void> {
    if (this.#held) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#held = true
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
    const bound: Bindable[] = parameters.map(toBindable)
    try {
      const { statement, returnsRows } = this.#prepare(sql)
      if (returnsRows) return { rows: statement.all(...bound), changes: 0, lastInsertRowid: 0 }
      return { rows: [], ...statement.run(...bound) }
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ERR_OUT_OF_RANGE') {
        throw new SqlError('integer_out_of_range', {}, { cause: error })
      }
      throw toSqlError(error)
    }
  }

  /** A changed table may have other columns than a statement was prepared for. */
  forgetStatements(): void {
    this.#statements.clear()
  }

  close(): void {
    this.#statements.clear()
    if (this.#db.isOpen) this.#db.close()
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
 * @param busyTimeoutMs How long a statement waits (blocking) for a lock that another process holds.
 * @throws {SqlError} `database_unavailable`
 */
export async function openSqlite(file: string, busyTimeoutMs: number = BUSY_TIMEOUT_MS): Promise<SqliteHandle> {
  let db: DatabaseSync
  try {
    if (file !== ':memory:') createPrivate(file)
    db = new DatabaseSync(file, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true })
  } catch (error) {
    throw toSqlError(error)
  }
  try {
    await enterWal(db, busyTimeoutMs)
    db.exec('pragma synchronous = normal')
    return new SqliteHandle(db)
  } catch (error) {
    db.close()
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

const WAL_RETRY_MS = 20

/** SQLite does not use its busy timeout when two processes change a new file to WAL at the same time. */
async function enterWal(db: DatabaseSync, busyTimeoutMs: number): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += WAL_RETRY_MS) {
    try {
      db.exec('pragma journal_mode = wal')
      return
    } catch (error) {
      if (!isUnavailable(error) || waitedMs >= busyTimeoutMs) throw error
      await delay(WAL_RETRY_MS)
    }
  }
}
