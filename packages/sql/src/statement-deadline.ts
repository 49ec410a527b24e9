import { AsyncLocalStorage } from 'node:async_hooks'
import type { Client } from 'pg'
import { SqlError, toSqlError } from './errors.ts'

/** Left to itself, the system goes on sending to a silent server for about 15 minutes. */
const DEADLINE_MS = 30_000

const unhurried = new AsyncLocalStorage<true>()

/** Runs `work`, whose statements have no deadline: those that wait for others, or rewrite whole tables. */
export function withoutDeadline<R>(work: () => Promise<R>): Promise<R> {
  return unhurried.run(true, work)
}

/**
 * Runs `ask`, which waits for the server of `client`. After the deadline the connection is cut: no answer that comes
 * late is taken for that of another statement, a transaction ends, and the pool does not hand the client out again.
 * @throws {SqlError} `database_unavailable`, then with the reason `timeout`; else what `ask` throws, by `toSqlError`
 */
export async function withDeadline<R>(client: Client, ask: () => Promise<R>): Promise<R> {
  let late = false
  const cut = (): void => {
    late = true
    client.connection.stream.destroy()
  }
  const timer = unhurried.getStore() === true ? undefined : setTimeout(cut, DEADLINE_MS)
  try {
    return await ask()
  } catch (error) {
    throw late ? new SqlError('database_unavailable', { reason: 'timeout' }, { cause: error }) : toSqlError(error)
  } finally {
    clearTimeout(timer)
  }
}
