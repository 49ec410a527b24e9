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
import { SqlError } from './errors.ts'
import type { TransactionScope } from './scope.ts'
import type { SqliteHandle } from './sqlite.ts'

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

export function sqliteDialect(handle: SqliteHandle, scope: TransactionScope): Dialect {
  return {
    createAdapter: (): DialectAdapter => new TransactionalSqliteAdapter(),
    createDriver: (): Driver => new SqliteDriver(handle, scope),
    createIntrospector: (db: Kysely<unknown>): DatabaseIntrospector => new SqliteIntrospector(db),
    createQueryCompiler: (): QueryCompiler => new SqliteQueryCompiler(),
  }
}
