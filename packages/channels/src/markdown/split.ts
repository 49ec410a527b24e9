import { chooseBreak, nextStart, trimEnd } from './breaks.ts'
import { isBlank, insidePair, measureText, type Unit } from './plain-text.ts'
import { type Dialect, type Mark, plainDialect, plainRuns, type Run } from './dialect.ts'
import { countCommonMarks, writeRuns } from './writer.ts'

/** How a text is written, and how large its parts may become. */
export interface RenderOptions {
  readonly dialect: Dialect
  /** Size of one part in `unit`s, 16 or more. */
  readonly max: number
  readonly unit: Unit
  /** The parts tell their runs as well. */
  readonly withRuns?: true
}

/** What fits into one message. */
export interface RenderedPart {
  /** In the dialect. */
  readonly body: string
  /** The same part without markup; the address of a link follows its text. */
  readonly plain: string
  /** What `body` was written from: only marks that could be written are left. */
  readonly runs?: readonly Run[]
}

/** One text with the runs that it is made of; run `i` begins at `starts[i]`. */
interface Layout {
  readonly text: string
  readonly runs: readonly Run[]
  readonly starts: readonly number[]
  readonly borders: readonly number[]
  /** `plainDialect` without the addresses that would fill more than half a part. */
  readonly plain: Dialect
}

/** Writes runs as parts within the limit. What is dropped at a break is said at `renderMarkdown`. */
export function splitRuns(source: readonly Run[], options: RenderOptions): readonly RenderedPart[] {
  const layout = layOut(source, options)
  const { text } = layout
  if (isBlank(text)) return []
  // an indentation that would leave no room for text is not worth keeping
  const indent = Math.floor(options.max / 16)
  const end = trimEnd(text, 0, text.length)
  const parts: RenderedPart[] = []
  let start = nextStart(text, 0, indent)
  while (start < end) {
    const { part, stop } = cutPart(layout, start, end, options)
    parts.push(part)
    start = nextStart(text, stop, indent)
  }
  return parts
}

function layOut(source: readonly Run[], options: RenderOptions): Layout {
  const { dialect, max, unit } = options
  const runs = fitMarks(source, dialect, max, unit)
  const starts: number[] = []
  const borders: number[] = []
  let length = 0
  for (const run of runs) {
    starts.push(length)
    if (run.border) borders.push(length)
    length += run.text.length
  }
  const plain: Dialect = {
    ...plainDialect,
    wrap: (mark) =>
      mark.type === 'link' && measureText(mark.href, unit) + 3 > max / 2 ? null : plainDialect.wrap(mark),
  }
  return { text: runs.map((run) => run.text).join(''), runs, starts, borders, plain }
}

function cutPart(
  layout: Layout,
  start: number,
  end: number,
  options: RenderOptions,
): { part: RenderedPart; stop: number } {
  let reach = end - start <= options.max ? end : findReach(layout, start, end, options)
  for (;;) {
    const stop = reach >= end ? end : chooseBreak(layout.text, start, reach, layout.borders)
    const { part, excess } = renderRange(layout, start, stop, options)
    if (excess <= 1) return { part, stop }
    if (reach >= end && end - start <= options.max) reach = Math.min(end - 1, findReach(layout, start, end, options))
    else reach = Math.min(stop - 1, start + Math.floor((stop - start) / excess))
    if (reach <= start) return singleCharacter(layout, start, options)
  }
}

/** The last resort, when not even one code point fits with its marks: that code point without them. */
function singleCharacter(layout: Layout, start: number, options: RenderOptions): { part: RenderedPart; stop: number } {
  const stop = chooseBreak(layout.text, start, start, layout.borders)
  const text = layout.text.slice(start, stop)
  const runs = options.withRuns && { runs: plainRuns(text) }
  return { part: { body: options.dialect.text(text, []), plain: text, ...runs }, stop }
}

/** `excess`: by which factor the part is over the limit; 1 or less when it is within. */
function renderRange(
  layout: Layout,
  start: number,
  stop: number,
  options: RenderOptions,
): { part: RenderedPart; excess: number } {
  const { dialect, max, unit } = options
  const runs = sliceRuns(layout, start, stop)
  const body = writeRuns(runs, dialect)
  const plain = writeRuns(runs, layout.plain)
  const bodySize = measureText(dialect.measures === 'rendered' ? body : layout.text.slice(start, stop), unit)
  const marks = dialect.maxMarks === undefined ? 0 : countMarks(runs, dialect) / dialect.maxMarks
  const part = options.withRuns ? { body, plain, runs } : { body, plain }
  return { part, excess: Math.max(bodySize / max, measureText(plain, unit) / max, marks) }
}

function sliceRuns(layout: Layout, start: number, stop: number): readonly Run[] {
  const { runs, starts } = layout
  const out: Run[] = []
  for (let i = runAt(starts, start); i < runs.length; i++) {
    const run = runs[i]
    const from = starts[i]
    if (run === undefined || from === undefined || from >= stop) break
    if (from >= start && from + run.text.length <= stop) out.push(run)
    else out.push({ ...run, text: run.text.slice(Math.max(0, start - from), stop - from) })
  }
  return out
}

