import type { Tokens } from 'marked'
import { plainDialect } from './dialect.ts'
import { type Context, readInline, write } from './read-inline.ts'
import { writeRuns, createWriter, type Writer } from './writer.ts'

/** Widest table, in columns of a monospaced font, that is drawn as one; a wider one is listed. */
const MAX_WIDTH = 64
const BETWEEN = ' | '
const BETWEEN_RULE = '-+-'

/** Writes a table: as a monospaced block with aligned columns, or when too wide as `header: value` lines. */
export function readTable(token: Tokens.Table, context: Context, out: Writer): void {
  const rows = [token.header, ...token.rows].map((row) => row.map(cellText))
  const widths = token.header.map((_, column) => columnWidth(rows, column))
  const total = widths.reduce((sum, width) => sum + width, (widths.length - 1) * BETWEEN.length)
  if (total > MAX_WIDTH && token.rows.length > 0) return listRows(token, context, out)
  const lines = rows.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0, token.align[column] ?? null))
      .join(BETWEEN)
      .trimEnd(),
  )
  lines.splice(1, 0, widths.map((width) => '-'.repeat(width)).join(BETWEEN_RULE))
  out.text(lines.join('\n'), [{ type: 'pre', language: '' }])
}

function columnWidth(rows: readonly (readonly string[])[], column: number): number {
  return rows.reduce((widest, row) => Math.max(widest, displayWidth(row[column] ?? '')), 3)
}

function cellText(cell: Tokens.TableCell): string {
  const out = createWriter()
  readInline(cell.tokens, { marks: [], indent: '' }, out)
  return writeRuns(out.runs, plainDialect).replaceAll('\n', ' ')
}

function pad(text: string, width: number, align: 'center' | 'left' | 'right' | null): string {
  const room = width - displayWidth(text)
  const outerMarks = align === 'right' ? room : align === 'center' ? Math.floor(room / 2) : 0
  return ' '.repeat(outerMarks) + text + ' '.repeat(room - outerMarks)
}

function listRows(token: Tokens.Table, context: Context, out: Writer): void {
  token.rows.forEach((row, i) => {
    if (i > 0) out.gap('\n\n', context.indent, false)
    let started = false
    row.forEach((cell, column) => {
      const header = token.header[column]
      if (cell.text === '' && header?.text === '') return
      if (started) out.gap('\n', context.indent, false)
      started = true
      if (header !== undefined && header.text !== '') {
        readInline(header.tokens, context, out)
        write(': ', context, out)
      }
      readInline(cell.tokens, context, out)
    })
  })
}

const SIMPLE = /^[\u0020-\u007e]*$/
const SHAPELESS = /\p{M}|\p{Default_Ignorable_Code_Point}|\p{Cc}/u
// East Asian Wide and Fullwidth by block, and emoji shown as pictures (UAX #11)
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u

/** Columns that a monospaced font needs for this text, in which CJK characters and emoji take two. */
function displayWidth(text: string): number {
  if (SIMPLE.test(text)) return text.length
  let width = 0
  let joined = false
  for (const char of text) {
    if (!joined && !SHAPELESS.test(char)) width += WIDE.test(char) ? 2 : 1
    joined = char === '\u200d'
  }
  return width
}
