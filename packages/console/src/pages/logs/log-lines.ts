import type { LogLine } from '../../api/gateway-api.ts'

/** Most lines that the page holds. */
export const MOST_LINES = 3_000

/** The lines held by the page. */
export interface ShownLog {
  /** Oldest first. */
  readonly lines: readonly LogLine[]
  /** Cursor of older lines; `null` if there are none. */
  readonly older: string | null
  /** New lines held back while the viewer has scrolled up; oldest first. */
  readonly waiting: readonly LogLine[]
}

/** No lines. */
export const NO_LINES: ShownLog = { lines: [], older: null, waiting: [] }

/** A page of the log, newest first. */
export interface LogPage {
  readonly items: readonly LogLine[]
  readonly next: string | null
}

/** Prepends older lines. */
export function withOlder(shown: ShownLog, { items, next }: LogPage): ShownLog {
  return { ...shown, lines: mergeLines(items.toReversed(), shown.lines), older: next }
}

/**
 * Adds the newest page after a gap in the stream. If it doesn't connect to the lines shown, those are dropped, so that
 * a gap isn't mistaken for silence.
 */
export function withNewest(shown: ShownLog, { items, next }: LogPage): ShownLog {
  const newest = shown.lines.at(-1)
  const oldestNew = items.at(-1)
  const meet = newest === undefined || next === null || (oldestNew && !isAfter(oldestNew.id, newest.id))
  if (newest !== undefined && meet) return withNew(shown, items.toReversed())
  return { ...shown, lines: mergeLines(items.toReversed(), []), older: next }
}

/** Appends new lines, dropping the oldest if there are too many. */
export function withNew(shown: ShownLog, lines: readonly LogLine[]): ShownLog {
  const all = mergeLines(shown.lines, lines)
  if (all.length <= MOST_LINES) return { ...shown, lines: all }
  const kept = all.slice(-MOST_LINES)
  return { ...shown, lines: kept, older: kept[0]?.id ?? null }
}

/** Holds back new lines while the viewer has scrolled up. */
export const withWaiting = (shown: ShownLog, lines: readonly LogLine[]): ShownLog => ({
  ...shown,
  waiting: mergeLines(shown.waiting, lines).slice(-MOST_LINES),
})

/** Shows the lines held back. */
export const withoutWaiting = (shown: ShownLog): ShownLog =>
  shown.waiting.length === 0 ? shown : { ...withNew(shown, shown.waiting), waiting: [] }

/** Merges lines, oldest first, without duplicates. */
function mergeLines(first: readonly LogLine[], second: readonly LogLine[]): readonly LogLine[] {
  const byId = new Map([...first, ...second].map((line) => [line.id, line]))
  const all = [...byId.values()]
  return isRising(all) ? all : all.toSorted((a, b) => (isAfter(a.id, b.id) ? 1 : -1))
}

const isRising = (lines: readonly LogLine[]): boolean =>
  lines.every((line, at) => at === 0 || isAfter(line.id, lines[at - 1]?.id ?? ''))

/** Reports whether the first ID is later than the second. An ID is a day and a position in its file. */
function isAfter(id: string, other: string): boolean {
  const [day = '', place = ''] = id.split(':')
  const [otherDay = '', otherPlace = ''] = other.split(':')
  return day === otherDay ? Number(place) > Number(otherPlace) : day > otherDay
}

/** A field of a line: its path and its text. */
type LogField = readonly [name: string, text: string]

const MAX_DEPTH = 4

/** Flattens the fields of a line: nested ones are named `error.message`. */
export function flattenFields(fields: Readonly<Record<string, unknown>>, depth = 0): readonly LogField[] {
  return Object.entries(fields).flatMap(([name, value]): readonly LogField[] => {
    if (value === null || value === undefined || value === '') return []
    if (typeof value !== 'object' || Array.isArray(value) || depth === MAX_DEPTH) return [[name, toFieldText(value)]]
    return flattenFields({ ...value }, depth + 1).map(([inner, text]) => [`${name}.${inner}`, text])
  })
}

const toFieldText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const PREVIEW_CHARACTERS = 300

/** Returns the fields as one line of text. */
export const previewFields = (fields: readonly LogField[]): string =>
  fields
    .filter(([name]) => !name.endsWith('stack'))
    .map(([name, text]) => `${name}=${text}`)
    .join('  ')
    .slice(0, PREVIEW_CHARACTERS)
