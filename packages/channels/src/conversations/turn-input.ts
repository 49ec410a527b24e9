import path from 'node:path'
import type { TurnFile, TurnMessage } from '../assistant/assistant.ts'
import type { BotHandle } from '../storage/bot-handle.ts'
import type { Connection } from '../connection.ts'
import { botMediaDir, storeMedia, readStoredFiles, cleanName, type StoredFile } from '../inbox/media.ts'
import type { MediaQuota } from '../inbox/media-quota.ts'
import type { Log } from '../platform-io.ts'
import { type History, type MessageRow, type TurnMessageRow, saveFiles } from './turns.sql.ts'

/** Builds the conversation for the assistant: messages and replies in the order in which people saw them. */
export function turnMessages(
  history: History,
  pending: readonly TurnMessageRow[],
  mediaDir: string,
): readonly TurnMessage[] {
  const said: { position: number; order: number; message: TurnMessage }[] = []
  for (const row of history.messages)
    said.push({ position: row.position, order: 0, message: fromPerson(row, mediaDir) })
  for (const turn of history.turns) {
    if (turn.answer === '') continue
    const message: TurnMessage = { role: 'assistant', text: turn.answer, atMs: turn.updated_at_ms, files: [] }
    said.push({ position: turn.last_position, order: 1, message })
  }
  said.sort((a, b) => a.position - b.position || a.order - b.order)
  return [...said.map(({ message }) => message), ...pending.map((row) => fromPerson(row, mediaDir))]
}

const fromPerson = (row: TurnMessageRow, mediaDir: string): TurnMessage => ({
  role: 'user',
  text: row.text,
  atMs: row.sent_at_ms,
  from: { id: row.user_id, ...(row.user_name === null ? {} : { name: row.user_name }) },
  ...(row.quoted === null ? {} : { quoted: row.quoted }),
  files: readStoredFiles(row.files_json).map((file) => turnFile(file, mediaDir)),
})

const turnFile = (file: StoredFile, mediaDir: string): TurnFile => ({
  kind: file.kind,
  name: cleanName(file.name ?? file.kind),
  mime: file.mime ?? 'application/octet-stream',
  sizeBytes: file.sizeBytes ?? 0,
  ...(file.path === undefined ? {} : { path: path.join(mediaDir, file.path) }),
  ...(file.problem === undefined ? {} : { problem: file.problem }),
})

interface Fetching {
  readonly handle: BotHandle
  readonly connection: Connection
  readonly log: Log
  readonly mediaDir: string
  readonly mediaQuota: MediaQuota
}

/** Returns the messages with their files, downloading those that have not been downloaded yet. */
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
    const hasRoom = (bytes: number): Promise<boolean> => context.mediaQuota.take(row.bot, bytes)
    const storage = { ...context, hasRoom }
    const stored = await Promise.all(files.map((file, index) => storeMedia(file, index, folder, storage, signal)))
    const filesJson = JSON.stringify(stored)
    await saveFiles(context.handle, row.id, filesJson)
    fetched.push({ ...row, files_json: filesJson })
  }
  return fetched
}
