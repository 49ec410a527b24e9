import type { LogLevel } from '../config/forms.ts'

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
