import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  type PostgresPool,
  type PostgresPoolClient,
  PostgresQueryCompiler,
  type TransactionSettings,
} from 'kysely'
import type pgTypes from 'pg'
import type { Client, ClientBase, ClientConfig, PoolClient, QueryResult } from 'pg'
import { isUnavailable, SqlError, toSqlError } from './errors.ts'
import type { TransactionScope } from './scope.ts'
import { toBindable } from './values.ts'

const CONNECT_TIMEOUT_MS = 10_000
const POOL_SIZE = 10
/** Without a deadline, the system keeps sending to a silent server for about 15 minutes. */
const DEADLINE_MS = 30_000
const INT8_OID = 20

const noDeadline = new AsyncLocalStorage<true>()

/** Runs `work` without a deadline for its statements: for those that wait for others or rewrite whole tables. */
export function withoutDeadline<R>(work: () => Promise<R>): Promise<R> {
  return noDeadline.run(true, work)
}

/**
 * Runs `ask`, which waits for the server of `client`. After the deadline the connection is closed, so that a late result
 * isn't taken for another statement's, the transaction ends, and the pool doesn't reuse the client.
 * @throws {SqlError} `database_unavailable` with the reason `timeout`; otherwise what `ask` throws, by `toSqlError`
 */
export async function withDeadline<R>(client: Client, ask: () => Promise<R>): Promise<R> {
  let isLate = false
  const disconnect = (): void => {
    isLate = true
    client.connection.stream.destroy()
  }
  const timer = noDeadline.getStore() === true ? undefined : setTimeout(disconnect, DEADLINE_MS)
  try {
    return await ask()
  } catch (error) {
    throw isLate ? new SqlError('database_unavailable', { reason: 'timeout' }, { cause: error }) : toSqlError(error)
  } finally {
    clearTimeout(timer)
  }
}

/** Releases the locks of a node that lost power or network within a minute, instead of the system's two hours. */
const SESSION_SETTINGS = `set tcp_keepalives_idle = 15; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3;
  set idle_in_transaction_session_timeout = '60s'`

async function applySettings(client: ClientBase): Promise<void> {
  await withDeadline(asClient(client), async () => client.query(SESSION_SETTINGS))
}

function asClient(client: ClientBase): Client {
  return client as Client // the pool creates clients with the same constructor, but its type doesn't say so
}

/** @throws {SqlError} `integer_out_of_range` rather than a rounded number */
function parseInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new SqlError('integer_out_of_range')
  return value
}

type Pg = typeof pgTypes

/** Loads `pg` on demand, so that SQLite doesn't pay for its startup time. */
async function loadPg(): Promise<Pg> {
  return (await import('pg')).default
}

function clientConfig(pg: Pg, url: string): ClientConfig {
  const config: ClientConfig = {
    connectionString: url,
    application_name: 'gatepost',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 15_000,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary'): unknown =>
        oid === INT8_OID && format !== 'binary' ? parseInt8 : pg.types.getTypeParser(oid, format),
    },
  }
  checkUrl(pg, url, config)
  return config
}

/** Checks the URL. The parser's errors contain it, password included, so they aren't passed on. */
function checkUrl(pg: Pg, url: string, config: ClientConfig): void {
  const protocol = URL.canParse(url) ? new URL(url).protocol : null
  if (protocol !== 'postgres:' && protocol !== 'postgresql:') throw new SqlError('database_url_invalid')
  try {
    void new pg.Client(config)
  } catch {
    throw new SqlError('database_url_invalid')
  }
}

type PostgresQuery = (text: string, parameters: readonly unknown[]) => Promise<QueryResult<Record<string, unknown>>>

/** Returns a function that runs statements on a client one at a time; all parameters and errors pass through it. */
export function createQuery(client: Client): PostgresQuery {
  let last: Promise<unknown> = Promise.resolve()
  return async (text, parameters) => {
    const values = parameters.map(toBindable)
    const result = last.then(async () =>
      withDeadline(client, async () => client.query<Record<string, unknown>>(text, values)),
    )
    last = result.catch(() => undefined) // reported to its caller; the next statement runs anyway
    return result
  }
}

function wrapClient(client: PoolClient): PostgresPoolClient {
  return {
    query: createQuery(asClient(client)) as unknown as PostgresPoolClient['query'], // no cursors; the caller guarantees the row type
    release: (destroy) => client.release(destroy ?? false),
  }
}

/**
 * Opens a pool of connections to `url` and tests it with one connection.
 * @throws {SqlError} `database_url_invalid`, `database_unavailable`
 */
export async function openPostgresPool(url: string): Promise<PostgresPool> {
  const pg = await loadPg()
  // The pool awaits `onConnect`, although its types don't say so.
  // An idle connection to a lost server must not keep the process alive.
  const config = { ...clientConfig(pg, url), max: POOL_SIZE, allowExitOnIdle: true, onConnect: applySettings }
  const pool = new pg.Pool(config)
  // without listeners a lost connection would crash the process; the next statement reports it
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  const source: PostgresPool = {
    options: {},
    end: () => pool.end(),
    async connect() {
      try {
        return wrapClient(await pool.connect())
      } catch (error) {
        throw toSqlError(error)
      }
    },
  }
  try {
    const client = await source.connect()
    client.release()
    return source
  } catch (error) {
    await pool.end()
    throw error
  }
}

/** Opens a connection outside the pool. @throws {SqlError} like `openPostgresPool` */
export async function openPostgresClient(url: string): Promise<Client> {
  const pg = await loadPg()
  const client = new pg.Client(clientConfig(pg, url))
  client.on('error', () => undefined)
  try {
    await client.connect()
    await applySettings(client)
    return client
  } catch (error) {
    client.end().catch(() => undefined) // the original error is reported
    throw toSqlError(error)
  }
}

class ScopedPostgresDriver extends PostgresDriver {
  readonly #scope: TransactionScope
  constructor(pool: PostgresPool, scope: TransactionScope) {
    super({ pool })
    this.#scope = scope
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    this.#scope.assertOutside()
    return super.acquireConnection()
  }

  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    this.#scope.assertGuarded()
    await super.beginTransaction(connection, settings)
  }

  /** The server rolls back lost connections itself, and the original error says more than this one. */
  override async rollbackTransaction(connection: Parameters<PostgresDriver['rollbackTransaction']>[0]): Promise<void> {
    try {
      await super.rollbackTransaction(connection)
    } catch (error) {
      if (!isUnavailable(error)) throw error
    }
  }
}

/** Returns the Kysely dialect of PostgreSQL on a pool, with the transactions of `scope`. */
export function postgresDialect(pool: PostgresPool, scope: TransactionScope): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: (): Driver => new ScopedPostgresDriver(pool, scope),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}
