import type { Dialect, Mark, Run } from './dialect.ts'

/** Text that is shown in one way. */
interface ShownSpan {
  readonly text: string
  readonly bold?: true
  readonly italic?: true
  readonly strike?: true
  readonly code?: true
  /** `http:`, `https:` or `mailto:`. */
  readonly href?: string
}

/** A block as people see it on the platform. */
export interface ShownBlock {
  readonly type: 'paragraph' | 'heading' | 'quote' | 'code' | 'item' | 'rule'
  /** Of a heading 1 to 6; of an item how deep it stands, from 0. */
  readonly level?: number
  /** What stands before an item, e.g. `•` or `2.`. */
  readonly marker?: string
  /** Of code, when it is known. */
  readonly language?: string
  readonly spans?: readonly ShownSpan[]
}

/** One message of those that a text becomes. */
export interface PreviewPart {
  /** What is sent. */
  readonly markup: string
  /** In `unit`s, as the platform counts it. */
  readonly size: number
  readonly limit: number
  readonly unit: 'utf16' | 'code_points' | 'bytes'
  readonly blocks: readonly ShownBlock[]
}

type Link = Extract<Mark, { type: 'link' }>

/** A fence, a quote or a heading; `null`: text between such blocks. */
type BlockMark = Mark | null

const RULE = /^─{10}$/
/** Lists as written for every platform, since none renders them itself. */
const ITEM = /^( *)([•◦▪☐☑]|\d{1,9}\.) /
const SAFE_HREF = /^(?:https?|mailto):/i
const WEB = /^https?:/i

/** What people see of runs that this dialect writes: marks that it writes in another way, or not at all, are so here. */
export function shownBlocks(runs: readonly Run[], dialect: Dialect): readonly ShownBlock[] {
  const out: ShownBlock[] = []
  let spans: ShownSpan[] = []
  let open: BlockMark = null
  const close = (): void => {
    if (spans.length > 0) out.push(...toBlocks(open, spans, dialect))
    spans = []
  }
  for (const run of runs) {
    const mark = blockMark(run.marks, dialect)
    if (mark !== open) close()
    open = mark
    spans.push(...toSpans(run, dialect))
  }
  close()
  return out
}

/** The innermost fence or else the outermost quote or heading, where the platform shows such blocks. */
function blockMark(marks: readonly Mark[], dialect: Dialect): BlockMark {
  for (const mark of marks.toReversed()) if (mark.type === 'pre') return mark
  for (const mark of marks) {
    if (mark.type === 'quote' && dialect.wrap(mark) !== null) return mark
    if (mark.type === 'heading' && headingLevel(mark, dialect) !== null) return mark
  }
  return null
}

/** `null`: headings are written like bold text. */
function headingLevel(mark: Mark, dialect: Dialect): number | null {
  const signs = /#{1,6}(?= )/.exec(dialect.wrap(mark)?.open ?? '')
  return signs ? signs[0].length : null
}

function toBlocks(mark: BlockMark, spans: readonly ShownSpan[], dialect: Dialect): readonly ShownBlock[] {
  if (mark === null) return textBlocks(spans)
  if (mark.type === 'pre') {
    const isNamed = mark.language !== '' && (dialect.wrap(mark)?.open ?? '').includes(mark.language)
    return [{ type: 'code', ...(isNamed && { language: mark.language }), spans }]
  }
  const trimmed = trim(spans)
  if (trimmed.length === 0) return []
  if (mark.type === 'quote') return [{ type: 'quote', spans: trimmed }]
  return [{ type: 'heading', level: headingLevel(mark, dialect) ?? 1, spans: trimmed }]
}

function toSpans({ text, marks }: Run, dialect: Dialect): readonly ShownSpan[] {
  if (marks.some(({ type }) => type === 'pre')) return [{ text }]
  const has = (type: Exclude<Mark['type'], 'link' | 'pre'>): boolean =>
    marks.some((mark) => mark.type === type && dialect.wrap(mark) !== null)
  const isBold = has('bold') || marks.some((mark) => mark.type === 'heading' && isLikeBold(mark, dialect))
  const link = marks.find((mark) => mark.type === 'link')
  const href = link && getShownHref(link, dialect)
  const span = {
    text,
    ...(isBold && { bold: true as const }),
    ...(has('italic') && { italic: true as const }),
    ...(has('strike') && { strike: true as const }),
    ...(has('code') && { code: true as const }),
    ...(href !== undefined && href !== null && { href }),
  }
  const after = link && addressAfter(link, dialect)
  return after ? [span, { text: after }] : [span]
}

