import type { AssistantPiece, AssistantTurn, TurnFile } from './assistant.ts'
import { messagesToAnswer } from './wire-turn.ts'

/** Answers the text back and names the files: shows a newcomer that everything works. */
export async function* echo(turn: AssistantTurn): AsyncGenerator<AssistantPiece> {
  const messages = messagesToAnswer(turn)
  const said = messages.map(({ text }) => text.trim()).filter((text) => text !== '')
  const files = messages.flatMap((message) => message.files).map(describe)
  const parts = []
  if (said.length > 0) parts.push(`You said:\n\n${said.map(quote).join('\n\n')}`)
  if (files.length > 0) parts.push(`I received ${files.length === 1 ? 'a file' : 'files'}:\n\n${files.join('\n')}`)
  yield { type: 'text', text: parts.length > 0 ? parts.join('\n\n') : 'I received an empty message.' }
}

const quote = (text: string): string => text.replace(/^/gm, '> ')

function describe({ kind, name, mime, sizeBytes, problem }: TurnFile): string {
  const about = `${kind}, ${mime}, ${sizeText(sizeBytes)}`
  return `- \`${name.replace(/[`\r\n]/g, ' ')}\` (${problem === undefined ? about : `${about}; not available: ${problem}`})`
}

/** E.g. `340 bytes`, `12 KB`, `3.4 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`
  if (bytes < 999_500) return `${Math.round(bytes / 1_000)} KB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
