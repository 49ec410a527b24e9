import { randomBytes } from 'node:crypto'
import { chmod, link, mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { key32 } from './config/forms.ts'
import { StartError } from './server/errors.ts'
import type { SecretKeys } from './keys/secret-keys.sql.ts'
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
export const ownerToken = async (dataDir: string): Promise<Secret> =>
  (await keptSecrets(join(dataDir, TOKEN_FILE), 1))[0]

/** Returns the secret keys from `<data>/secret-key`, one per line, newest first. Created like the owner token. */
export const ownSecretKeys = (dataDir: string): Promise<SecretKeys> =>
  keptSecrets(join(dataDir, 'secret-key'), Infinity)

/**
 * Reads the secrets in `file`, one per line, creating one if needed. Processes that start together get the same one:
 * the complete file is linked into place and never replaced.
 */
async function keptSecrets(file: string, max: number): Promise<SecretKeys> {
  try {
    if ((await readSecrets(file, max)) === null) await createSecret(file)
    const secrets = await readSecrets(file, max)
    if (secrets === null) throw new StartError(`${file} disappeared while it was being read.`)
    return secrets
  } catch (cause) {
    if (cause instanceof StartError) throw cause
    throw new StartError(`Couldn't read or create ${file} (${getErrorCode(cause)}).`, { cause })
  }
}

async function readSecrets(file: string, max: number): Promise<SecretKeys | null> {
  let text: string
  try {
    text = (await readFile(file, 'utf8')).trim()
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return null
    throw error
  }
  await restrict(file, 0o600)
  const [first, ...others] = text.split(/\s*\n\s*/).map(parseSecret)
  const isValid = (secret: string | undefined): secret is string => secret !== undefined
  if (isValid(first) && others.every(isValid) && others.length < max)
    return [new Secret(first), ...others.map((secret) => new Secret(secret))]
  throw new StartError(`${file} is damaged. Delete it and start again to create a new one.`)
}

/** Returns a created secret as it is, and any other 32 bytes as `GATEPOST_SECRET_KEY` is read. */
const parseSecret = (line: string): string | undefined => (/^[\w-]{43}$/.test(line) ? line : key32(line))

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
