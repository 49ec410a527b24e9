import { readFile, stat } from 'node:fs/promises'
import type { AssistantTurn, TurnFile, TurnMessage } from './assistant.ts'

/** Returns the trailing `user` messages of the turn. */
export const messagesToAnswer = ({ messages }: AssistantTurn): readonly TurnMessage[] =>
  messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1)

/**
 * Reads files from disk, newest first, while they fit: none larger than `eachBytes`, together at most `totalBytes`.
 * A file that is unreadable or too large has no entry.
 */
export async function readContents(
  files: readonly TurnFile[],
  limits: { readonly eachBytes: number; readonly totalBytes: number },
  signal: AbortSignal,
): Promise<ReadonlyMap<TurnFile, Buffer>> {
  const contents = new Map<TurnFile, Buffer>()
  let left = limits.totalBytes
  for (const file of files.toReversed()) {
    const bytes = await readWithin(file, Math.min(left, limits.eachBytes), signal)
    if (bytes === null) continue
    contents.set(file, bytes)
    left -= bytes.length
  }
  return contents
}

async function readWithin({ path }: TurnFile, maxBytes: number, signal: AbortSignal): Promise<Buffer | null> {
  if (path === undefined) return null
  try {
    if ((await stat(path)).size > maxBytes) return null
    return await readFile(path, { signal })
  } catch (error) {
    if (signal.aborted) throw error
    return null
  }
}

/**
 * Converts a turn to the JSON for another program; `content` adds the content of a file, or why it is missing.
 * The format is documented in docs/assistants.md.
 */
export function wireTurn(turn: AssistantTurn, content: (file: TurnFile) => Readonly<Record<string, string>>): WireTurn {
  return {
    turn_id: turn.id,
    conversation_id: turn.conversationId,
    platform: turn.platform,
    chat: turn.chat,
    messages: turn.messages.map(({ role, text, atMs, from, quoted, files }) => ({
      role,
      text,
      sent_at: atMs,
      ...(from === undefined ? {} : { from }),
      ...(quoted === undefined ? {} : { quoted }),
      files: files.map((file) => ({
        kind: file.kind,
        name: file.name,
        mime: file.mime,
        size: file.sizeBytes,
        ...content(file),
      })),
    })),
  }
}

/** A turn as JSON for another program. */
export interface WireTurn {
  readonly turn_id: string
  readonly conversation_id: string
  readonly platform: string
  readonly chat: AssistantTurn['chat']
  readonly messages: readonly Readonly<Record<string, unknown>>[]
}

/** Returns e.g. `340 bytes`, `12 KB`, `3.4 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`
  if (bytes < 999_500) return `${Math.round(bytes / 1_000)} KB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
