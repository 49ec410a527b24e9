import { cleanText } from './plain-text.ts'
import type { Mark, Run, Dialect } from './dialect.ts'

/** Collects runs. A gap is written only when text follows it, with the marks that both neighbours have. */
export interface Writer {
  readonly runs: readonly Run[]
  text(text: string, marks: readonly Mark[]): void
  /** Asks for a gap before the next text; of several in a row the widest counts. */
  gap(newlines: '\n' | '\n\n', indent: string, border: boolean): void
}

/** A writer that holds nothing yet. Text is cleaned as it comes in. */
export function createWriter(): Writer {
  const runs: Run[] = []
  let gap: { newlines: string; indent: string; border: boolean } | null = null

  function push(text: string, marks: readonly Mark[], border: boolean): void {
    const last = runs.at(-1)
    if (last !== undefined && !border && !last.border && last.marks === marks) {
      runs[runs.length - 1] = { text: last.text + text, marks, border: false }
    } else {
      runs.push({ text, marks, border })
    }
  }

  return {
    runs,
    text(raw, marks) {
      const text = cleanText(raw)
      if (text === '') return
      const last = runs.at(-1)
      if (gap !== null && last !== undefined) {
        push(gap.newlines + (holdsPre(marks) ? '' : gap.indent), commonMarks(last.marks, marks), gap.border)
      }
      gap = null
      push(text, marks, false)
    },
    gap(newlines, indent, border) {
      gap = {
        newlines: gap !== null && gap.newlines.length > newlines.length ? gap.newlines : newlines,
        indent,
        border: border || gap?.border === true,
      }
    },
  }
}

function commonMarks(a: readonly Mark[], b: readonly Mark[]): readonly Mark[] {
  let count = 0
  while (count < a.length && count < b.length && a[count] === b[count]) count++
  // a fenced block ends where its text ends
  return a.slice(0, count).filter((mark) => mark.type !== 'pre')
}

function holdsPre(marks: readonly Mark[]): boolean {
  return marks[0]?.type === 'pre'
}

/** Writes runs in a dialect: every mark that is opened is closed, in order. Runs without text write nothing. */
export function writeRuns(runs: readonly Run[], dialect: Dialect): string {
  let out = ''
  let open: readonly Mark[] = []
  for (const { text, marks } of runs) {
    if (text === '') continue
    const kept = countCommonMarks(open, marks)
    out += closeMarks(open, kept, dialect)
    for (let i = kept; i < marks.length; i++) out += dialect.wrap(markAt(marks, i))?.open ?? ''
    out += dialect.text(text, marks)
    open = marks
  }
  return out + closeMarks(open, 0, dialect)
}

function closeMarks(open: readonly Mark[], kept: number, dialect: Dialect): string {
  let out = ''
  for (let i = open.length - 1; i >= kept; i--) out += dialect.wrap(markAt(open, i))?.close ?? ''
  return out
}

function markAt(marks: readonly Mark[], index: number): Mark {
  const mark = marks[index]
  if (mark === undefined) throw new RangeError('mark index out of range')
  return mark
}

/** How many marks two neighbours share, from the outermost on. */
export function countCommonMarks(a: readonly Mark[], b: readonly Mark[]): number {
  let count = 0
  while (count < a.length && count < b.length && a[count] === b[count]) count++
  return count
}
