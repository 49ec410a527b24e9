import stringWidth from 'string-width'

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Returns the number of terminal columns that `text` takes. Wide characters and emoji take two, colours none. */
export const displayWidth = (text: string): number => stringWidth(text)

/** Cuts plain text to `columns`, ending it with an ellipsis if it was longer. */
export function cutToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  let cut = ''
  let width = 0
  for (const { segment } of GRAPHEMES.segment(text)) {
    width += displayWidth(segment)
    if (width > columns - 1) break
    cut += segment
  }
  return `${cut.trimEnd()}…`
}

/** Wraps text between words into lines of at most `columns`. A longer word gets a line of its own. */
export function wrapToWidth(text: string, columns: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && displayWidth(longer) > columns) {
      lines.push(line)
      line = word
    } else line = longer
  }
  return [...lines, line]
}
