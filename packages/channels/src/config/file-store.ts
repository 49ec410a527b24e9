import { chmod, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { ChannelError } from '../errors.ts'
import { editChannelFile, parseChannelFile } from './channel-file.ts'
import type { CredentialStore } from './credential-store.ts'

export interface FileStoreOptions {
  readonly dataDir: string
  /** Runs `work` while no other process of this data folder changes the files. */
  readonly exclusive: <R>(work: () => Promise<R>) => Promise<R>
}

/** `<dataDir>/accounts/<account id>/channels.yml`, 0600 in a 0700 folder, written whole or not at all. */
export function fileCredentialStore({ dataDir, exclusive }: FileStoreOptions): CredentialStore {
  const accountsDir = path.join(dataDir, 'accounts')
  const fileOf = (accountId: string): string => path.join(accountsDir, accountFolder(accountId), 'channels.yml')

  return {
    async accounts() {
      const entries = await readdir(accountsDir, { withFileTypes: true }).catch(nothingThere)
      return (entries ?? []).filter((entry) => entry.isDirectory()).map((entry) => entry.name)
    },
    async read(accountId) {
      const file = fileOf(accountId)
      return parseChannelFile(await readText(file), file)
    },
    change: (accountId, platform, change) =>
      exclusive(async () => {
        const file = fileOf(accountId)
        const text = await readText(file)
        const channel = change(parseChannelFile(text, file)[platform])
        await writeWhole(file, editChannelFile(text, file, platform, channel))
      }),
    async revision(accountId) {
      const found = await stat(fileOf(accountId), { bigint: true }).catch(nothingThere)
      return found ? `${found.ino}:${found.mtimeNs}:${found.size}` : ''
    },
  }
}

/** Account ids become folder names: nothing else may. */
function accountFolder(accountId: string): string {
  if (/^[\w-]{1,64}$/.test(accountId)) return accountId
  throw new ChannelError('config_unwritable', { message: 'The account id cannot be a folder name.' })
}

function nothingThere(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw new ChannelError('config_broken', { message: `The credentials cannot be read: ${error.code}.`, cause: error })
}

const readText = async (file: string): Promise<string> => (await readFile(file, 'utf8').catch(nothingThere)) ?? ''

/** Temporary file, fsync, rename, fsync of the folder: after a crash the old or the new file is there, whole. */
async function writeWhole(file: string, text: string): Promise<void> {
  const folder = path.dirname(file)
  const partial = `${file}.partial`
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await chmod(folder, 0o700)
    await rm(partial, { force: true })
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
    await rm(partial, { force: true })
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    throw new ChannelError('config_unwritable', { message: `${file} cannot be written: ${code}.`, cause: error })
  }
}

async function syncFolder(folder: string): Promise<void> {
  // Windows has no such thing as syncing a folder
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
