/** The world as the package touches it; a test takes its place. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Resolves after `ms`, or at once when `signal` aborts: it never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** One structured line per call; `fields` never hold a secret. */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}
/** Additional fields of a log entry. */
export type LogFields = Readonly<Record<string, unknown>>

/** Cryptographically random bytes; a test may make them repeatable. */
export type RandomBytes = (length: number) => Buffer
