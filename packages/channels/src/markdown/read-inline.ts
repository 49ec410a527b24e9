import type { MarkedToken, Token, Tokens } from 'marked'
import type { Mark } from './dialect.ts'
import { decodeNamed, decodeReferences } from './entities.ts'
import type { Writer } from './writer.ts'

/** What surrounds a piece of text: the marks, and what every further line of it starts with. */
export interface Context {
  readonly marks: readonly Mark[]
  readonly indent: string
}

type Simple = Exclude<Mark['type'], 'link' | 'pre'>

/** Longer addresses are shown as text. */
const MAX_HREF = 2_048
const LINKED = /^(?:https?|mailto|tg):/i
const BLANKS = /\s/g

/** Writes inline tokens of the lexer to `out`, with the marks of `context` and their own. */
export function readInline(tokens: readonly Token[], context: Context, out: Writer): void {
  for (const token of tokens) readToken(token, context, out)
}

function readToken(generic: Token, context: Context, out: Writer): void {
  const token = generic as MarkedToken // without extensions the lexer makes no other tokens
  switch (token.type) {
    case 'text':
      if (token.tokens !== undefined) readInline(token.tokens, context, out)
      else write(token.escaped === true ? token.raw : decodeNamed(token.text), context, out)
      return
    case 'escape':
      return write(token.text, context, out)
    case 'br':
      return write('\n', context, out)
    case 'strong':
      return readInline(token.tokens, within(context, 'bold'), out)
    case 'em':
      return readInline(token.tokens, within(context, 'italic'), out)
    case 'del':
      return readInline(token.tokens, within(context, 'strike'), out)
    case 'codespan':
      return write(token.text, within(context, 'code'), out)
    case 'link':
      return readLink(token, context, out)
    case 'image':
      return readImage(token, context, out)
    case 'checkbox':
      return
    default:
      write(token.raw, context, out)
  }
}

function readLink(token: Tokens.Link, context: Context, out: Writer): void {
  if (token.raw.startsWith('[^')) return write(token.raw, context, out) // a footnote, not a reference
  if (token.autolink === true) return linked(token.href, true, context, (inside) => write(token.text, inside, out), out)
  const href = decodeReferences(token.href)
  const literal = decodeReferences(token.text) === href
  linked(href, literal, context, (inside) => readInline(token.tokens, inside, out), out)
}

function readImage(token: Tokens.Image, context: Context, out: Writer): void {
  const href = decodeReferences(token.href)
  const shown = token.text.trim() !== ''
  const content = (inside: Context): void => {
    if (shown) readInline(token.tokens, inside, out)
    else write(href, inside, out)
  }
  linked(href, !shown, context, content, out)
}

/** Writes `content` inside a link, or followed by the address where this address cannot be one. */
function linked(
  href: string,
  literal: boolean,
  context: Context,
  content: (inside: Context) => void,
  out: Writer,
): void {
  if (context.marks.some((mark) => mark.type === 'link')) return content(context)
  if (LINKED.test(href) && href.length <= MAX_HREF && URL.canParse(href)) {
    const mark: Mark = { type: 'link', href: href.replace(BLANKS, encodeURIComponent), literal }
    return content({ ...context, marks: [...context.marks, mark] })
  }
  content(context)
  if (!literal) write(` (${href})`, context, out)
}

/** The context inside one more mark; a mark that is open already, or shown by a heading, is not opened again. */
export function within(context: Context, type: Simple): Context {
  const open = context.marks.some((mark) => mark.type === type || (type === 'bold' && mark.type === 'heading'))
  return open ? context : { ...context, marks: [...context.marks, { type }] }
}

/** Writes text with the marks of `context`, every further line of it indented. */
export function write(text: string, context: Context, out: Writer): void {
  out.text(context.indent === '' ? text : text.replaceAll('\n', `\n${context.indent}`), context.marks)
}
