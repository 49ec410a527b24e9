import type { LogLevel } from '../config/forms.ts'
import { redact, redactText } from './redact.ts'

/** A line of the log as it was read. */
export interface ReadLine {
  /** The day (UTC) of its file and where it begins in it, in bytes: `2026-01-31:4711`. */
  readonly id: string
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number
  readonly level: LogLevel
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** The least important one first. */
const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']

/**
 * A line of a file, cleaned once more: rules may have grown since it was written.
 * @param least Of a lower level nothing is read on: to clean it would take the most time.
 * @returns `null`: it is none of ours, or of a lower level.
 */
export function readLine(id: string, text: string, least: LogLevel = 'debug'): ReadLine | null {
  const members = objectIn(text)
  if (members === null) return null
  const { level: named, time, msg, ...rest } = members
  const level = LEVELS.find((known) => known === named)
  if (level === undefined || LEVELS.indexOf(level) < LEVELS.indexOf(least)) return null
  const atMs = typeof time === 'string' ? Date.parse(time) : Number.NaN
  if (Number.isNaN(atMs) || typeof msg !== 'string' || isAboutReading(msg, rest)) return null
  const fields = objectOf(redact(rest))
  return fields && { id, atMs, level, message: redactText(msg), fields }
}

function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return objectOf(JSON.parse(text))
  } catch {
    return null // cut by the end of a process, or written by somebody else
  }
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null

/** Who reads the log would else read about their own requests for ever. */
const isAboutReading = (message: string, { path }: Readonly<Record<string, unknown>>): boolean =>
  message === 'Request' && typeof path === 'string' && /^\/api\/logs(\/|$)/.test(path)
