/** One block of a rendered message. */
export interface ShownBlock {
  readonly type: 'paragraph' | 'heading' | 'quote' | 'code' | 'item' | 'rule' | 'table'
  /** Headings count from 1, list items from 0. */
  readonly level?: number
  /** `•`, or the number of a list item. */
  readonly marker?: string
  readonly language?: string
  readonly spans?: readonly ShownSpan[]
  /** Cells as text, header first. */
  readonly rows?: readonly (readonly string[])[]
}

/** A run of text in one style. */
export interface ShownSpan {
  readonly text: string
  readonly bold?: true
  readonly italic?: true
  readonly strike?: true
  readonly code?: true
  /** An http, https or mailto address. */
  readonly href?: string
}

/** Style of a run of text. */
export type SpanStyle = Omit<ShownSpan, 'text'>

/** Returns the blocks of a text without markup. */
export const plainBlocks = (text: string): readonly ShownBlock[] =>
  text === '' ? [] : [{ type: 'paragraph', spans: [{ text }] }]

/** Returns `{href}` for a safe link, else `{}`. */
export const linkStyle = (address: string): SpanStyle =>
  ['http:', 'https:', 'mailto:'].includes(URL.parse(address)?.protocol ?? '') ? { href: address } : {}

const CODE = /^```(\w*)\s*$/
const HEADING = /^(#{1,6}) +(.*)$/
const RULE = /^(?:---+|\*\*\*+)\s*$/
const BULLET = /^(\s*)[-*•] +(.*)$/
const NUMBER = /^(\s*)(\d+)[.)] +(.*)$/
const QUOTE = /^> ?(.*)$/
const ROW = /^\s*\|.*\|\s*$/
const UNDER_HEAD = /^\s*\|[\s:|-]+\|\s*$/

/** Returns the blocks of a Markdown text, in the dialect that most platforms share. */
export function markdownBlocks(text: string): readonly ShownBlock[] {
  const blocks: ShownBlock[] = []
  const lines = text.split('\n')
  let words: string[] = []
  const endParagraph = (): void => {
    const paragraph = words.join('\n').replaceAll(/^\n+|\n+$/g, '')
    if (paragraph !== '') blocks.push({ type: 'paragraph', spans: inlineSpans(paragraph) })
    words = []
  }
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    const block = parseBlock(line, lines)
    if (block === null) words.push(line)
    else {
      endParagraph()
      blocks.push(block)
    }
  }
  endParagraph()
  return blocks
}

/** Returns the block that starts on this line, or `null` for plain text. Takes its other lines from `rest`. */
function parseBlock(line: string, rest: string[]): ShownBlock | null {
  const code = CODE.exec(line)
  if (code) return codeBlock(code[1] ?? '', rest)
  const heading = HEADING.exec(line)
  if (heading) return { type: 'heading', level: heading[1]?.length ?? 1, spans: inlineSpans(heading[2] ?? '') }
  if (RULE.test(line)) return { type: 'rule' }
  const bullet = BULLET.exec(line)
  if (bullet) return itemBlock(bullet[1] ?? '', '•', bullet[2] ?? '')
  const numbered = NUMBER.exec(line)
  if (numbered) return itemBlock(numbered[1] ?? '', `${numbered[2]}.`, numbered[3] ?? '')
  if (QUOTE.test(line)) return quoteBlock(line, rest)
  return ROW.test(line) && UNDER_HEAD.test(rest[0] ?? '') ? tableBlock(line, rest) : null
}

function codeBlock(language: string, rest: string[]): ShownBlock {
  const end = rest.findIndex((line) => /^```\s*$/.test(line))
  const code = rest.splice(0, end < 0 ? rest.length : end)
  rest.shift()
  return { type: 'code', ...(language !== '' && { language }), spans: [{ text: code.join('\n') }] }
}

