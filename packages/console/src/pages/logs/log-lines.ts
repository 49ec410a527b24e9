import type { LogLine } from '../../api/gateway-api.ts'

/** Most lines that the page keeps. */
export const MOST_LINES = 3_000

/** What is shown of the log. */
export interface ShownLog {
  /** Oldest first. */
  readonly lines: readonly LogLine[]
  /** Where those before them begin; `null`: there are none. */
  readonly older: string | null
  /** Written since, and not shown while somebody reads further up; oldest first. */
  readonly waiting: readonly LogLine[]
}

/** Nothing yet. */
export const NO_LINES: ShownLog = { lines: [], older: null, waiting: [] }

/** A page of the log as the service answers it, newest first. */
export interface LogPage {
  readonly items: readonly LogLine[]
  readonly next: string | null
}

/** What came before all that is shown. */
export function withOlder(shown: ShownLog, { items, next }: LogPage): ShownLog {
  return { ...shown, lines: joined(items.toReversed(), shown.lines), older: next }
}

/**
 * The newest page, after some time in which nothing was heard. Where the two do not meet, only the newer lines stay:
 * a hole in a log would be taken for silence.
 */
export function withNewest(shown: ShownLog, { items, next }: LogPage): ShownLog {
  const newest = shown.lines.at(-1)
  const oldestNew = items.at(-1)
  const meet = newest === undefined || next === null || (oldestNew && !isAfter(oldestNew.id, newest.id))
  if (newest !== undefined && meet) return withNew(shown, items.toReversed())
  return { ...shown, lines: joined(items.toReversed(), []), older: next }
}

/** Lines that were just written, shown at once. The oldest ones make room. */
export function withNew(shown: ShownLog, lines: readonly LogLine[]): ShownLog {
  const all = joined(shown.lines, lines)
  if (all.length <= MOST_LINES) return { ...shown, lines: all }
  const kept = all.slice(-MOST_LINES)
  return { ...shown, lines: kept, older: kept[0]?.id ?? null }
}

/** Lines that were just written, while somebody reads further up. */
export const withWaiting = (shown: ShownLog, lines: readonly LogLine[]): ShownLog => ({
  ...shown,
  waiting: joined(shown.waiting, lines).slice(-MOST_LINES),
})

/** Shows what has waited. */
export const withoutWaiting = (shown: ShownLog): ShownLog =>
  shown.waiting.length === 0 ? shown : { ...withNew(shown, shown.waiting), waiting: [] }

/** Both, oldest first, each line once. */
function joined(first: readonly LogLine[], second: readonly LogLine[]): readonly LogLine[] {
  const byId = new Map([...first, ...second].map((line) => [line.id, line]))
  const all = [...byId.values()]
  return isRising(all) ? all : all.toSorted((a, b) => (isAfter(a.id, b.id) ? 1 : -1))
}

const isRising = (lines: readonly LogLine[]): boolean =>
  lines.every((line, at) => at === 0 || isAfter(line.id, lines[at - 1]?.id ?? ''))

/** Whether the line of the first id was written after that of the second: a day, and a place in its file. */
function isAfter(id: string, other: string): boolean {
  const [day = '', place = ''] = id.split(':')
  const [otherDay = '', otherPlace = ''] = other.split(':')
  return day === otherDay ? Number(place) > Number(otherPlace) : day > otherDay
}