const isLikeBold = (mark: Mark, dialect: Dialect): boolean =>
  dialect.wrap(mark) !== null && dialect.wrap(mark)?.open === dialect.wrap({ type: 'bold' })?.open

/** Addresses that stand there as they are become links by themselves; others where the dialect can hide them. */
function getShownHref(link: Link, dialect: Dialect): string | null {
  if (link.literal)
    return WEB.test(link.href) || (dialect.wrap(link)?.open && SAFE_HREF.test(link.href)) ? link.href : null
  const isHidden = (dialect.wrap(link)?.open ?? '') !== ''
  return isHidden && SAFE_HREF.test(link.href) ? link.href : null
}

/** An address that the dialect writes behind the text. */
function addressAfter(link: Link, dialect: Dialect): string {
  const wrap = dialect.wrap(link)
  return wrap?.open === '' ? wrap.close : ''
}

/** Paragraphs, items and rules. */
function textBlocks(spans: readonly ShownSpan[]): readonly ShownBlock[] {
  const out: ShownBlock[] = []
  let paragraph: ShownSpan[] = []
  let item: Item | null = null
  const close = (): void => {
    const trimmed = trim(paragraph)
    if (item) out.push({ type: 'item', level: item.level, marker: item.marker, spans: trimmed })
    else if (trimmed.length > 0) out.push({ type: 'paragraph', spans: trimmed })
    paragraph = []
    item = null
  }
  const levels: number[] = []
  for (const line of splitLines(spans)) {
    const text = line.map((span) => span.text).join('')
    const begun = parseItem(text, levels)
    if (text.trim() === '' || RULE.test(text) || begun) close()
    if (RULE.test(text)) out.push({ type: 'rule' })
    else if (begun) {
      item = begun
      paragraph = [...dropStart(line, begun.length)]
    } else if (text.trim() !== '')
      paragraph.push(...(paragraph.length > 0 ? [{ text: '\n' }] : []), ...dropIndent(line))
  }
  close()
  return out
}

interface Item {
  readonly level: number
  readonly marker: string
  /** Of what stands before its text. */
  readonly length: number
}

/** @param levels Indents of the items that this one may stand in; changed. */
function parseItem(line: string, levels: number[]): Item | null {
  const found = ITEM.exec(line)
  if (!found) return null
  const [all, indent = '', marker = ''] = found
  while ((levels.at(-1) ?? -1) >= indent.length) levels.pop()
  levels.push(indent.length)
  return { level: levels.length - 1, marker, length: all.length }
}

function splitLines(spans: readonly ShownSpan[]): readonly (readonly ShownSpan[])[] {
  const lines: ShownSpan[][] = [[]]
  for (const span of spans)
    span.text.split('\n').forEach((text, index) => {
      if (index > 0) lines.push([])
      if (text !== '') lines.at(-1)?.push({ ...span, text })
    })
  return lines
}

/** Without its first characters. */
function dropStart(line: readonly ShownSpan[], length: number): readonly ShownSpan[] {
  let left = length
  return line.flatMap((span) => {
    const dropped = Math.min(left, span.text.length)
    left -= dropped
    return dropped === span.text.length ? [] : [{ ...span, text: span.text.slice(dropped) }]
  })
}

const dropIndent = (line: readonly ShownSpan[]): readonly ShownSpan[] =>
  dropStart(line, /^ */.exec(line[0]?.text ?? '')?.[0].length ?? 0)

/** Without line breaks at either end. */
function trim(spans: readonly ShownSpan[]): readonly ShownSpan[] {
  const out = spans.map((span, index) => {
    const start = index === 0 ? span.text.replace(/^\n+/, '') : span.text
    return { ...span, text: index === spans.length - 1 ? start.replace(/\n+$/, '') : start }
  })
  return out.filter(({ text }) => text !== '')
}
