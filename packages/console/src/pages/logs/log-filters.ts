import type { LogLine } from '../../api/gateway-api.ts'

/** The levels, the least important first. */
export const LEVELS = ['debug', 'info', 'warn', 'error'] as const
/** A log level. */
export type Level = (typeof LEVELS)[number]

/** Which lines are shown; they stand in the address of the page. */
export interface LogFilters {
  /** This one and those above it. */
  readonly level: Level
  /** What a line has, in whatever case; empty: anything. */
  readonly text: string
  /** `YYYY-MM-DD` (UTC), as the files of the log are named; empty: every day. */
  readonly day: string
}

/** Longest text that the service searches for. */
export const MAX_TEXT = 200

/** The filters of an address; what cannot be is left out. The router reads numbers as numbers. */
export function filtersOf(search: Readonly<Record<string, unknown>>): LogFilters {
  const { level, q, day } = search
  const text = typeof q === 'string' || typeof q === 'number' || typeof q === 'boolean' ? String(q) : ''
  return {
    level: LEVELS.find((known) => known === level) ?? 'debug',
    text: text.slice(0, MAX_TEXT),
    day: typeof day === 'string' && /^\d{4}-\d\d-\d\d$/.test(day) ? day : '',
  }
}

/** The same in an address. */
export const searchOf = ({ level, text, day }: LogFilters): Record<string, string> => ({
  ...(level !== 'debug' && { level }),
  ...(text !== '' && { q: text }),
  ...(day !== '' && { day }),
})

/** The same as the service is asked. */
export const queryOf = ({ level, text, day }: LogFilters): { level?: Level; q?: string; day?: string } => ({
  ...(level !== 'debug' && { level }),
  ...(text !== '' && { q: text }),
  ...(day !== '' && { day }),
})

/** Whether a line that was just written belongs to them: the service does not filter what it streams. */
export function isWanted(line: LogLine, { level, text, day }: LogFilters): boolean {
  if (LEVELS.indexOf(line.level) < LEVELS.indexOf(level)) return false
  if (day !== '' && !line.id.startsWith(`${day}:`)) return false
  return text === '' || `${line.message} ${wordsOf(line.fields)}`.toLowerCase().includes(text.toLowerCase())
}

/** All that stands in the fields, as the service searches them. */
function wordsOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, member]) => `${name} ${wordsOf(member)}`)
    .join(' ')
}
