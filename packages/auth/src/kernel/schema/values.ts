import { AuthError } from '../../errors.ts'
import type { Dialect } from './ddl.ts'

/** Reads a boolean column: SQLite returns 0 or 1, PostgreSQL a boolean. */
export const isTrue = (value: unknown): boolean => value === true || value === 1

const SQLITE_TIME = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?(?:Z|\+00(?::?00)?)?$/

/**
 * Reads a time column, in milliseconds since the Unix epoch. SQLite has text such as `YYYY-MM-DD HH:MM:SS.ffffff` in
 * UTC, where the fraction may be missing.
 * @throws {AuthError} `database_foreign` if the value isn't a time
 */
export function parseTime(value: Date | string): number {
  if (typeof value !== 'string') {
    if (value instanceof Date && Number.isFinite(value.getTime())) return value.getTime()
    throw new AuthError('database_foreign', { details: { reason: 'time' } })
  }
  const usual = value.length === 26 ? Date.parse(`${value.slice(0, 10)}T${value.slice(11, 23)}Z`) : Number.NaN
  if (!Number.isNaN(usual)) return usual
  const parts = SQLITE_TIME.exec(value)
  if (!parts) throw new AuthError('database_foreign', { details: { reason: 'time' } })
  const [, year, month, day, hour, minute, second = '0', fraction = ''] = parts
  const ms = Number(fraction.padEnd(3, '0').slice(0, 3))
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second), ms)
}

/** Reads a nullable time column, as `parseTime` does. */
export const parseNullableTime = (value: Date | string | null): number | null =>
  value === null ? null : parseTime(value)

/** Formats a time for a time column. @param ms Milliseconds since the Unix epoch. */
export function timeText(ms: number, dialect: Dialect): string {
  const text = `${new Date(ms).toISOString().slice(0, -1).replace('T', ' ')}000`
  return dialect === 'sqlite' ? text : `${text}+00`
}

/** Reads a JSON column: PostgreSQL returns parsed JSON, SQLite text. @throws {AuthError} `database_foreign` */
export function parseJsonColumn(value: unknown, dialect: Dialect): unknown {
  if (dialect === 'postgres' || typeof value !== 'string') return value
  try {
    const parsed: unknown = JSON.parse(value)
    return parsed
  } catch (cause) {
    throw new AuthError('database_foreign', { details: { reason: 'json' }, cause })
  }
}
