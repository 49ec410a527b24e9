import { randomBytes } from 'node:crypto'
import { chmod, link, mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from './server/errors.ts'
import { Secret } from '@gatepost/channels'

/**
 * Creates the folder (0700), or removes other users' access to it.
 * @throws {StartError} also if other users have access and the folder isn't ours: it may be `/tmp`
 */
export async function openDataFolder(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    await closeFolder(dataDir)
  } catch (cause) {
    if (cause instanceof StartError) throw cause
    throw new StartError(`GATEPOST_DATA_DIR: ${dataDir} can't be used as the data folder (${getErrorCode(cause)}).`, {
      cause,
    })
  }
}

async function closeFolder(dataDir: string): Promise<void> {
  const { mode } = await stat(dataDir)
  if ((mode & 0o077) === 0) return
  const names = await readdir(dataDir)
  const isShared = (mode & STICKY) !== 0 || (names.length > 0 && !names.includes(TOKEN_FILE))
  if (!isShared) return chmod(dataDir, 0o700)
  throw new StartError(
    `GATEPOST_DATA_DIR: Other users can access ${dataDir}, and it contains other files. Use a separate folder, or run chmod 700 on it.`,
  )
}

/** Mode bit of world-writable folders such as `/tmp`. */
const STICKY = 0o1000
const TOKEN_FILE = 'api-token'

/** Returns the owner token from `<data>/api-token`: 32 random bytes as base64url, created at first start. */
export const ownerToken = (dataDir: string): Promise<Secret> => keptSecret(join(dataDir, TOKEN_FILE))

/** Returns the secret key from `<data>/secret-key`, created like the owner token. */
export const ownSecretKey = (dataDir: string): Promise<Secret> => keptSecret(join(dataDir, 'secret-key'))

/**
 * Reads the secret in `file`, creating it if needed. Processes that start together get the same one: the complete file
 * is linked into place and never replaced.
 */
async function keptSecret(file: string): Promise<Secret> {
  try {
    if ((await readSecret(file)) === null) await createSecret(file)
    const text = await readSecret(file)
    if (text === null) throw new StartError(`${file} disappeared while it was being read.`)
    return new Secret(text)
  } catch (cause) {
    if (cause instanceof StartError) throw cause
    throw new StartError(`Couldn't read or create ${file} (${getErrorCode(cause)}).`, { cause })
  }
}

async function readSecret(file: string): Promise<string | null> {
  let text: string
  try {
    text = (await readFile(file, 'utf8')).trim()
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return null
    throw error
  }
  await restrict(file, 0o600)
  if (/^[\w-]{43}$/.test(text)) return text
  throw new StartError(`${file} is damaged. Delete it and start again to create a new one.`)
}

async function createSecret(file: string): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(`${randomBytes(32).toString('base64url')}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await link(temporary, file)
  } catch (error) {
    if (getErrorCode(error) !== 'EEXIST') throw error
  } finally {
    await rm(temporary, { force: true })
  }
}

/** Removes all permissions that `mode` doesn't grant. */
async function restrict(path: string, mode: number): Promise<void> {
  const current = (await stat(path)).mode & 0o777
  if ((current & ~mode) !== 0) await chmod(path, mode)
}

const getErrorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'
