import type { AssistantTurn, TurnFile, TurnMessage } from './assistant.ts'
import { sizeText } from './echo.ts'

/** A message as a chat model is given it. */
export interface PromptMessage {
  readonly role: 'user' | 'assistant'
  readonly text: string
  readonly images: readonly PromptImage[]
}
export interface PromptImage {
  readonly bytes: Uint8Array
  readonly mime: string
}

/**
 * A turn for a chat model: names before texts in a group, quotes and files described in the text. Neighbours with the
 * same role become one message, because many models insist on turns; empty ones are left out.
 * @param images The images that are handed over as such.
 */
export function promptFor(turn: AssistantTurn, images: ReadonlyMap<TurnFile, PromptImage>): readonly PromptMessage[] {
  const prompt: PromptMessage[] = []
  for (const message of turn.messages) {
    const next = toPrompt(message, turn.chat.kind === 'group', images)
    if (next.text === '') continue
    const last = prompt.at(-1)
    if (last?.role !== next.role) prompt.push(next)
    else
      prompt.splice(-1, 1, { ...last, text: `${last.text}\n\n${next.text}`, images: [...last.images, ...next.images] })
  }
  return prompt
}

function toPrompt(message: TurnMessage, group: boolean, images: ReadonlyMap<TurnFile, PromptImage>): PromptMessage {
  const { role, text, quoted, files, from } = message
  const lines = []
  if (quoted !== undefined && quoted !== '') lines.push(quoted.replace(/^/gm, '> '))
  if (role === 'user')
    for (const file of files)
      lines.push(`[${describe(file)}; ${images.has(file) ? 'attached' : 'its content is not available'}]`)
  if (text.trim() !== '') lines.push(text)
  const name = group && from !== undefined ? oneLine(from.name ?? from.id) : ''
  const body = lines.join('\n')
  return {
    role,
    text: name === '' || body === '' ? body : `${name}: ${body}`,
    images: files.flatMap((file) => images.get(file) ?? []),
  }
}

const describe = ({ kind, name, mime, sizeBytes, problem }: TurnFile): string =>
  `${kind} "${oneLine(name)}", ${oneLine(mime)}, ${sizeText(sizeBytes)}${problem === undefined ? '' : `, ${oneLine(problem)}`}`

/** What people choose (names) cannot pretend to be another line of the conversation. */
const oneLine = (text: string): string =>
  text
    .replace(/[\s\p{Cc}"[\]]+/gu, ' ')
    .trim()
    .slice(0, 100)

/** The kind of an image by its first bytes, for the kinds that chat models take; what the sender declared may be wrong. */
export function imageMime(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1')
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif'
  return head.startsWith('RIFF') && head.endsWith('WEBP') ? 'image/webp' : null
}
