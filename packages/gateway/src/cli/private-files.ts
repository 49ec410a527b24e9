import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename, stat, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CliError, EXIT, usageError } from './exit-code.ts'
import type { Clock } from '@gatepost/channels'

/** Files that only their owner can read. */
export interface PrivateFiles {
  /** Returns `null` if there is no file. @throws {CliError} `usage` if others can read it, or it can't be read */
  read(path: string): Promise<string | null>
  /** Writes atomically with mode 0600. Creates the folder (0700). */
  write(path: string, text: string): Promise<void>
  /** Runs `work` while holding the file's lock across processes. @throws {CliError} `locked` */
  locked<R>(path: string, work: () => Promise<R>): Promise<R>
}

const LOCK_WAIT_MS = 20_000
const LOCK_STEP_MS = 50
/** A lock older than this belongs to a process that is gone. */
const LOCK_STALE_MS = 60_000

/** Returns private files on this machine. */
export function privateFiles(clock: Clock, signal: AbortSignal): PrivateFiles {
  return {
    async read(path) {
      try {
        const { mode } = await stat(path)
        if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
          throw usageError(`Other users can read ${path}. Run chmod 600 on it and sign in again.`)
        }
        return await readFile(path, 'utf8')
      } catch (error) {
        if (getErrorCode(error) === 'ENOENT') return null
        if (error instanceof CliError) throw error
        throw usageError(`Couldn't read ${path} (${getErrorCode(error)}).`)
      }
    },
    async write(path, text) {
      const temporary = `${path}.${randomBytes(6).toString('hex')}`
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 })
        await writeNew(temporary, text)
        await rename(temporary, path)
      } catch (error) {
        await removeIfPresent(temporary)
        throw usageError(`Couldn't write ${path} (${getErrorCode(error)}).`)
      }
    },
    async locked(path, work) {
      const lock = `${path}.lock`
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await takeLock(lock, clock, signal)
      try {
        return await work()
      } finally {
        await removeIfPresent(lock)
      }
    },
  }
}

async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Another process may have removed it already. */
async function removeIfPresent(path: string): Promise<void> {
  try {
    await unlink(path)
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT') throw error
  }
}

async function takeLock(lock: string, clock: Clock, signal: AbortSignal): Promise<void> {
  const until = clock.now() + LOCK_WAIT_MS
  for (;;) {
    try {
      const file = await open(lock, 'wx', 0o600)
      await file.close()
      return
    } catch (error) {
      if (getErrorCode(error) !== 'EEXIST') throw usageError(`Couldn't create ${lock} (${getErrorCode(error)}).`)
    }
    await removeStale(lock)
    if (signal.aborted) throw new CliError('interrupted', 'Interrupted.', { exit: EXIT.interrupted })
    if (clock.now() > until) {
      throw new CliError('locked', `Another gatepost command holds ${lock}.`, {
        hints: ['If no other command is running, delete the file.'],
      })
    }
    await clock.sleep(LOCK_STEP_MS, signal)
  }
}

async function removeStale(lock: string): Promise<void> {
  try {
    const { mtimeMs } = await stat(lock)
    if (Date.now() - mtimeMs > LOCK_STALE_MS) await removeIfPresent(lock)
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT') throw error
  }
}

const getErrorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'
