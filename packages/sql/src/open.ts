import { Kysely, type Transaction } from 'kysely'
import type { Database, DatabaseOptions, PreparedRead } from './database.ts'
import { SqlError } from './errors.ts'
import { openPostgresPool } from './postgres.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { TransactionScope } from './scope.ts'
import { openSqlite } from './sqlite.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import { WalFlusher } from './wal-flusher.ts'

const origins = new WeakMap<object, DatabaseOptions>()

/**
 * Opens the PostgreSQL database at `url`, or else the SQLite database in `file`.
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

/** What `database` was opened with. */
export function originOf<Tables>(database: Database<Tables>): DatabaseOptions {
  return origins.get(database) ?? {}
}

/** @param busyTimeoutMs See `openSqlite`. */
export async function openOnSqlite<Tables>(file: string, busyTimeoutMs?: number): Promise<Database<Tables>> {
  const handle = await openSqlite(file, busyTimeoutMs)
  const scope = new TransactionScope()
  const db = new Kysely<Tables>({ dialect: sqliteDialect(handle, scope) })
  const flusher = file === ':memory:' ? null : new WalFlusher(file)
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
      const read = handle.reader(statement, () => scope.refuseInside())
      return read as PreparedRead<Row> // the row type is the caller's word
    },
    flush,
    close: closeOnce(scope, async () => {
      await handle.acquire()
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
        scope.refuseInside()
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
    close: closeOnce(scope, () => pool.end()),
  }
}

/** Closing waits for transactions under way, and so must not be asked for inside one. */
function closeOnce(scope: TransactionScope, close: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | null = null
  return async () => {
    scope.refuseInside()
    closing ??= close()
    await closing
  }
}
