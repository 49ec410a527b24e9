import type { Kysely, Transaction } from 'kysely'

/**
 * An open database, the same on SQLite and on PostgreSQL.
 *
 * Values: text without NUL, finite numbers, bigints, bytes, `null`; a boolean is stored as 0 or 1; anything else throws
 * `value_invalid`. Integers come back as numbers; one past 2^53 throws `integer_out_of_range`. On SQLite rows have no
 * prototype. What the database cannot do at the moment throws `database_unavailable`; when that happens to a commit
 * over the network, whether it was done is not known.
 */
export interface Database<Tables> {
  readonly dialect: 'sqlite' | 'postgres'
  /**
   * For single statements outside a transaction. Used inside one (of the same database) it throws
   * `outer_handle_in_transaction`, where it would otherwise wait for ever.
   */
  readonly db: Kysely<Tables>
  /**
   * Runs `work` in one transaction: committed when it resolves, rolled back when it rejects. On SQLite it begins
   * immediate; on PostgreSQL it is `read committed`.
   * @param options.durable Resolves only when the data has reached the disk, so that it outlives a loss of power: on
   *   SQLite with `flush`; PostgreSQL always does so.
   */
  transaction<R>(work: (tx: Transaction<Tables>) => Promise<R>, options?: { readonly durable?: boolean }): Promise<R>
  /**
   * A read for the hottest paths, without Kysely between: on SQLite a statement that is prepared once and runs at once,
   * unless a transaction is under way, whose end it awaits. As `db`, it throws inside a transaction.
   * @param statement SQL of this dialect with its placeholders, as `compile().sql` gives it. The row type is the caller's
   *   word.
   */
  prepareRead<Row>(statement: string): PreparedRead<Row>
  /** Resolves when everything committed before has reached the disk. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** Answers the first row, on SQLite an object with a prototype of null. */
export type PreparedRead<Row> = (parameters: readonly unknown[]) => Promise<Row | undefined>

/** Which database to open, and how. */
export interface DatabaseOptions {
  /** `postgres://…`; absent: SQLite in `file`. */
  readonly url?: string
  /** Path of the SQLite file (created 0600), or `:memory:`. */
  readonly file?: string
}
