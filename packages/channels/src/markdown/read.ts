import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { clean } from './clean.ts'
import { isTooCostly } from './cost.ts'
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
  const text = clean(source)
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
