import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename, stat, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CliError, EXIT, usageError } from './exit-code.ts'
import type { Clock } from '@gatepost/channels'

/** Files that only their owner may read. */
export interface PrivateFiles {
  /** `null`: there is none. @throws {CliError} `usage` when others may read it, or it cannot be read */
  read(path: string): Promise<string | null>
  /** Whole or not at all, mode 0600; its folder is made (0700). */
  write(path: string, text: string): Promise<void>
  /** Runs `work` while no other process that asks for this file does. @throws {CliError} `locked` */
  locked<R>(path: string, work: () => Promise<R>): Promise<R>
}

const LOCK_WAIT_MS = 20_000
const LOCK_STEP_MS = 50
/** Longer than what is done under a lock: its process is gone. */
const LOCK_STALE_MS = 60_000

/** The real ones. */
export function privateFiles(clock: Clock, signal: AbortSignal): PrivateFiles {
  return {
    async read(path) {
      try {
        const { mode } = await stat(path)
        if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
          throw usageError(`${path} is open to others: close it (chmod 600), and sign in again.`)
        }
        return await readFile(path, 'utf8')
      } catch (error) {
        if (getErrorCode(error) === 'ENOENT') return null
        if (error instanceof CliError) throw error
        throw usageError(`The file ${path} cannot be read (${getErrorCode(error)}).`)
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
        throw usageError(`The file ${path} cannot be written (${getErrorCode(error)}).`)
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

/** Another one may have been faster. */
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
      if (getErrorCode(error) !== 'EEXIST')
        throw usageError(`The file ${lock} cannot be made (${getErrorCode(error)}).`)
    }
    await removeStale(lock)
    if (signal.aborted) throw new CliError('interrupted', 'Interrupted.', { exit: EXIT.interrupted })
    if (clock.now() > until) {
      throw new CliError('locked', `Another gatepost command holds ${lock}.`, {
        hints: ['Remove it if there is none.'],
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
