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
import { withDeadline } from './statement-deadline.ts'
import { toBindable } from './values.ts'

const CONNECT_TIMEOUT_MS = 10_000
const POOL_SIZE = 10
const INT8_OID = 20

/** A node that lost its power or its network gives its locks back within a minute, not after the system's two hours. */
const SESSION_SETTINGS = `set tcp_keepalives_idle = 15; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3;
  set idle_in_transaction_session_timeout = '60s'`

async function applySettings(client: ClientBase): Promise<void> {
  await withDeadline(wholeClient(client), async () => client.query(SESSION_SETTINGS))
}

function wholeClient(client: ClientBase): Client {
  return client as Client // those of the pool are made by the same constructor, which their type does not say
}

/** @throws {SqlError} `integer_out_of_range` rather than a rounded number */
function parseInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new SqlError('integer_out_of_range')
  return value
}

type Pg = typeof pgTypes

/** `pg` is loaded only here: it costs start-up time that SQLite need not pay. */
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

/** The parser's own errors hold the address, and with it the password: they are not passed on. */
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

/** Runs statements on `client` one after the other; every parameter and every error passes through here. */
export function queryOn(client: Client): PostgresQuery {
  let last: Promise<unknown> = Promise.resolve()
  return async (text, parameters) => {
    const values = parameters.map(toBindable)
    const result = last.then(async () =>
      withDeadline(client, async () => client.query<Record<string, unknown>>(text, values)),
    )
    last = result.catch(() => undefined) // reported to its caller; the next statement runs all the same
    return result
  }
}

function checkedClient(client: PoolClient): PostgresPoolClient {
  return {
    query: queryOn(wholeClient(client)) as unknown as PostgresPoolClient['query'], // no cursors; the caller types the rows
    release: (destroy) => client.release(destroy ?? false),
  }
}

/**
 * A pool of connections to `url`, tried once.
 * @throws {SqlError} `database_url_invalid`, `database_unavailable`
 */
export async function openPostgresPool(url: string): Promise<PostgresPool> {
  const pg = await loadPg()
  // The pool awaits `onConnect`, which its types do not say.
  // An idle connection to a server that has gone must not keep a process that wants to end.
  const config = { ...clientConfig(pg, url), max: POOL_SIZE, allowExitOnIdle: true, onConnect: applySettings }
  const pool = new pg.Pool(config)
  // Without listeners a lost connection would end the process; the statement that meets it reports it.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  const source: PostgresPool = {
    options: {},
    end: () => pool.end(),
    async connect() {
      try {
        return checkedClient(await pool.connect())
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

/** One connection of its own, outside the pool. @throws {SqlError} as `openPostgresPool` */
export async function openPostgresClient(url: string): Promise<Client> {
  const pg = await loadPg()
  const client = new pg.Client(clientConfig(pg, url))
  client.on('error', () => undefined)
  try {
    await client.connect()
    await applySettings(client)
    return client
  } catch (error) {
    client.end().catch(() => undefined) // the error that led here is the one to report
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

/** Returns the Kysely dialect of PostgreSQL on a pool, with the transactions of `scope`. */
export function postgresDialect(pool: PostgresPool, scope: TransactionScope): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: (): Driver => new ScopedPostgresDriver(pool, scope),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}
