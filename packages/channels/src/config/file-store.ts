import { constants } from 'node:fs'
import { chmod, type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { ChannelError } from '../errors.ts'
import { editChannelFile, parseChannelFile } from './channel-file.ts'
import type { CredentialStore } from './credential-store.ts'

/** Options of `fileCredentialStore`. */
export interface FileStoreOptions {
  readonly dataDir: string
  /** Runs `work` while no other process with this data folder changes the files. */
  readonly exclusive: <R>(work: () => Promise<R>) => Promise<R>
}

/** Enough for ten thousand allowed users on every platform. */
const MAX_BYTES = 4 * 1024 * 1024

/** `<dataDir>/accounts/<account id>/channels.yml`, 0600 in a 0700 folder, written whole or not at all. */
export function fileCredentialStore({ dataDir, exclusive }: FileStoreOptions): CredentialStore {
  const accountsDir = path.join(dataDir, 'accounts')
  const getChannelFile = (accountId: string): string => path.join(accountsDir, accountFolder(accountId), 'channels.yml')

  return {
    async accounts() {
      const entries = await readdir(accountsDir, { withFileTypes: true }).catch(nothingThere)
      return (entries ?? []).flatMap((entry) => (entry.isDirectory() && ACCOUNT.test(entry.name) ? [entry.name] : []))
    },
    async read(accountId) {
      const file = getChannelFile(accountId)
      return parseChannelFile(await readText(file), file)
    },
    change: (accountId, platform, change) =>
      exclusive(async () => {
        const file = getChannelFile(accountId)
        const text = await readText(file)
        const channel = change(parseChannelFile(text, file)[platform])
        await writeWhole(file, editChannelFile(text, file, platform, channel))
      }),
    async revision(accountId) {
      const found = await stat(getChannelFile(accountId), { bigint: true }).catch(nothingThere)
      return found ? `${found.ino}:${found.mtimeNs}:${found.size}` : ''
    },
  }
}

const ACCOUNT = /^[\w-]{1,64}$/

/** Only valid account ids become folder names. */
function accountFolder(accountId: string): string {
  if (ACCOUNT.test(accountId)) return accountId
  throw new ChannelError('config_unwritable', { message: "The account id isn't a valid folder name." })
}

function nothingThere(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw new ChannelError('config_broken', { message: `Couldn't read the credentials: ${error.code}.`, cause: error })
}

/** Empty when there is no file. */
async function readText(file: string): Promise<string> {
  // a named pipe in its place would otherwise block
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(nothingThere)
  if (handle === null) return ''
  try {
    return decode(await readBytes(handle, file), file)
  } finally {
    await handle.close()
  }
}

async function readBytes(handle: FileHandle, file: string): Promise<Buffer> {
  const { size } = await handle.stat()
  if (size <= MAX_BYTES) return (await handle.readFile().catch(nothingThere)) ?? Buffer.alloc(0)
  throw new ChannelError('config_broken', { message: `Couldn't read ${file}: it is larger than ${MAX_BYTES} bytes.` })
}

function decode(bytes: Buffer, file: string): string {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const text = decodeOrNull(bytes, decoder)
  if (text !== null) return text
  // no byte of a longer character is a line feed
  for (let line = 1, from = 0; ; line += 1) {
    const end = bytes.indexOf(0x0a, from)
    const to = end < 0 ? bytes.length : end
    if (decodeOrNull(bytes.subarray(from, to), decoder) === null || end < 0) {
      const message = `Couldn't read ${file}: line ${line}, column 1: invalid UTF-8.`
      throw new ChannelError('config_broken', { message, details: { line, column: 1 } })
    }
    from = to + 1
  }
}

function decodeOrNull(bytes: Buffer, decoder: TextDecoder): string | null {
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}

/** Temporary file, fsync, rename, fsync of the folder: after a crash the file is either the old or the new one, complete. */
async function writeWhole(file: string, text: string): Promise<void> {
  const folder = path.dirname(file)
  const partial = `${file}.partial`
  if (Buffer.byteLength(text) > MAX_BYTES) {
    throw new ChannelError('config_unwritable', { message: `${file} would be larger than ${MAX_BYTES} bytes.` })
  }
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await chmod(folder, 0o700)
    await rm(partial, { force: true, recursive: true })
    const handle = await open(partial, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(partial, file)
    await syncFolder(folder)
  } catch (error) {
    // report the first failure; a leftover file is removed by the next change
    await rm(partial, { force: true, recursive: true }).catch(() => undefined)
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    throw new ChannelError('config_unwritable', { message: `Couldn't write ${file}: ${code}.`, cause: error })
  }
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot sync a folder
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
