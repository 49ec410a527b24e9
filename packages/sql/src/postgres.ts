import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type { Client, ClientBase, ClientConfig, PoolClient } from 'pg'
import { SqlError, toSqlError } from './errors.ts'
import { toBindable } from './values.ts'

const CONNECT_TIMEOUT_MS = 10_000
const POOL_SIZE = 10
const INT8_OID = 20

/** A node that lost its power or its network gives its locks back within a minute, not after the system's two hours. */
const SESSION_SETTINGS = `set tcp_keepalives_idle = 15; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3;
  set idle_in_transaction_session_timeout = '60s'`

/** @throws {SqlError} `integer_out_of_range` rather than a rounded number */
function parseInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new SqlError('integer_out_of_range')
  return value
}

type Pg = typeof import('pg')['default']

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
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
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
    new pg.Client(config)
  } catch {
    throw new SqlError('database_url_invalid')
  }
}

/** What Kysely uses of a connection; every parameter and every error passes through here. */
function checkedClient(client: PoolClient): PostgresPoolClient {
  const query = async (text: string, parameters: readonly unknown[]): Promise<unknown> => {
    try {
      return await client.query(text, parameters.map(toBindable))
    } catch (error) {
      throw toSqlError(error)
    }
  }
  return {
    query: query as PostgresPoolClient['query'], // without cursors, and rows have the type that Kysely's caller declared
    release: (destroy) => client.release(destroy ?? false),
  }
}

/**
 * A pool of connections to `url`, tried once.
 * @throws {SqlError} `database_url_invalid`, `database_unavailable`
 */
export async function openPostgresPool(url: string): Promise<PostgresPool> {
  const pg = await loadPg()
  const pool = new pg.Pool({
    ...clientConfig(pg, url),
    max: POOL_SIZE,
    onConnect: (client: ClientBase) => client.query(SESSION_SETTINGS),
  })
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
  try {
    await client.connect()
    await client.query(SESSION_SETTINGS)
    return client
  } catch (error) {
    throw toSqlError(error)
  }
}
