import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  type PostgresPool,
  PostgresQueryCompiler,
  type TransactionSettings,
} from 'kysely'
import { isUnavailable } from './errors.ts'
import type { TransactionScope } from './scope.ts'

class ScopedPostgresDriver extends PostgresDriver {
  readonly #scope: TransactionScope
  constructor(pool: PostgresPool, scope: TransactionScope) {
    super({ pool })
    this.#scope = scope
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    this.#scope.refuseInside()
    return super.acquireConnection()
  }

  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    this.#scope.refuseUnguarded()
    await super.beginTransaction(connection, settings)
  }

  /** On a lost connection the server rolls back by itself; the error that led here tells more than this one. */
  override async rollbackTransaction(connection: Parameters<PostgresDriver['rollbackTransaction']>[0]): Promise<void> {
    try {
      await super.rollbackTransaction(connection)
    } catch (error) {
      if (!isUnavailable(error)) throw error
    }
  }
}

export function postgresDialect(pool: PostgresPool, scope: TransactionScope): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: (): Driver => new ScopedPostgresDriver(pool, scope),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}
