import { createHash, randomUUID } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Database } from './database.ts'
import { isBusy, isUnavailable, SqlError, toSqlError } from './errors.ts'
import { originOf } from './open.ts'
import { openPostgresClient, queryOn } from './postgres.ts'
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

/** How a presence is opened. */
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

/** Empty SQLite databases serve as lock files: their locks work on every system, and between two holders in one process. */
function lockFile(folder: string, id: string): string {
  return join(folder, `${id}.lock`)
}

/**
 * Creates `<folder>/<id>.lock` and holds it until the returned function is called or the process ends.
 * @throws {SqlError} `presence_taken` when the file is there already, `database_unavailable`
 */
function takeLockFile(folder: string, id: string): () => void {
  const file = lockFile(folder, id)
  let db: DatabaseSync | null = null
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    closeSync(openSync(file, 'wx', 0o600))
    db = new DatabaseSync(file)
    db.exec('pragma journal_mode = memory; begin exclusive') // a journal would be one more file to leave behind
  } catch (error) {
    db?.close()
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw new SqlError('presence_taken')
    throw toSqlError(error)
  }
  const held = db
  return () => {
    if (!held.isOpen) return
    rmSync(file, { force: true })
    held.close()
  }
}

/**
 * Whether a process holds the lock file; the file of a dead one is removed.
 * Opened by SQLite alone: any other descriptor would drop this process's own locks on the file when closed.
 * @throws {SqlError} `database_unavailable` when that cannot be told
 */
function isLockHeld(folder: string, id: string): boolean {
  const file = lockFile(folder, id)
  if (!existsSync(file)) return false
  let db: DatabaseSync | null = null
  try {
    db = new DatabaseSync(file, { readOnly: true, timeout: 0 })
    // A read takes a shared lock: two who ask at once do not take each other for the holder.
    db.exec('select count(*) from sqlite_schema')
    rmSync(file, { force: true })
    return false
  } catch (error) {
    if (isBusy(error)) return true
    if (!existsSync(file)) return false
    throw toSqlError(error)
  } finally {
    db?.close()
  }
}