const itemBlock = (indent: string, marker: string, words: string): ShownBlock => ({
  type: 'item',
  level: Math.min(3, Math.floor(indent.length / 2)),
  marker,
  spans: inlineSpans(words),
})

function quoteBlock(first: string, rest: string[]): ShownBlock {
  const end = rest.findIndex((line) => !QUOTE.test(line))
  const lines = [first, ...rest.splice(0, end < 0 ? rest.length : end)]
  return { type: 'quote', spans: inlineSpans(lines.map((line) => QUOTE.exec(line)?.[1] ?? '').join('\n')) }
}

function tableBlock(head: string, rest: string[]): ShownBlock {
  rest.shift()
  const end = rest.findIndex((line) => !ROW.test(line))
  const rows = [head, ...rest.splice(0, end < 0 ? rest.length : end)]
  const parseCells = (line: string): readonly string[] =>
    line
      .trim()
      .slice(1, -1)
      .split('|')
      .map((words) => joinText(inlineSpans(words.trim())))
  return { type: 'table', rows: rows.map(parseCells) }
}

const joinText = (spans: readonly ShownSpan[]): string => spans.map(({ text }) => text).join('')

/** Longer marks come first, so that `**` isn't read as `*`. */
const INLINE =
  /\\(?<escaped>[!-/:-@[-`{-~])|&(?:#(?<number>\d{2,6})|(?<named>lt|gt|amp|quot));|(?<ticks>`+)(?<code>.+?)\k<ticks>(?!`)|\*\*(?<bold>\S(?:.*?\S)?)\*\*|~~(?<struck>\S(?:.*?\S)?)~~|(?<![\w*])\*(?<italic>[^\s*](?:[^*\n]*[^\s*])?)\*(?![\w*])|(?<!\w)_(?<slanted>[^\s_](?:[^_\n]*[^\s_])?)_(?!\w)|\[(?<words>[^\]\n]+)\]\((?<target>[^)\s]+)\)|(?<address>https?:\/\/[^\s<>)\]]+)/

function inlineSpans(text: string, style: SpanStyle = {}): readonly ShownSpan[] {
  const spans: ShownSpan[] = []
  const add = (words: string): void => {
    const last = spans.at(-1)
    if (words === '') return
    if (last && hasStyle(last, style)) spans[spans.length - 1] = { ...last, text: last.text + words }
    else spans.push({ text: words, ...style })
  }
  let rest = text
  for (let found = INLINE.exec(rest); found; found = INLINE.exec(rest)) {
    add(rest.slice(0, found.index))
    const inner = toSpans(found.groups ?? {}, style)
    if (typeof inner === 'string') add(inner)
    else spans.push(...inner)
    rest = rest.slice(found.index + found[0].length)
  }
  add(rest)
  return spans
}

const hasStyle = ({ text: _text, ...look }: ShownSpan, style: SpanStyle): boolean =>
  JSON.stringify(look) === JSON.stringify(style)

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' }

/** Returns the spans of a match, or a string that takes the surrounding style. */
function toSpans(found: Readonly<Record<string, string | undefined>>, style: SpanStyle): string | readonly ShownSpan[] {
  const { escaped, number, named, code, bold, struck, italic, slanted, words, target, address } = found
  if (escaped !== undefined) return escaped
  if (number !== undefined) return Number(number) < 0x110000 ? String.fromCodePoint(Number(number)) : ''
  if (named !== undefined) return NAMED[named] ?? ''
  if (code !== undefined) {
    return [{ text: code.length > 2 ? code.replace(/^ (.*) $/, '$1') : code, ...style, code: true }]
  }
  if (bold !== undefined) return inlineSpans(bold, { ...style, bold: true })
  if (struck !== undefined) return inlineSpans(struck, { ...style, strike: true })
  const slant = italic ?? slanted
  if (slant !== undefined) return inlineSpans(slant, { ...style, italic: true })
  return [{ text: words ?? address ?? '', ...style, ...linkStyle(target ?? address ?? '') }]
}
