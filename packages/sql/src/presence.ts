import { createHash, randomUUID } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Database } from './database.ts'
import { isBusy, isUnavailable, SqlError, toSqlError } from './errors.ts'
import { findOpenOptions } from './open.ts'
import { createQuery, openPostgresClient, withDeadline } from './postgres.ts'

/** Shows other processes that this one is alive; ends with the process, even when it crashes. */
export interface Presence {
  readonly id: string
  /**
   * Resolves to whether the process that opened `id` is alive. Only for IDs whose `openPresence` has resolved.
   * @throws {SqlError} `database_unavailable` when it can't be determined
   */
  isAlive(id: string): Promise<boolean>
  /** Ends the presence: `id` counts as dead. */
  close(): Promise<void>
}

/** Options of `openPresence`. */
export interface PresenceOptions {
  /** Folder of the lock files on SQLite, created with mode 0700. Not used on PostgreSQL. */
  readonly folder: string
  /** 1 to 64 letters, digits, dashes or underscores, never used before. Default: a random UUID. */
  readonly id?: string
  /**
   * Called once when the connection that holds the presence is lost (PostgreSQL). Other processes then consider this
   * one dead, so it must give up its leases, close this presence and open one with a new id.
   */
  readonly onLost: () => void
}

const ID = /^[A-Za-z0-9_-]{1,64}$/

/**
 * Opens the presence of this process, so that another one can take over immediately after a crash.
 * @throws {SqlError} `presence_id_invalid`, `presence_taken`, `database_unavailable`
 */
export async function openPresence<Tables>(database: Database<Tables>, options: PresenceOptions): Promise<Presence> {
  const id = checkId(options.id ?? randomUUID())
  const { url } = findOpenOptions(database)
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

/** Returns the key of an advisory lock: the first eight bytes of the hash as a signed `bigint`. */
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
  const query = createQuery(client)
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
      if (!isUnavailable(error)) throw error // a lost connection holds no lock
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
      // a session can always take its own locks again
      if (other === id) return state === 'held'
      // shared, so that concurrent checks don't mistake each other for the holder; released with the statement
      return !(await ask('select pg_try_advisory_xact_lock_shared($1) as granted', lockKey(other)))
    },
  }
}

/** Lock files are empty SQLite databases, whose locks work on all systems and even within one process. */
function lockFile(folder: string, id: string): string {
  return join(folder, `${id}.lock`)
}

/**
 * Creates `<folder>/<id>.lock` and holds it until the returned function is called or the process ends.
 * @throws {SqlError} `presence_taken` when the file exists, `database_unavailable`
 */
function takeLockFile(folder: string, id: string): () => void {
  const file = lockFile(folder, id)
  let db: DatabaseSync | null = null
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    closeSync(openSync(file, 'wx', 0o600))
    db = new DatabaseSync(file)
    db.exec('pragma journal_mode = memory; begin exclusive') // avoids leaving a journal file behind
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
 * Returns whether a process holds the lock file. Removes the file of a dead process. Only SQLite may open it: closing
 * any other descriptor would release this process's locks on the file.
 * @throws {SqlError} `database_unavailable` when it can't be determined
 */
function isLockHeld(folder: string, id: string): boolean {
  const file = lockFile(folder, id)
  if (!existsSync(file)) return false
  let db: DatabaseSync | null = null
  try {
    db = new DatabaseSync(file, { readOnly: true, timeout: 0 })
    // a read takes a shared lock, so that concurrent checks don't mistake each other for the holder
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
