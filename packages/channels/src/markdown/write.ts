import type { Dialect, Mark, Run } from './dialect.ts'

/** Writes runs in a dialect: every mark that is opened is closed, in order. Runs without text write nothing. */
export function writeRuns(runs: readonly Run[], dialect: Dialect): string {
  let out = ''
  let open: readonly Mark[] = []
  for (const { text, marks } of runs) {
    if (text === '') continue
    const kept = commonLength(open, marks)
    out += closing(open, kept, dialect)
    for (let i = kept; i < marks.length; i++) out += dialect.wrap(markAt(marks, i))?.open ?? ''
    out += dialect.text(text, marks)
    open = marks
  }
  return out + closing(open, 0, dialect)
}

function closing(open: readonly Mark[], kept: number, dialect: Dialect): string {
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
export function commonLength(a: readonly Mark[], b: readonly Mark[]): number {
  let count = 0
  while (count < a.length && count < b.length && a[count] === b[count]) count++
  return count
}
