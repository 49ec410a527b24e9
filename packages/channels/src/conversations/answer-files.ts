import path from 'node:path'
import type { AssistantPiece } from '../assistant/assistant.ts'
import { safeName, writePrivate } from '../inbox/media.ts'
import type { DeliveryContent } from '../outbox/content.ts'

/** Puts the assistant's files where the outbox finds them, also after a restart. */
export async function storeAnswerFiles(
  files: readonly Extract<AssistantPiece, { type: 'file' }>[],
  folder: string,
  mediaDir: string,
): Promise<readonly DeliveryContent[]> {
  const contents: DeliveryContent[] = []
  for (const [index, file] of files.entries()) {
    const target = path.join(mediaDir, folder, `${index + 1}-${safeName(file.name)}`)
    await writePrivate(target, file.bytes)
    contents.push({ kind: 'file', name: file.name, mime: file.mime, path: target })
  }
  return contents
}
