import type { AssistantPiece } from './assistant.ts'

/** Most files of one answer; further ones are left out with a note. */
const MAX_ANSWER_FILES = 10

/**
 * Passes an answer on up to `maxCharacters` (UTF-16) of text and `MAX_ANSWER_FILES` files. A longer text is cut there,
 * with a note, and the source is not read any further. Empty pieces are left out.
 */
export async function* limitAnswer(
  pieces: AsyncIterable<AssistantPiece>,
  maxCharacters: number,
): AsyncGenerator<AssistantPiece> {
  let text = ''
  let files = 0
  for await (const piece of pieces) {
    if (piece.type === 'file') {
      files += 1
      if (files <= MAX_ANSWER_FILES) yield piece
    } else if (text.length + piece.text.length <= maxCharacters) {
      text += piece.text
      if (piece.text !== '') yield piece
    } else {
      const rest = cutText(piece.text, maxCharacters - text.length)
      const note = `\n\n_(The answer was longer than ${maxCharacters} characters and was cut here.)_`
      yield { type: 'text', text: rest + closeFence(text + rest) + note }
      return
    }
  }
  if (files > MAX_ANSWER_FILES)
    yield { type: 'text', text: `\n\n_(${files - MAX_ANSWER_FILES} more files were left out.)_` }
}

/** The first `max` UTF-16 units of `text`, one less where a character would be cut in half. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text
  const last = text.charCodeAt(max - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : Math.max(0, max))
}

/** What closes a fenced block that is open at the end of `markdown`, so that a note after it is not code. */
function closeFence(markdown: string): string {
  let open: string | null = null
  for (const [, fence = '', rest = ''] of markdown.matchAll(/^ {0,3}(`{3,}|~{3,})(.*)$/gm)) {
    if (open === null) open = fence
    else if (fence.startsWith(open) && rest.trim() === '') open = null
  }
  return open === null ? '' : `\n${open}`
}
