import path from 'node:path'
import type { TurnFile, TurnMessage } from '../assistant/assistant.ts'
import { readStoredFiles, type StoredFile } from '../inbox/stored-file.ts'
import type { History, SaidRow } from './turns.sql.ts'

/** A conversation as the assistant reads it: messages and answers in the order in which people saw them. */
export function turnMessages(history: History, pending: readonly SaidRow[], mediaDir: string): readonly TurnMessage[] {
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

const fromPerson = (row: SaidRow, mediaDir: string): TurnMessage => ({
  role: 'user',
  text: row.text,
  atMs: row.sent_at_ms,
  from: { id: row.user_id, ...(row.user_name === null ? {} : { name: row.user_name }) },
  ...(row.quoted === null ? {} : { quoted: row.quoted }),
  files: readStoredFiles(row.files_json).map((file) => turnFile(file, mediaDir)),
})

const turnFile = (file: StoredFile, mediaDir: string): TurnFile => ({
  kind: file.kind,
  name: file.name ?? file.kind,
  mime: file.mime ?? 'application/octet-stream',
  sizeBytes: file.sizeBytes ?? 0,
  ...(file.path === undefined ? {} : { path: path.join(mediaDir, file.path) }),
  ...(file.problem === undefined ? {} : { problem: file.problem }),
})
