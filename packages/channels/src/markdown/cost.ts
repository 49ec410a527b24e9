/** Longest source that is read as Markdown, in UTF-16 code units; a longer one is shown as it is. */
const MAX_SOURCE = 65_536
/** Sources up to this length cannot exceed the limits on words and tables below. */
const SMALL_SOURCE = 1_500
/** Most block quote and list markers at the start of one line: the lexer recurses for each. */
const MAX_MARKERS = 40
/** The lexer looks for an e-mail address from every piece of a word to the end of that word. */
const MAX_WORD_WORK = 8_000_000
/** The lexer fills up each table row to the width of the header. */
const MAX_CELLS = 200_000
/** Nested emphasis is read once more for each level. */
const MAX_EMPHASIS_WORK = 3_000_000

const MARKERS = new RegExp(`^(?:[ \\t]*(?:[>*+-]|\\d{1,9}[.)])){${MAX_MARKERS}}`, 'm')

/** Most lines in a row that may belong to one list item: the lexer takes each line off the rest of the source. */
const MAX_ITEM_LINES = 1_000
const ITEM = /[ \t>]*(?:[*+-]|\d{1,9}[.)])(?:\s|$)/y

/** A line that certainly ends the paragraph before it, and with it every emphasis. */
const BLOCK_START = / {0,3}(?:\n|[*+-] +\S|#{1,6} )/y

/** Whether reading this as Markdown could take more than some ten milliseconds, or overflow the stack. */
export function isTooCostly(source: string): boolean {
  if (source.length > MAX_SOURCE) return true
  if (MARKERS.test(source)) return true
  return source.length > SMALL_SOURCE && (exceedsLexer(source) || hasEndlessItem(source))
}

function hasEndlessItem(source: string): boolean {
  let lines = 0
  let inItem = false
  let afterBlank = false
  for (let at = 0; at < source.length; ) {
    const next = source.indexOf('\n', at)
    ITEM.lastIndex = at
    const first = source.charCodeAt(at)
    const indented = first === 32 || first === 9
    if (ITEM.test(source)) {
      inItem = true
      lines = 0
    } else if (afterBlank && !indented && first !== 10) {
      inItem = false
    }
    if (inItem && ++lines > MAX_ITEM_LINES) return true
    afterBlank = first === 10
    if (next < 0) break
    at = next + 1
  }
  return false
}

function exceedsLexer(source: string): boolean {
  let word = 0
  let pieces = 0
  let wordWork = 0
  let lines = 1
  let pipes = 0
  let widest = 0
  let emphasis = 0
  let emphasisWork = 0
  for (let i = 0; i <= source.length; i++) {
    const code = i < source.length ? source.charCodeAt(i) : 10
    if (code > 32 && code < 127) {
      word++
      if (!isAlphanumeric(code)) pieces++
      if (code === 42 || code === 95 || code === 126) emphasis++
      if (code === 124) pipes++
      continue
    }
    wordWork += word * pieces
    word = pieces = 0
    if (code !== 10) continue
    lines++
    widest = Math.max(widest, pipes)
    pipes = 0
    BLOCK_START.lastIndex = i + 1
    if (i === source.length || BLOCK_START.test(source)) {
      emphasisWork = Math.max(emphasisWork, emphasis * emphasis)
      emphasis = 0
    }
  }
  return wordWork > MAX_WORD_WORK || widest * lines > MAX_CELLS || emphasisWork > MAX_EMPHASIS_WORK
}

function isAlphanumeric(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
}
