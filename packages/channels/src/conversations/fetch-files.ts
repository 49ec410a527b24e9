import path from 'node:path'
import type { BotHandle } from '../bot-handle.ts'
import { botMediaDir, storeMedia } from '../inbox/media.ts'
import { readStoredFiles } from '../inbox/stored-file.ts'
import type { Log } from '../platform-io.ts'
import type { Connection } from '../connection.ts'
import { type MessageRow, saveFiles } from './turns.sql.ts'

interface Fetching {
  readonly handle: BotHandle
  readonly connection: Connection
  readonly log: Log
  readonly mediaDir: string
}

/** The messages with their files, fetched now if they have not been before. */
export async function fetchFiles(
  context: Fetching,
  messages: readonly MessageRow[],
  signal: AbortSignal,
): Promise<readonly MessageRow[]> {
  const fetched: MessageRow[] = []
  for (const row of messages) {
    const files = readStoredFiles(row.files_json)
    if (files.every((file) => file.path !== undefined || file.problem !== undefined)) {
      fetched.push(row)
      continue
    }
    const folder = path.join(botMediaDir(row.bot), row.id)
    const stored = await Promise.all(
      files.map((file, index) =>
        storeMedia(file, index, folder, context.mediaDir, context.connection, context.log, signal),
      ),
    )
    const filesJson = JSON.stringify(stored)
    await saveFiles(context.handle, row.id, filesJson)
    fetched.push({ ...row, files_json: filesJson })
  }
  return fetched
}
