import type { LogLine } from '../../api/gateway-api.ts'

/** The log levels, the least severe first. */
export const LEVELS = ['debug', 'info', 'warn', 'error'] as const
/** A log level. */
export type Level = (typeof LEVELS)[number]

/** The filters of the log, kept in the URL. */
export interface LogFilters {
  /** This level and those above it. */
  readonly level: Level
  /** Text to search for, case-insensitive; empty for any. */
  readonly text: string
  /** `YYYY-MM-DD` (UTC), like the log's files; empty for all days. */
  readonly day: string
}

/** Longest search text that the service accepts. */
export const MAX_TEXT = 200

/** Parses the filters of a URL, ignoring invalid values. The router parses numbers as numbers. */
export function parseFilters(search: Readonly<Record<string, unknown>>): LogFilters {
  const { level, q, day } = search
  const text = typeof q === 'string' || typeof q === 'number' || typeof q === 'boolean' ? String(q) : ''
  return {
    level: LEVELS.find((known) => known === level) ?? 'debug',
    text: text.slice(0, MAX_TEXT),
    day: typeof day === 'string' && /^\d{4}-\d\d-\d\d$/.test(day) ? day : '',
  }
}

/** Returns the filters for the URL, without defaults. */
export const toSearch = ({ level, text, day }: LogFilters): Record<string, string> => ({
  ...(level !== 'debug' && { level }),
  ...(text !== '' && { q: text }),
  ...(day !== '' && { day }),
})

/** Returns the filters for the API. */
export const toQuery = ({ level, text, day }: LogFilters): { level?: Level; q?: string; day?: string } => ({
  ...(level !== 'debug' && { level }),
  ...(text !== '' && { q: text }),
  ...(day !== '' && { day }),
})

/** Reports whether a streamed line matches the filters: the service doesn't filter the stream. */
export function matchesFilters(line: LogLine, { level, text, day }: LogFilters): boolean {
  if (LEVELS.indexOf(line.level) < LEVELS.indexOf(level)) return false
  if (day !== '' && !line.id.startsWith(`${day}:`)) return false
  return text === '' || `${line.message} ${collectText(line.fields)}`.toLowerCase().includes(text.toLowerCase())
}

/** Collects the text of fields that the service searches. */
function collectText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, member]) => `${name} ${collectText(member)}`)
    .join(' ')
}
