import fs from 'node:fs'
import { setImmediate as nextTick } from 'node:timers/promises'
import { Kysely, type Transaction } from 'kysely'
import type { Database, DatabaseOptions, PreparedRead } from './database.ts'
import { SqlError, toSqlError } from './errors.ts'
import { openPostgresPool, postgresDialect } from './postgres.ts'
import { TransactionScope } from './scope.ts'
import { openSqlite, type SqliteHandle, sqliteDialect } from './sqlite.ts'

const origins = new WeakMap<object, DatabaseOptions>()

/**
 * Opens the PostgreSQL database at `url`, or the SQLite database in `file`.
 * @throws {SqlError} `database_url_invalid`, `database_unavailable`
 */
export async function openDatabase<Tables>(options: DatabaseOptions): Promise<Database<Tables>> {
  if (options.url === undefined && options.file === undefined) throw new SqlError('database_url_invalid')
  const database =
    options.url === undefined
      ? await openOnSqlite<Tables>(options.file ?? ':memory:')
      : await openOnPostgres<Tables>(options.url)
  origins.set(database, { ...options })
  return database
}

/** Returns the options that a database was opened with. */
export function findOpenOptions<Tables>(database: Database<Tables>): DatabaseOptions {
  return origins.get(database) ?? {}
}

/** Opens an SQLite database. @param busyTimeoutMs See `openSqlite`. */
export async function openOnSqlite<Tables>(file: string, busyTimeoutMs?: number): Promise<Database<Tables>> {
  const handle = await openSqlite(file, busyTimeoutMs)
  const scope = new TransactionScope()
  const db = new Kysely<Tables>({ dialect: sqliteDialect(handle, scope) })
  const flusher = file === ':memory:' ? null : new WalFlusher(file, handle)
  const flush = async (): Promise<void> => flusher?.flush()
  return {
    dialect: 'sqlite',
    db,
    async transaction<R>(work: (tx: Transaction<Tables>) => Promise<R>, options?: { readonly durable?: boolean }) {
      const result = await scope.run<Transaction<Tables>, R>((begun) => db.transaction().execute(begun), work)
      if (options?.durable === true) await flush()
      return result
    },
    prepareRead<Row>(statement: string) {
      const read = handle.createReader(statement, () => scope.assertOutside())
      return read as PreparedRead<Row> // the caller guarantees the row type
    },
    flush,
    failed: handle.failed,
    close: createClose(scope, async () => {
      await handle.acquireToClose()
      await flusher?.close()
      handle.close()
      handle.release()
    }),
  }
}

async function openOnPostgres<Tables>(url: string): Promise<Database<Tables>> {
  const pool = await openPostgresPool(url)
  const scope = new TransactionScope()
  const db = new Kysely<Tables>({ dialect: postgresDialect(pool, scope) })
  return {
    dialect: 'postgres',
    db,
    transaction: <R>(work: (tx: Transaction<Tables>) => Promise<R>) => {
      const builder = db.transaction().setIsolationLevel('read committed')
      return scope.run<Transaction<Tables>, R>((begun) => builder.execute(begun), work)
    },
    prepareRead<Row>(statement: string) {
      return async (parameters) => {
        scope.assertOutside()
        const client = await pool.connect()
        try {
          const { rows } = await client.query<Row>(statement, parameters)
          return rows[0]
        } finally {
          client.release()
        }
      }
    },
    flush: async () => {},
    failed: new Promise(() => {}),
    close: createClose(scope, () => pool.end()),
  }
}

/** Returns a function that closes once. It waits for transactions in progress, so it throws inside one. */
function createClose(scope: TransactionScope, close: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | null = null
  return async () => {
    scope.assertOutside()
    closing ??= close()
    await closing
  }
}

/**
 * Syncs the write-ahead log of an open SQLite database to disk, like SQLite in every commit with `synchronous = full`,
 * but on a thread without blocking the process, and once for all waiting commits. The log stays the same file as long
 * as a connection is open.
 * @see https://www.sqlite.org/wal.html section 2.4; https://www.sqlite.org/pragma.html#pragma_synchronous
 */
class WalFlusher {
  readonly #file: string
  /** A raw descriptor: a `FileHandle` would crash the process if it were garbage-collected unclosed. */
  #log: number | null = null
  #closed = false
  #underWay: Promise<void> = Promise.resolve()
  #next: Promise<void> | null = null
  readonly #handle: Pick<SqliteHandle, 'fail' | 'assertSynced'>

  /** @param file Path of the database. @param handle Its connection, which fails with the first sync that fails. */
  constructor(file: string, handle: Pick<SqliteHandle, 'fail' | 'assertSynced'>) {
    this.#file = file
    this.#handle = handle
  }

  /** Resolves once everything committed so far is on disk. @throws {SqlError} `database_unavailable` */
  flush(): Promise<void> {
    if (this.#closed) return Promise.reject(new SqlError('database_unavailable', { reason: 'closed' }))
    this.#next ??= this.#after(this.#underWay)
    return this.#next
  }

  /** Waits for pending syncs. Must be called before the database is closed. */
  async close(): Promise<void> {
    this.#closed = true
    await (this.#next ?? this.#underWay).catch(() => {}) // reported to the caller of flush
    if (this.#log !== null) fs.closeSync(this.#log)
    this.#log = null
  }

  async #after(before: Promise<void>): Promise<void> {
    await before.catch(() => {}) // reported to the caller of flush
    await nextTick() // include commits made until then
    this.#underWay = this.#next ?? before
    this.#next = null
    this.#handle.assertSynced()
    this.#log ??= this.#openLog()
    try {
      await syncOnThread(this.#log)
    } catch (error) {
      this.#handle.fail(error)
      throw toSqlError(error)
    }
  }

  #openLog(): number {
    try {
      return fs.openSync(`${this.#file}-wal`, 'r+')
    } catch (error) {
      throw toSqlError(error)
    }
  }
}

const syncOnThread = (descriptor: number): Promise<void> =>
  new Promise((resolve, reject) => {
    fs.fdatasync(descriptor, (error) => (error ? reject(error) : resolve()))
  })
