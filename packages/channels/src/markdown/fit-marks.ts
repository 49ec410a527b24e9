import type { Dialect, Mark, Run } from './dialect.ts'
import { sizeOf, type Unit } from './size.ts'

type Link = Extract<Mark, { type: 'link' }>

/**
 * Takes away the marks that this dialect cannot write within the limit: all markup around a run may take half of it. The
 * address of a link that is taken away follows its text in parentheses.
 */
export function fitMarks(runs: readonly Run[], dialect: Dialect, max: number, unit: Unit): readonly Run[] {
  if (runs.every((run) => run.marks.length === 0)) return runs
  const known = new Map<readonly Mark[], readonly Mark[]>()
  const out: Run[] = []
  let lost: { link: Link; marks: readonly Mark[] } | null = null
  for (const run of runs) {
    const marks = known.get(run.marks) ?? keepMarks(run.marks, dialect, max / 2, unit)
    known.set(run.marks, marks)
    const link = run.marks.find((mark) => mark.type === 'link')
    if (lost !== null && lost.link !== link) out.push(addressOf(lost))
    lost = null
    if (link !== undefined && !link.literal && !marks.includes(link)) {
      lost = { link, marks: before(run.marks, link, marks) }
    }
    out.push(marks === run.marks ? run : { ...run, marks })
  }
  if (lost !== null) out.push(addressOf(lost))
  return out
}

function addressOf(lost: { link: Link; marks: readonly Mark[] }): Run {
  return { text: ` (${lost.link.href})`, marks: lost.marks, border: false }
}

function before(all: readonly Mark[], link: Link, kept: readonly Mark[]): readonly Mark[] {
  const outer = all.slice(0, all.indexOf(link))
  return kept.filter((mark) => outer.includes(mark))
}

function keepMarks(marks: readonly Mark[], dialect: Dialect, room: number, unit: Unit): readonly Mark[] {
  let left = room
  const kept = marks.filter((mark) => {
    const wrap = dialect.wrap(mark)
    if (wrap === null) return mark.type !== 'link'
    if (dialect.measures === 'visible') return true
    const cost = sizeOf(wrap.open, unit) + sizeOf(wrap.close, unit)
    if (cost > left) return false
    left -= cost
    return true
  })
  return kept.length === marks.length ? marks : kept
}
