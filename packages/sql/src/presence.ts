import { createHash, randomUUID } from 'node:crypto'
import type { Database } from './database.ts'
import { isUnavailable, SqlError } from './errors.ts'
import { originOf } from './open.ts'
import { openPostgresClient, queryOn } from './postgres.ts'
import { isLockHeld, takeLockFile } from './presence-lock.ts'
import { withDeadline } from './statement-deadline.ts'

/** Proof to other processes that this one is alive, which ends with it however it ends. */
export interface Presence {
  readonly id: string
  /**
   * Whether the process that opened `id` is still alive. Call it for ids whose `openPresence` has resolved.
   * @throws {SqlError} `database_unavailable` when that cannot be told
   */
  isAlive(id: string): Promise<boolean>
  /** From now on `id` is dead. */
  close(): Promise<void>
}

export interface PresenceOptions {
  /** Folder of the lock files on SQLite; made with mode 0700 when missing. Not used on PostgreSQL. */
  readonly folder: string
  /** 1 to 64 letters, digits, dashes or underscores, never used before. Default: a random UUID. */
  readonly id?: string
  /**
   * Called once when the connection that holds the presence breaks (PostgreSQL): to the others this process is dead
   * from now on, so its leases must be given up. Then close this presence and open one with a new id.
   */
  readonly onLost: () => void
}

const ID = /^[A-Za-z0-9_-]{1,64}$/

/**
 * Opens the presence of this process, so that after its sudden death another one takes over at once.
 * @throws {SqlError} `presence_id_invalid`, `presence_taken`, `database_unavailable`
 */
export async function openPresence<Tables>(database: Database<Tables>, options: PresenceOptions): Promise<Presence> {
  const id = checkId(options.id ?? randomUUID())
  const { url } = originOf(database)
  return url === undefined ? lockFilePresence(options.folder, id) : advisoryLockPresence(url, id, options.onLost)
}

function checkId(id: string): string {
  if (!ID.test(id)) throw new SqlError('presence_id_invalid')
  return id
}

function lockFilePresence(folder: string, id: string): Presence {
  const release = takeLockFile(folder, id)
  return {
    id,
    isAlive: async (other) => isLockHeld(folder, checkId(other)),
    close: async () => release(),
  }
}

/** The key of an advisory lock: the first eight bytes of the hash, as PostgreSQL's signed `bigint`. */
function lockKey(id: string): string {
  return createHash('sha256').update(`presence:${id}`).digest().readBigInt64BE(0).toString()
}

async function advisoryLockPresence(url: string, id: string, onLost: () => void): Promise<Presence> {
  const client = await openPostgresClient(url)
  const key = lockKey(id)
  let state: 'held' | 'lost' | 'closed' = 'held'
  const lose = (): void => {
    if (state !== 'held') return
    state = 'lost'
    onLost()
  }
  client.on('error', lose)
  client.on('end', lose)
  const query = queryOn(client)
  const ask = async (text: string, lock: string): Promise<boolean> =>
    (await query(text, [lock])).rows[0]?.['granted'] === true
  const close = async (): Promise<void> => {
    if (state === 'closed') return
    const held = state === 'held'
    state = 'closed'
    try {
      if (held) await ask('select pg_advisory_unlock($1) as granted', key)
      await withDeadline(client, async () => client.end())
    } catch (error) {
      if (!isUnavailable(error)) throw error // a broken connection holds no lock any more
    }
  }
  if (!(await ask('select pg_try_advisory_lock($1) as granted', key))) {
    await close()
    throw new SqlError('presence_taken')
  }
  return {
    id,
    close,
    async isAlive(other) {
      checkId(other)
      // A session is granted its own locks again.
      if (other === id) return state === 'held'
      // Shared, so that two who ask at once do not take each other for the holder; given back with the statement.
      return !(await ask('select pg_try_advisory_xact_lock_shared($1) as granted', lockKey(other)))
    },
  }
}
