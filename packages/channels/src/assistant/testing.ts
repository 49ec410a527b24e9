import type { Log, LogFields } from '../platform-io.ts'
import type { AssistantPiece, AssistantTurn, TurnFile, TurnMessage } from './assistant.ts'

/** A message of a user, or with `role` of the assistant. */
export const message = (text: string, more: Partial<TurnMessage> = {}): TurnMessage => ({
  role: 'user',
  text,
  atMs: 0,
  files: [],
  ...more,
})

/** Creates a file of a turn. */
export const file = (name: string, more: Partial<TurnFile> = {}): TurnFile => ({
  kind: 'file',
  name,
  mime: 'text/plain',
  sizeBytes: 5,
  ...more,
})

/** A turn in a direct chat. */
export const createTurn = (messages: readonly TurnMessage[], more: Partial<AssistantTurn> = {}): AssistantTurn => ({
  id: 'turn-1',
  conversationId: 'conversation-1',
  platform: 'telegram',
  chat: { kind: 'direct' },
  messages,
  ...more,
})

/** The text of an answer; a file is written as `<name mime content>`. */
export async function collectText(pieces: AsyncIterable<AssistantPiece>): Promise<string> {
  let text = ''
  for await (const piece of pieces)
    text += piece.type === 'text' ? piece.text : `<${piece.name} ${piece.mime} ${Buffer.from(piece.bytes).toString()}>`
  return text
}

/** A log that keeps its lines. */
export function keptLog(): Log & {
  readonly lines: readonly (readonly [message: string, fields: LogFields | undefined])[]
} {
  const lines: (readonly [string, LogFields | undefined])[] = []
  const keep = (text: string, fields?: LogFields): void => void lines.push([text, fields])
  return { lines, debug: keep, info: keep, warn: keep, error: keep }
}
