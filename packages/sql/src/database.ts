import type { Kysely, Transaction } from 'kysely'
import type { SqlError } from './errors.ts'

/**
 * An open database, the same on SQLite and on PostgreSQL.
 *
 * Values: text without NUL, finite numbers, bigints, bytes, `null`; booleans are stored as 0 or 1; anything else throws
 * `value_invalid`. Integers are read as numbers; one above 2^53 throws `integer_out_of_range`. On SQLite rows have no
 * prototype. Temporary failures throw `database_unavailable`; after one during a commit over the network, it is
 * indeterminate whether the transaction was committed.
 */
export interface Database<Tables> {
  readonly dialect: 'sqlite' | 'postgres'
  /**
   * Runs single statements outside transactions. Inside a transaction of the same database it throws
   * `outer_handle_in_transaction` instead of deadlocking.
   */
  readonly db: Kysely<Tables>
  /**
   * Runs `work` in a transaction, which is committed when it resolves and rolled back when it rejects. On SQLite it is
   * `immediate`, on PostgreSQL `read committed`.
   * @param options.durable Resolves only once the data is on disk, so that it survives a power loss: on SQLite by
   *   `flush`; PostgreSQL always does this.
   */
  transaction<R>(work: (tx: Transaction<Tables>) => Promise<R>, options?: { readonly durable?: boolean }): Promise<R>
  /**
   * Prepares a read for hot paths that bypasses Kysely. On SQLite the statement is prepared once and runs immediately,
   * or after the transaction in progress. Like `db`, it throws inside a transaction.
   * @param statement SQL in this dialect with placeholders, as in `compile().sql`. The caller guarantees the row type.
   */
  prepareRead<Row>(statement: string): PreparedRead<Row>
  /**
   * Resolves once everything committed so far is on disk.
   * @throws {SqlError} `database_unavailable`; if the sync itself failed, see `failed`
   */
  flush(): Promise<void>
  /**
   * Resolves when a sync to disk has failed. The system may have dropped the pages, and a later sync would succeed
   * without them, so nothing can be confirmed any more: every later call throws `database_unavailable` (reason
   * `sync_failed`) until the database is opened by a new process. Never resolves on PostgreSQL, which restarts itself.
   * @see https://wiki.postgresql.org/wiki/Fsync_Errors
   */
  readonly failed: Promise<SqlError>
  close(): Promise<void>
}

/** Resolves to the first row; on SQLite an object without prototype. */
export type PreparedRead<Row> = (parameters: readonly unknown[]) => Promise<Row | undefined>

/** Selects the database to open. */
export interface DatabaseOptions {
  /** `postgres://…`. If absent, SQLite in `file` is used. */
  readonly url?: string
  /** Path of the SQLite file (created 0600), or `:memory:`. */
  readonly file?: string
}
