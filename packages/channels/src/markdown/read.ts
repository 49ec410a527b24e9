import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { cleanText } from './plain-text.ts'
import { plainRuns, type Run } from './dialect.ts'
import { type Context, readInline, within, write } from './read-inline.ts'
import { readTable } from './read-table.ts'
import { createWriter, type Writer } from './writer.ts'

const RULE = '──────────'
const BULLETS = ['•', '◦', '▪'] as const
const LANGUAGE = /^[\w+#.-]{1,40}/

/** Where a block stands: in how many lists, and whether inside a quote. */
interface Place extends Context {
  readonly lists: number
  readonly top: boolean
  /** Addresses of the links that were written: their definitions need not be shown. */
  readonly used: ReadonlySet<string>
}

/**
 * Reads GitHub-flavoured Markdown into runs of text.
 *
 * HTML, footnotes and definitions that nothing refers to stay as literal text; line breaks of the source stay. A source
 * that the lexer cannot read in a time in proportion to its length is returned as it is, in one run.
 */
export function readMarkdown(source: string): readonly Run[] {
  const text = cleanText(source)
  if (isTooCostly(text)) return plainRuns(text)
  try {
    const out = createWriter()
    // a fresh options object: the lexer keeps its state in it
    const tokens = new Lexer({ gfm: true }).lex(text)
    readBlocks(tokens, { marks: [], indent: '', lists: 0, top: true, used: usedDefinitions(tokens) }, out)
    return out.runs
  } catch {
    // Any failure of the lexer is one of formatting only: the text itself is known.
    return plainRuns(text)
  }
}

function usedDefinitions(tokens: readonly Token[]): ReadonlySet<string> {
  const used = new Set<string>()
  if (!tokens.some((token) => token.type === 'def')) return used
  const visit = (list: readonly Token[]): void => {
    for (const generic of list) {
      const token = generic as MarkedToken // without extensions the lexer makes no other tokens
      if ((token.type === 'link' || token.type === 'image') && token.raw.endsWith(']')) used.add(token.href)
      if (token.type === 'list') token.items.forEach((item) => visit(item.tokens))
      else if (token.type === 'table') [token.header, ...token.rows].flat().forEach((cell) => visit(cell.tokens))
      else if ('tokens' in token && token.tokens !== undefined) visit(token.tokens)
    }
  }
  visit(tokens)
  return used
}

function readBlocks(tokens: readonly Token[], place: Place, out: Writer): void {
  let previous: Token | null = null
  let spaced = false
  for (const token of tokens) {
    if (token.type === 'space') {
      spaced = true
      continue
    }
    if (token.type === 'checkbox') continue
    if (previous !== null) {
      const apart = spaced || previous.raw.endsWith('\n\n')
      out.gap(apart ? '\n\n' : '\n', place.indent, place.top)
    }
    readBlock(token, place, out)
    previous = token
    spaced = false
  }
}

function readBlock(generic: Token, place: Place, out: Writer): void {
  const token = generic as MarkedToken // without extensions the lexer makes no other tokens
  switch (token.type) {
    case 'paragraph':
      return readInline(token.tokens, place, out)
    case 'text':
      return readInline([token], place, out)
    case 'heading':
      return readInline(token.tokens, within(place, 'heading'), out)
    case 'code':
      return out.text(trimEndNewlines(token.text), [
        { type: 'pre', language: LANGUAGE.exec(token.lang ?? '')?.[0] ?? '' },
      ])
    case 'list':
      return readList(token, place, out)
    case 'blockquote':
      return readQuote(token, place, out)
    case 'hr':
      return write(RULE, place, out)
    case 'table':
      return readTable(token, place, out)
    case 'def':
      if (token.tag.startsWith('^') || !place.used.has(token.href)) write(token.raw.trim(), place, out)
      return
    default:
      write(token.raw.trimEnd(), place, out)
  }
}

function readList(token: Tokens.List, place: Place, out: Writer): void {
  const bullet = BULLETS[Math.min(place.lists, BULLETS.length - 1)] ?? BULLETS[0]
  const first = token.start === '' ? 1 : token.start
  token.items.forEach((item, i) => {
    if (i > 0) out.gap(token.loose ? '\n\n' : '\n', place.indent, false)
    const task = item.checked === true ? '☑ ' : '☐ '
    const prefix = item.task ? task : token.ordered ? `${first + i}. ` : `${bullet} `
    out.text(prefix, place.marks)
    const indent = place.indent + ' '.repeat(prefix.length)
    readBlocks(item.tokens, { ...place, indent, lists: place.lists + 1, top: false }, out)
  })
}

/** Platforms have one level of quotes: a quote in a quote is marked by `> ` on each line. */
function readQuote(token: Tokens.Blockquote, place: Place, out: Writer): void {
  const nested = place.marks.some((mark) => mark.type === 'quote')
  if (!nested) return readBlocks(token.tokens, { ...place, ...within(place, 'quote'), top: false }, out)
  out.text('> ', place.marks)
  readBlocks(token.tokens, { ...place, indent: `${place.indent}> `, top: false }, out)
}

function trimEndNewlines(text: string): string {
  let end = text.length
  while (end > 0 && text.charCodeAt(end - 1) === 10) end--
  return text.slice(0, end)
}

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

/** Returns whether reading this as Markdown could take more than some ten milliseconds, or overflow the stack. */
function isTooCostly(source: string): boolean {
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
