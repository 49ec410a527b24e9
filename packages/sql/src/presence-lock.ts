import { closeSync, existsSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isBusy, SqlError, toSqlError } from './errors.ts'

/** Empty SQLite databases serve as lock files: their locks work on every system, and between two holders in one process. */
function lockFile(folder: string, id: string): string {
  return join(folder, `${id}.lock`)
}

/**
 * Creates `<folder>/<id>.lock` and holds it until the returned function is called or the process ends.
 * @throws {SqlError} `presence_taken` when the file is there already, `database_unavailable`
 */
export function takeLockFile(folder: string, id: string): () => void {
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
export function isLockHeld(folder: string, id: string): boolean {
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
