import { opendir, stat } from 'node:fs/promises'
import path from 'node:path'
import { OWNER_ACCOUNT } from '../channels.ts'
import type { Clock } from '../platform-io.ts'
import { safeName } from './media.ts'

/** Bounds the bytes of files that are kept per account. */
export interface MediaQuota {
  /** Counts a file of the account's bot. Returns false, and counts nothing, when it exceeds the limit. */
  take(bot: string, bytes: number): Promise<boolean>
}

interface Usage {
  bytes: number
  readonly measuredAtMs: number
}

/** Retention deletes files every hour. */
const MEASURE_EVERY_MS = 60 * 60 * 1_000

/**
 * Creates the quota. The folder is measured before the first file and then hourly; in between, files are counted.
 * @param maxBytes Per account; the owner's has no limit.
 */
export function createMediaQuota(mediaDir: string, maxBytes: number, clock: Pick<Clock, 'now'>): MediaQuota {
  const usages = new Map<string, Promise<Usage>>()
  const measure = async (accountId: string): Promise<Usage> => ({
    bytes: await measureFolder(path.join(mediaDir, safeName(accountId))),
    measuredAtMs: clock.now(),
  })
  const find = async (accountId: string): Promise<Usage> => {
    const known = usages.get(accountId)
    const usage = await known
    if (usage !== undefined && clock.now() - usage.measuredAtMs < MEASURE_EVERY_MS) return usage
    // of concurrent callers only the first one measures
    if (usages.get(accountId) === known) {
      const measuring = measure(accountId)
      usages.set(accountId, measuring)
      measuring.catch(() => usages.delete(accountId)) // its callers see the error
    }
    return find(accountId)
  }
  return {
    async take(bot, bytes) {
      const [accountId = ''] = bot.split('/', 1)
      if (accountId === OWNER_ACCOUNT) return true
      const usage = await find(accountId)
      if (usage.bytes + bytes > maxBytes) return false
      usage.bytes += bytes
      return true
    },
  }
}

async function measureFolder(folder: string): Promise<number> {
  let bytes = 0
  try {
    for await (const entry of await opendir(folder, { recursive: true })) {
      if (entry.isFile()) bytes += await readSize(path.join(entry.parentPath, entry.name))
    }
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  return bytes
}

/** 0 when retention has deleted it in the meantime. */
const readSize = async (file: string): Promise<number> => {
  try {
    return (await stat(file)).size
  } catch (error) {
    if (isMissing(error)) return 0
    throw error
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'
