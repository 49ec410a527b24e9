import { randomBytes } from 'node:crypto'
import { chmod, link, mkdir, open, readdir, readFile, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from './server/errors.ts'
import { Secret } from '@gatepost/channels'

/**
 * Creates the folder (0700) when there is none, and closes it to others when it is open to them.
 * @throws {StartError} also when it is open to others and not ours: it may be `/tmp`, and closing it would break more
 */
export async function openDataFolder(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    await closeFolder(dataDir)
  } catch (cause) {
    if (cause instanceof StartError) throw cause
    throw new StartError(`GATEPOST_DATA_DIR: ${dataDir} cannot be used as the data folder (${getErrorCode(cause)}).`, {
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
    `GATEPOST_DATA_DIR: ${dataDir} is open to others and holds other things: name a folder of its own, or close it (chmod 700).`,
  )
}

/** Set on folders that everybody writes to. */
const STICKY = 0o1000
const TOKEN_FILE = 'api-token'

/** The owner token: `<data>/api-token`, 32 random bytes as base64url, created at first start. */
export const ownerToken = (dataDir: string): Promise<Secret> => keptSecret(join(dataDir, TOKEN_FILE))

/** The key of the installation: `<data>/secret-key`, made like the owner token, when none is configured. */
export const ownSecretKey = (dataDir: string): Promise<Secret> => keptSecret(join(dataDir, 'secret-key'))

/**
 * Reads the secret in `file`, after creating it when there is none. Of several processes that start together one
 * creates it and all get that one: a complete file is linked into place, never replaced.
 */
async function keptSecret(file: string): Promise<Secret> {
  try {
    if ((await readSecret(file)) === null) await createSecret(file)
    const text = await readSecret(file)
    if (text === null) throw new StartError(`${file} vanished while it was read.`)
    return new Secret(text)
  } catch (cause) {
    if (cause instanceof StartError) throw cause
    throw new StartError(`${file} cannot be read or created (${getErrorCode(cause)}).`, { cause })
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
  throw new StartError(`${file} is damaged: delete it and start again, and a new one is created.`)
}

async function createSecret(file: string): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`
  const handle = await open(temporary, 'wx', 0o600)
  try {
    await handle.writeFile(`${randomBytes(32).toString('base64url')}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  try {
    await link(temporary, file)
  } catch (error) {
    if (getErrorCode(error) !== 'EEXIST') throw error
  } finally {
    await unlink(temporary)
  }
}

/** Takes away every right that `mode` does not give. */
async function restrict(path: string, mode: number): Promise<void> {
  const current = (await stat(path)).mode & 0o777
  if ((current & ~mode) !== 0) await chmod(path, mode)
}

const getErrorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'
