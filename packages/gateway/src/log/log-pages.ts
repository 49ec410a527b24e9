import type { LogLevel } from '../config/forms.ts'
import { dayOf, logDays, logFileOn } from './daily-file.ts'
import { followLog, type LogSource } from './follow-log.ts'
import { linesBackwards } from './lines-backwards.ts'
import { readLine, type ReadLine } from './read-line.ts'

/** Which lines are asked for. */
export interface LogQuery {
  /** The least important ones. */
  readonly level: LogLevel
  /** What their text contains, in whatever case; `null`: anything. */
  readonly text: string | null
  /** `YYYY-MM-DD` (UTC); `null`: every day. */
  readonly day: string | null
  /** `next` of a page, or the id of a line; `null`: from the newest on. */
  readonly before: string | null
  readonly limit: number
}

/** Newest first. */
export interface LogPage {
  readonly lines: readonly ReadLine[]
  /** Where the next page begins; `null`: there is none. */
  readonly next: string | null
  /** Newest first. */
  readonly days: readonly string[]
}

/** Reads the daily files of the log. */
export interface LogPages {
  /** At most so much of the files is read that it does not take long: a page may be empty, and not the last. */
  page(query: LogQuery, signal: AbortSignal): Promise<LogPage>
  /** Lines that are written from now on, until `signal` aborts. */
  follow(signal: AbortSignal): AsyncIterable<ReadLine>
}

/** Most that one page reads, in bytes. */
const PAGE_BYTES = 16 * 1024 * 1024

/** @see LogPages */
export function createLogPages(source: LogSource): LogPages {
  return {
    async page(query, signal) {
      source.flush()
      const days = await logDays(source.folder)
      return { ...(await pageOf(source.folder, days, query, signal)), days }
    },
    follow: (signal) => followLog(source, dayOf(source.now()), signal),
  }
}

/** Reads on through the days, from `before` towards the past, until there are lines enough or it has read enough. */
async function pageOf(
  folder: string,
  days: readonly string[],
  query: LogQuery,
  signal: AbortSignal,
): Promise<Pick<LogPage, 'lines' | 'next'>> {
  const [fromDay = '', fromByte = ''] = query.before?.split(':') ?? []
  const lines: ReadLine[] = []
  let left = PAGE_BYTES
  const asked = days.filter(
    (day) => (query.day === null || day === query.day) && (query.before === null || day <= fromDay),
  )
  for (const [index, day] of asked.entries()) {
    const end = day === fromDay ? Number(fromByte) : Number.POSITIVE_INFINITY
    for await (const { start, text, cost } of linesBackwards(logFileOn(folder, day), end, signal)) {
      const id = `${day}:${start}`
      const line = text === '' ? null : wanted(id, text, query)
      if (line !== null) lines.push(line)
      left -= cost
      if (lines.length < query.limit && left > 0) continue
      return { lines, next: start > 0 || index + 1 < asked.length ? id : null }
    }
  }
  return { lines, next: null }
}

function wanted(id: string, text: string, { level, text: sought }: LogQuery): ReadLine | null {
  const line = readLine(id, text, level)
  return sought === null || line === null || textOf(line).includes(sought.toLowerCase()) ? line : null
}

/** What people see of a line, and so what can be found. */
const textOf = ({ message, fields }: ReadLine): string => `${message} ${shown(fields)}`.toLowerCase()

function shown(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, member]) => `${name} ${shown(member)}`)
    .join(' ')
}