function runAt(starts: readonly number[], index: number): number {
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) <= index) low = middle + 1
    else high = middle
  }
  return Math.max(0, low - 1)
}

function countMarks(runs: readonly Run[], dialect: Dialect): number {
  let count = 0
  let open: readonly Mark[] = []
  for (const run of runs) {
    count += newlyOpened(open, run.marks).filter((mark) => dialect.wrap(mark) !== null).length
    open = run.marks
  }
  return count
}

function newlyOpened(open: readonly Mark[], marks: readonly Mark[]): readonly Mark[] {
  return marks.length === 0 ? marks : marks.slice(countCommonMarks(open, marks))
}

/** How far from `start` a part may go, as far as the sizes of its pieces tell. */
function findReach(layout: Layout, start: number, end: number, options: RenderOptions): number {
  const { dialect, max, unit } = options
  const renderBody =
    dialect.measures === 'rendered' ? (text: string, run: Run) => dialect.text(text, run.marks) : identity
  let body = 0
  let plain = 0
  let marks = 0
  let open: readonly Mark[] = []
  for (let i = runAt(layout.starts, start); i < layout.runs.length; i++) {
    const run = layout.runs[i]
    const from = Math.max(layout.starts[i] ?? 0, start)
    if (run === undefined || from >= end) break
    for (const mark of newlyOpened(open, run.marks)) {
      if (dialect.wrap(mark) !== null) marks++
      if (dialect.measures === 'rendered') body += markupSize(dialect, mark, unit)
      plain += markupSize(layout.plain, mark, unit)
    }
    open = run.marks
    if (body > max || plain > max || marks > (dialect.maxMarks ?? Infinity)) return from
    // two UTF-16 units a code point: more than this cannot fit
    const text = layout.text.slice(from, Math.min((layout.starts[i] ?? 0) + run.text.length, end, from + 2 * max + 2))
    const fits = (piece: string): boolean =>
      body + measureText(renderBody(piece, run), unit) <= max && plain + measureText(piece, unit) <= max
    if (!fits(text)) return from + longestPrefix(text, fits)
    body += measureText(renderBody(text, run), unit)
    plain += measureText(text, unit)
  }
  return end
}

const identity = (text: string): string => text

function markupSize(dialect: Dialect, mark: Mark, unit: Unit): number {
  const wrap = dialect.wrap(mark)
  return wrap === null ? 0 : measureText(wrap.open, unit) + measureText(wrap.close, unit)
}

function longestPrefix(text: string, fits: (piece: string) => boolean): number {
  let low = 0
  let high = text.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    const at = insidePair(text, middle) ? middle + 1 : middle
    if (at >= high) break
    if (fits(text.slice(0, at))) low = at
    else high = at
  }
  return low
}

type Link = Extract<Mark, { type: 'link' }>

/**
 * Takes away the marks that this dialect cannot write within the limit: all markup around a run may take half of it. The
 * address of a link that is taken away follows its text in parentheses.
 */
function fitMarks(runs: readonly Run[], dialect: Dialect, max: number, unit: Unit): readonly Run[] {
  if (runs.every((run) => run.marks.length === 0)) return runs
  const known = new Map<readonly Mark[], readonly Mark[]>()
  const out: Run[] = []
  let lost: { link: Link; marks: readonly Mark[] } | null = null
  for (const run of runs) {
    const marks = known.get(run.marks) ?? keepMarks(run.marks, dialect, max / 2, unit)
    known.set(run.marks, marks)
    const link = run.marks.find((mark) => mark.type === 'link')
    if (lost !== null && lost.link !== link) out.push(toAddressRun(lost))
    lost = null
    if (link !== undefined && !link.literal && !marks.includes(link)) {
      lost = { link, marks: outerMarks(run.marks, link, marks) }
    }
    out.push(marks === run.marks ? run : { ...run, marks })
  }
  if (lost !== null) out.push(toAddressRun(lost))
  return out
}

function toAddressRun(lost: { link: Link; marks: readonly Mark[] }): Run {
  return { text: ` (${lost.link.href})`, marks: lost.marks, border: false }
}

function outerMarks(all: readonly Mark[], link: Link, kept: readonly Mark[]): readonly Mark[] {
  const outer = all.slice(0, all.indexOf(link))
  return kept.filter((mark) => outer.includes(mark))
}

function keepMarks(marks: readonly Mark[], dialect: Dialect, room: number, unit: Unit): readonly Mark[] {
  let left = room
  const kept = marks.filter((mark) => {
    const wrap = dialect.wrap(mark)
    if (wrap === null) return mark.type !== 'link'
    if (dialect.measures === 'visible') return true
    const cost = measureText(wrap.open, unit) + measureText(wrap.close, unit)
    if (cost > left) return false
    left -= cost
    return true
  })
  return kept.length === marks.length ? marks : kept
}
